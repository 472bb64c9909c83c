//! An iteration from its start to its end.

#[path = "common/stage.rs"]
mod common;

use common::{reply, stage, story};
use script::host::{Checked, Value};

#[test]
fn a_group_asks_waits_and_ends() {
    let mut stage = stage(
        r#"
        import type { Group } from "headcount";
        export default async function ({ users }: Group): Promise<void> {
            const [user] = users;
            const answer = await user.get("/items/:id?x=1", { params: { id: 7 } });
            user.check("found", answer.status === 200);
            await user.think("250ms");
        }"#,
    );
    stage.start(1);
    let ops = stage.ops();
    assert_eq!(ops[0].1, "GET /items/:id");
    assert!(stage.ended().is_empty());
    stage.done(ops[0].0, reply(200, "{}"));
    let ops = stage.ops();
    assert_eq!(ops[0].1, "sleep 100 250 ms");
    stage.done(ops[0].0, Value::Nothing);
    stage.ends_well();
    assert_eq!(
        stage.host.borrow().checks,
        [("found".to_owned(), Checked::Passed)]
    );
}

/// The place is searched only once, because the search costs more than the check.
#[test]
fn the_first_failure_of_a_check_has_its_line_and_user() {
    let mut stage = story(
        "const { check, everyone } = group;\n  await everyone(async (user) => {\n    check('one', user.index !== 1);\n    user.check('two', false);\n  });",
    );
    stage.start(2);
    let checks = &stage.host.borrow().checks;
    let line = |result: &Checked| match result {
        Checked::Passed => panic!("passed"),
        Checked::Failed { user, place } => (
            user.is_some(),
            place.as_ref().map(|place| place.location.line),
        ),
    };
    let failed: Vec<_> = checks
        .iter()
        .filter(|(_, result)| *result != Checked::Passed)
        .map(|(name, result)| (name.as_str(), line(result)))
        .collect();
    assert_eq!(
        failed,
        [
            ("two", (true, Some(5))),
            ("one", (true, Some(4))),
            ("two", (true, None))
        ]
    );
}

#[test]
fn a_thrown_error_shows_the_users_own_line() {
    let mut stage = story("await user.get('/');\n  const x = undefined;\n  x.boom();");
    stage.start(1);
    stage.answer_all(&reply(200, ""));
    let fault = stage.fault();
    assert_eq!(
        fault.location.as_ref().map(ToString::to_string).as_deref(),
        Some("room.ts:4:3"),
        "{fault:?}"
    );
    assert!(fault.frame.unwrap().contains("> 4 |   x.boom();"));
}

#[test]
fn a_call_that_was_taken_from_its_user_says_how_to_call_it() {
    let calls = [
        "get",
        "head",
        "post",
        "put",
        "patch",
        "delete",
        "websocket",
        "socketio",
        "state",
        "header",
        "cookie",
        "stay",
        "think",
        "check",
        "random",
        "every",
        "step",
        "row",
    ];
    for call in calls {
        let mut stage = story(&format!(
            "const {{ {call}: taken }} = user;\n  await taken('/', 1);"
        ));
        stage.start(1);
        let fault = stage.fault();
        let told = format!("TypeError: `{call}` was called without a user: write user.{call}(…)");
        assert_eq!(fault.fault.detail, told);
        assert!(fault.location.is_some(), "{call}");
    }
    let mut stage = story("const { request } = user;\n  await request('GET', '/');");
    stage.start(1);
    let detail = stage.fault().fault.detail;
    assert!(detail.ends_with("write user.request(…)"), "{detail}");
}

#[test]
fn what_is_no_user_is_said_to_be_none() {
    for body in [
        "const { together } = group;\n  await together([1], async () => {});",
        "const { index } = Object.getPrototypeOf(\n  user);",
    ] {
        let mut stage = story(body);
        stage.start(1);
        let fault = stage.fault();
        assert_eq!(fault.fault.detail, "TypeError: expected a user", "{body}");
        assert!(fault.location.is_some(), "{body}");
    }
}

#[test]
fn a_row_of_no_table_is_refused_in_clear_words() {
    let mut stage = story("user.row();");
    stage.start(1);
    assert_eq!(
        stage.fault().fault.detail,
        "TypeError: user.row(table): the table must come from csv() or json()"
    );
}

#[test]
fn what_throws_before_anything_is_awaited_fails_the_iteration() {
    let mut stage = stage(
        "export default function ({ users: [user] }) {\n  user.step('in', () => { throw new TypeError('no'); }).catch(() => 0);\n  throw new RangeError('out');\n}",
    );
    stage.start(1);
    let fault = stage.fault();
    assert_eq!(fault.fault.detail, "RangeError: out");
    assert_eq!(fault.location.map(|place| place.line), Some(3));
}

#[test]
fn a_retired_call_names_the_new_one() {
    let mut stage = story("user.holds('document', 'text');");
    stage.start(1);
    let detail = stage.fault().fault.detail;
    assert!(detail.contains("user.state(name, text)"), "{detail}");
}
