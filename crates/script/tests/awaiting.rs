//! Calls in flight when their iteration ends. An `await` is missing, and the error names its line.

#[path = "common/stage.rs"]
mod common;

use common::{reply, story};
use model::{FaultKind, Nanos, Side};
use script::host::{TickerId, Wake};

/// Line of the module in which `story` places the body.
const FIRST_LINE: usize = 2;

#[track_caller]
fn misses_an_await_at_its_mark(body: &str) {
    let mut stage = story(body);
    stage.start(2);
    let fault = stage.fault();
    let kind = (fault.fault.side, fault.fault.kind);
    assert_eq!(kind, (Side::Script, FaultKind::NotAwaited), "{body}");
    let marked = body
        .lines()
        .take_while(|line| !line.contains("HERE"))
        .count();
    let line = fault.location.map(|place| place.line as usize);
    assert_eq!(line, Some(FIRST_LINE + marked), "{body}");
    assert!(
        fault.frame.is_some_and(|frame| frame.contains("HERE")),
        "{body}"
    );
}

#[test]
fn a_call_that_nobody_awaits_fails_the_iteration_with_its_line() {
    for body in [
        "\n  users[0].get('/'); // HERE\n",
        "for (const user of users)\n    user.post('/', { json: {} }); // HERE\n",
        "users.forEach(async (user) => {\n  await user.get('/a'); // HERE\n});",
        "group.everyone(async (user) => {\n  await user.get('/a'); // HERE\n});",
        "\n\nusers[0].think('1s'); // HERE",
        "users[0].stay(); // HERE",
        "\ngroup.eventually('seen', '1h', () => false); // HERE\n",
        "const later = users[1].get('/'); // HERE\nif (false) await later;",
    ] {
        misses_an_await_at_its_mark(body);
    }
}

#[test]
fn several_are_counted_by_no_number_so_that_one_example_stands_for_all() {
    let mut stage = story("for (const user of users) user.get('/');");
    stage.start(3);
    assert_eq!(
        stage.fault().fault.detail,
        "the iteration ended while calls were in flight: an `await` is missing"
    );
}

#[test]
fn what_is_awaited_and_what_need_not_be_is_no_fault() {
    for (body, answers) in [
        ("await users[0].get('/');", 1),
        ("await Promise.all(users.map((user) => user.get('/')));", 2),
        ("await Promise.race(users.map((user) => user.get('/')));", 1),
        ("await Promise.any(users.map((user) => user.get('/')));", 1),
    ] {
        let mut stage = story(body);
        stage.start(2);
        for (op, _) in stage.ops().into_iter().take(answers) {
            stage.done(op, reply(200, ""));
        }
        stage.ends_well();
    }
}

#[test]
fn what_tickers_began_may_be_in_flight_in_the_end() {
    let mut stage = story(
        "users[0].every('1s', async () => { await users[0].get('/a'); await users[0].get('/b'); }); await users[0].think('9s');",
    );
    stage.start(1);
    let ops = stage.ops();
    stage.wake(Wake::Tick {
        ticker: TickerId(1),
        due: Nanos::ZERO,
    });
    let ticked = stage.ops();
    stage.done(ticked[0].0, reply(200, ""));
    assert_eq!(
        stage.ops().len(),
        1,
        "the second call of the tick is in flight"
    );
    stage.done(ops[0].0, script::host::Value::Nothing);
    stage.ends_well();
}

/// The first iteration makes more calls than are traced. From the second iteration on, all calls are traced.
#[test]
fn a_call_that_nobody_awaits_after_many_others_has_its_line_the_second_time() {
    let mut stage = story("for (let n = 0; n < 120; n++) await user.get('/');\nuser.get('/late');");
    let mut lines = Vec::new();
    for number in 1..=2 {
        stage.script.start_group(common::group(number, 1));
        for _ in 0..120 {
            let ops = stage.ops();
            stage.done(ops[0].0, reply(200, ""));
        }
        let fault = stage.fault();
        assert_eq!(fault.fault.kind, FaultKind::NotAwaited);
        lines.push(fault.location.map(|place| place.line as usize));
        stage.script.cancel_group(model::GroupId(number));
        stage.ops();
    }
    assert_eq!(lines, [None, Some(FIRST_LINE + 1)]);
}
