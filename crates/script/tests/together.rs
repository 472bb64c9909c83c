//! Tests calls for several users: `everyone`, `together`, barriers, steps, conditions.

#[path = "common/stage.rs"]
mod common;

use common::{Call, group, reply, stage, story};
use model::{Fault, FaultKind, GroupId};
use script::host::Value;

#[test]
fn everyone_ends_when_the_last_has_ended() {
    let mut stage = story(
        "const all = await group.everyone(async (u) => (await u.get('/' + u.index)).status + u.index); console.log(all);",
    );
    stage.start(3);
    let ops = stage.ops();
    assert_eq!(ops.len(), 3);
    for at in [2, 0, 1] {
        assert!(stage.logged().is_empty());
        stage.done(ops[at].0, reply(200, ""));
    }
    assert_eq!(stage.logged(), ["[200, 201, 202]"]);
    stage.ends_well();
}

#[test]
fn the_first_failure_is_thrown_after_all_have_ended() {
    let mut stage = story(
        "try { await group.together(users, async (u, i) => { await u.get('/'); if (i > 0) throw new Error('no ' + i); }); } finally { console.log('over'); }",
    );
    stage.start(3);
    let ops = stage.ops();
    for at in [2, 1] {
        stage.done(ops[at].0, reply(200, ""));
        assert!(stage.logged().is_empty());
    }
    stage.done(ops[0].0, reply(200, ""));
    let fault = stage.fault();
    assert_eq!(fault.fault.detail, "Error: no 2");
    assert_eq!(fault.user.map(|user| user.0), Some(102));
}

#[test]
fn a_barrier_opens_for_the_last_and_can_be_used_again() {
    let mut stage = story(
        "await group.everyone(async (u, here) => { for (const round of [1, 2]) { await u.get('/'); await here('round'); console.log(u.index, round); } });",
    );
    stage.start(2);
    for round in 1..=2 {
        let ops = stage.ops();
        stage.done(ops[0].0, reply(200, ""));
        assert_eq!(stage.logged().len(), (round - 1) * 2);
        stage.done(ops[1].0, reply(200, ""));
        assert_eq!(stage.logged().len(), round * 2);
    }
    stage.ends_well();
}

#[test]
fn a_failure_breaks_barriers_and_is_not_hidden_by_them() {
    let mut stage = story(
        "await group.everyone(async (u, here) => { if (u.index === 0) await u.get('/');\nif (u.index === 2) await u.get('/2');\nif (u.index === 0) throw new Error('first cause');\nawait here('joined'); });",
    );
    stage.start(3);
    let ops = stage.ops();
    stage.done(ops[0].0, reply(200, ""));
    assert!(stage.ended().is_empty());
    stage.done(ops[1].0, reply(200, ""));
    let fault = stage.fault();
    assert_eq!(fault.fault.detail, "Error: first cause");
    assert_eq!(fault.user.map(|user| user.0), Some(100));
}

#[test]
fn a_barrier_that_a_member_left_out_fails_with_their_name() {
    let mut stage =
        story("await group.everyone(async (u, here) => { if (u.index) await here('joined'); });");
    stage.start(2);
    let fault = stage.fault();
    assert_eq!(fault.fault.kind, FaultKind::Barrier);
    assert_eq!(
        fault.fault.detail,
        "the barrier \"joined\" cannot open: u100 ended"
    );
}

#[test]
fn barriers_that_cannot_open_name_who_waits_where() {
    let mut stage = story(
        "await group.everyone(async (u, here) => {\n  if (u.index === 2) return here('end');\n  await here('n' + u.index);\n});",
    );
    stage.start(4);
    assert!(stage.script.stuck().is_empty());
    let fault = stage.fault();
    assert_eq!(
        (fault.fault.kind, fault.fault.detail.as_str()),
        (
            FaultKind::Barrier,
            "the users wait at different barriers, so none can open: u100 at here(\"n0\") (room.ts:4), \
             u101 at here(\"n1\") (room.ts:4), u102 at here(\"end\"), u103 at here(\"n3\") (room.ts:4)"
        )
    );
    assert_eq!(fault.location.map(|place| place.line), Some(4));
    assert_eq!(fault.user.map(|user| user.0), Some(100));
}

#[test]
fn barriers_that_cannot_open_can_be_caught_but_not_without_end() {
    let mut stage = story(
        "await group.everyone(async (u, here) => { try { await here('n' + u.index); } catch (e) { console.log(e.kind); }\n await u.get('/'); });\nconsole.log('on');",
    );
    stage.start(2);
    assert!(stage.script.stuck().is_empty());
    assert!(stage.script.stuck().is_empty());
    stage.answer_all(&reply(200, ""));
    assert_eq!(stage.logged(), ["barrier", "barrier", "on"]);
    stage.ends_well();
    let mut stage = story(
        "for (;;) try { await group.everyone(async (u, here) => { await here('n' + u.index); }); } catch {}",
    );
    stage.start(2);
    assert_eq!(stage.script.stuck(), [GroupId(1)]);
}

#[test]
fn barriers_of_two_names_at_once_open_all_the_same() {
    let mut stage = story(
        "await group.everyone(async (u, here) => { const first = here('a' ); await u.get('/'); await Promise.all([first, here('b')]); });",
    );
    stage.start(2);
    let ops = stage.ops();
    stage.done(ops[0].0, reply(200, ""));
    assert!(stage.script.stuck().is_empty());
    stage.done(ops[1].0, reply(200, ""));
    stage.ends_well();
}

#[test]
fn steps_are_told_with_their_outcome_and_the_innermost_is_blamed() {
    let mut stage = story(
        "await user.step('fine', () => 1);\nawait group.step('outer', () => user.step('inner', async () => { await user.get('/'); throw new Error('x'); }));",
    );
    stage.start(1);
    stage.answer_all(&reply(200, ""));
    let fault = stage.fault();
    assert_eq!(
        (fault.step.as_deref(), fault.user.map(|user| user.0)),
        (Some("inner"), Some(100))
    );
    let mut stage =
        story("await user.step('a', () => 1); await group.step('b', () => 2).then(console.log);");
    stage.start(1);
    let calls = stage.take_calls();
    let said: Vec<&str> = calls
        .iter()
        .filter_map(|call| match call {
            Call::Other(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(
        said,
        [
            "step a",
            "begin a Some(UserId(100))",
            "end a Some(UserId(100)) well",
            "step b",
            "begin b None",
            "end b None well"
        ]
    );
}

#[test]
fn a_condition_is_asked_until_it_holds() {
    let mut stage = story(
        "let n = 0; await group.eventually('seen', '1h', async () => { await user.get('/'); return ++n === 3; }, { every: '10ms' });",
    );
    stage.start(1);
    let mut asked = 0;
    for _ in 0..10 {
        for (op, name) in stage.ops() {
            asked += usize::from(name == "GET /");
            stage.done(op, reply(200, ""));
        }
    }
    assert_eq!(asked, 3);
    stage.ends_well();
}

#[test]
fn a_condition_that_never_holds_fails_at_its_own_line() {
    let mut stage = story("\nawait group.eventually('seen', '20ms', () => false);");
    stage.start(1);
    for _ in 0..100 {
        for (op, _) in stage.ops() {
            stage.done(op, Value::Nothing);
        }
    }
    let fault = stage.fault();
    assert_eq!(
        (fault.fault.kind, fault.fault.detail.as_str()),
        (FaultKind::Eventually, "seen: not true within 20ms")
    );
    assert_eq!(fault.location.map(|place| place.line), Some(3));
}

#[test]
fn roles_numbers_setup_and_data_are_there() {
    let mut stage = stage(
        "export default async function ({ buyer, sellers, users, id, number, iteration, level, setup }) { setup.x.push(1); console.log(buyer.name, buyer.role, sellers.map(s => s.name), users.length, id, number, iteration, level, setup, sellers[0].data, buyer.data); }",
    );
    let mut start = group(1, 3);
    start.roles = Some(vec![("buyer".to_owned(), 1), ("sellers".to_owned(), 2)].into());
    start.users[0].role = Some("buyer".into());
    start.users[1].data = Some(r#"{"token":"t"}"#.into());
    start.setup = Some(r#"{"x":[]}"#.into());
    stage.script.start_group(start);
    stage.ends_well();
    assert_eq!(
        stage.logged(),
        [
            r#"u100 buyer ["u101", "u102"] 3 g1-test 1 0 { index: 0, users: 3, groups: 1 } { x: [1] } { token: "t" } undefined"#
        ]
    );
}

#[test]
fn users_and_groups_are_written_as_json_with_their_facts() {
    let mut stage = story("console.log(JSON.stringify(group), JSON.stringify({ of: user }));");
    stage.start(1);
    let user = r#"{"name":"u100","index":0,"number":100}"#;
    let group = format!(
        r#"{{"id":"g1-test","number":1,"iteration":0,"level":{{"index":0,"users":1,"groups":1}},"users":[{user}]}}"#
    );
    assert_eq!(stage.logged(), [format!(r#"{group} {{"of":{user}}}"#)]);
    stage.ends_well();
}

#[test]
fn chance_comes_from_the_seeded_generator() {
    let mut stage = story(
        "console.log(user.random(), user.random(10), user.random(['a', 'b']), group.random(3), Math.random()); await user.think('1s', '3s');",
    );
    stage.start(1);
    assert_eq!(stage.logged(), ["0.5 5 b 1 0.5"]);
    assert_eq!(stage.ops()[0].1, "sleep 100 2 s");
    assert_eq!(stage.host.borrow().randoms, 6);
}

#[test]
fn a_cancelled_group_hears_nothing_more() {
    let mut stage = story(
        "user.every(1000, () => console.log('tick')); await user.get('/'); console.log('after');",
    );
    stage.start(1);
    let ops = stage.ops();
    stage.script.cancel_group(GroupId(1));
    stage.done(ops[0].0, reply(200, ""));
    stage.wake(script::host::Wake::Tick {
        ticker: script::host::TickerId(1),
        due: model::Nanos(1),
    });
    stage.fails(ops[0].0, Fault::target(FaultKind::Reset, "gone"));
    assert!(stage.logged().is_empty() && stage.ended().is_empty());
    assert!(stage.script.stuck().is_empty());
}
