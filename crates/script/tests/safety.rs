//! Scripts that misbehave.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "functions around tests"
)]

#[path = "common/stage.rs"]
mod common;

use std::path::Path;

use common::{group, limits, reply, stage, story, try_stage, try_stage_of};
use model::{Fault, FaultKind, GroupId};
use script::host::Value;
use script::{Bundle, Limits};

/// Two groups run the same scenario. Group 2 waits for its response while group 1 loops.
fn looping_beside_another(body: &str) {
    let mut stage = story(&format!(
        "await user.get('/');\nif (group.number === 1) {{ {body} }}\nawait user.get('/after');"
    ));
    stage.script.start_group(group(1, 1));
    stage.script.start_group(group(2, 1));
    let ops = stage.ops();
    stage.done(ops[0].0, reply(200, ""));
    let fault = stage.fault();
    assert_eq!(
        fault.fault.kind,
        FaultKind::LoopedForever,
        "{body}: {fault}"
    );
    assert_eq!(fault.location.map(|place| place.line), Some(3), "{body}");
    assert_eq!(
        fault.fault.detail,
        "ran for more than 1 s without a pause, here or in a loop that follows"
    );
    stage.script.cancel_group(GroupId(1));
    stage.done(ops[1].0, reply(200, ""));
    stage.answer_all(&reply(200, ""));
    stage.ends_well();
}

#[test]
fn an_iteration_leaves_no_garbage_for_the_collector() {
    let mut stage = stage(
        "export default async function ({ id, users, everyone, buyer, sellers, level, setup }) {
            await everyone(async (user, here) => { await user.step(user.name + id, () => user.get('/')); await here('x'); });
            await buyer.get('/').catch((error) => error.kind);
            await sellers[1].think(level.users);
        }",
    );
    let mut iterate = |count: u32| {
        for iteration in 0..count {
            let mut start = group(1, 3);
            start.iteration = iteration;
            start.roles = Some(vec![("buyer".to_owned(), 1), ("sellers".to_owned(), 2)].into());
            stage.script.start_group(start);
            for (op, _) in stage.ops() {
                stage.done(op, reply(200, ""));
            }
            let op = stage.ops()[0].0;
            stage.fails(op, Fault::target(FaultKind::Reset, "gone"));
            stage.answer_all(&Value::Nothing);
            stage.ends_well();
            stage.script.cancel_group(GroupId(1));
        }
        stage.script.memory_used()
    };
    let before = iterate(20);
    let after = iterate(200);
    assert!(after < before + 4096, "{before} -> {after} bytes");
}

#[test]
fn an_endless_loop_fails_its_own_group_only() {
    looping_beside_another("for (;;) {}");
    looping_beside_another("for (;;) { try { for (;;) {} } catch { } finally { for (;;) {} } }");
    looping_beside_another("await Promise.resolve().then(() => { for (;;) {} });");
    looping_beside_another("await new Promise(() => { while (true) {} });");
    looping_beside_another("await group.everyone(async () => { for (;;) {} });");
    looping_beside_another("[1].map(function f() { for (;;) {} });");
    looping_beside_another("/(a+)+b/.test('a'.repeat(40));");
}

#[test]
fn an_endless_loop_without_calls_is_reported_at_the_call_before_it_or_after() {
    for body in ["for (;;) {}", "let i = 0;\nfor (;;) { i++; }"] {
        let mut stage = story(&format!("await user.get('/');\n\n{body}"));
        stage.start(1);
        let ops = stage.ops();
        stage.done(ops[0].0, reply(200, ""));
        let fault = stage.fault();
        let line = fault.location.map(|place| place.line);
        assert!(matches!(line, Some(2..=5)), "{body}: {line:?}");
        let detail = fault.fault.detail;
        assert!(
            detail.ends_with(", here or in a loop that follows"),
            "{detail}"
        );
    }
}

#[test]
fn endless_microtasks_fail_the_group() {
    for round in [
        "await null;",
        "{ await undefined; }",
        "{ await Promise.resolve(1).then((x) => x + 1); }",
        "{ await (async () => await null)(); }",
        "{ try { await null; } catch { } finally { } }",
    ] {
        // Calls before the loop move the point of each round at which the script engine polls.
        for before in 0..3 {
            let mut stage = story(&format!(
                "await user.get('/'); for (let i = 0; i < {before}; i++) Math.abs(i);\nfor (;;) {round}"
            ));
            stage.start(1);
            let ops = stage.ops();
            stage.done(ops[0].0, reply(200, ""));
            let fault = stage.fault();
            assert_eq!(fault.fault.kind, FaultKind::LoopedForever, "{round}");
            let line = fault.location.as_ref().map(|place| place.line);
            assert!(matches!(line, Some(2 | 3)), "{round} {before}: {fault:?}");
        }
    }
}

#[test]
fn a_loop_at_the_top_level_is_an_error_of_loading() {
    let error = try_stage("for (;;) {}\nexport default () => {}")
        .err()
        .map(|error| error.to_string());
    let error = error.unwrap();
    assert!(
        error.starts_with("room.ts:1:") && error.contains("without a pause"),
        "{error}"
    );
}

#[test]
fn deep_recursion_is_an_ordinary_error() {
    let mut stage = story(
        "function f() {\nreturn f() + 1; }\ntry { f(); } catch (e) { console.log(e.name); }\nf();",
    );
    stage.start(1);
    let fault = stage.fault();
    assert_eq!(stage.logged(), ["RangeError"]);
    assert_eq!(
        fault.fault.detail,
        "RangeError: Maximum call stack size exceeded"
    );
    assert_eq!(fault.location.map(|place| place.line), Some(3));
}

#[test]
fn memory_that_runs_out_ends_the_run() {
    for body in [
        "const all = []; for (;;) all.push(new Array(1000).fill(0));",
        "const all = []; for (;;) all.push({ a: {} });",
        "const all = []; for (;;) all.push(new ArrayBuffer(1 << 20));",
        "const all = []; for (;;) { all.push(user.think(1)); if (all.length % 1000 === 0) await null; }",
    ] {
        let source = format!("export default async function ({{ users: [user] }}) {{ {body} }}");
        let bundle = Bundle::embedded("room.ts", &source).unwrap();
        let mut stage =
            try_stage_of(&bundle, Path::new("."), limits(60_000_000, 16 << 20)).unwrap();
        stage.host.borrow_mut().tick = 0;
        stage.start(1);
        // Either the run must end, or the iteration failed and its memory is free again. Both errors name the option.
        let said = match stage.script.take_fatal() {
            Some(fatal) => fatal.fault.detail,
            None => stage.fault().fault.detail,
        };
        assert!(said.contains("options.script.memory"), "{body}: {said}");
    }
}

#[test]
fn memory_that_leaks_over_iterations_ends_the_run() {
    let source = "const all = []; export default async function () { for (let i = 0; i < 10000; i++) all.push({ a: {} }); }";
    let bundle = Bundle::embedded("room.ts", source).unwrap();
    let mut stage = try_stage_of(&bundle, Path::new("."), limits(60_000_000, 16 << 20)).unwrap();
    let fatal = (1..1000).find_map(|id| {
        stage.script.start_group(group(id, 1));
        stage.script.cancel_group(GroupId(id));
        stage.script.take_fatal()
    });
    let fatal = fatal.unwrap().fault.detail;
    assert_eq!(
        fatal,
        "the scenario used more than 16.777216 MB of memory in one worker (options.script.memory)"
    );
}

#[test]
fn a_promise_that_nothing_settles_is_told_as_stuck() {
    let mut stage = story("await user.get('/');\nawait new Promise(() => {});");
    stage.start(1);
    assert!(stage.script.stuck().is_empty());
    stage.answer_all(&reply(200, ""));
    assert_eq!(stage.script.stuck(), [GroupId(1)]);
    assert!(stage.script.stuck().is_empty());
    let mut stage = story("user.every(1000, () => {}); await new Promise(() => {});");
    stage.start(1);
    assert!(stage.script.stuck().is_empty());
}

#[test]
fn a_promise_of_ones_own_works() {
    let mut stage = story(
        "let go; const gate = new Promise((r) => { go = r; }); user.get('/').then(() => go(7)); console.log(await gate);",
    );
    stage.start(1);
    stage.answer_all(&reply(200, ""));
    assert_eq!(stage.logged(), ["7"]);
    stage.ends_well();
}

#[test]
fn a_rejection_that_nobody_awaits_fails_the_iteration_once() {
    let mut stage = story(
        "(async () => { await user.get('/');\nthrow new Error('lost'); })();\nawait user.stay();",
    );
    stage.start(1);
    let ops = stage.ops();
    stage.done(ops[0].0, reply(200, ""));
    let fault = stage.fault();
    assert_eq!(fault.fault.detail, "Error: lost");
    assert_eq!(fault.location.map(|place| place.line), Some(3));
    stage.done(ops[1].0, script::host::Value::Nothing);
    assert!(stage.ended().is_empty());
}

#[test]
fn a_rejection_that_is_handled_in_time_is_none() {
    let mut stage = story(
        "const p = Promise.reject(new Error('x')); await p.catch(() => {}); await Promise.allSettled([Promise.reject(1)]);",
    );
    stage.start(1);
    stage.ends_well();
}

#[test]
fn anything_can_be_thrown() {
    for (thrown, detail) in [
        ("'text'", "thrown: \"text\""),
        ("{ a: [1] }", "thrown: { a: [1] }"),
        ("null", "thrown: null"),
        ("undefined", "thrown: undefined"),
        ("new TypeError('t')", "TypeError: t"),
        ("Object.create(null)", "thrown: {}"),
        ("{ get message() { throw 1 } }", "thrown: "),
    ] {
        let mut stage = story(&format!("throw {thrown};"));
        stage.start(1);
        let fault = stage.fault();
        assert!(fault.fault.detail.starts_with(detail), "{fault}");
        assert!(stage.script.take_fatal().is_none());
    }
}

#[test]
fn frames_of_the_api_are_hidden() {
    let mut stage = story(
        "await group.everyone(async (u) => {\nu.step('s', () => { u.nothing(); });\nawait u.stay(); });",
    );
    stage.start(1);
    let fault = stage.fault();
    let stack = fault.stack.unwrap();
    assert!(
        stack.lines().all(|line| line.contains("room.ts")),
        "{stack}"
    );
}

#[test]
fn code_from_texts_is_refused() {
    for code in [
        "eval('1')",
        "new Function('return 1')()",
        "(() => {}).constructor('return 1')()",
        "(async () => {}).constructor('1')",
        "(function* () {}).constructor('1')",
        "setTimeout(() => {}, 1)",
        "fetch('/')",
        "require('fs')",
    ] {
        let mut stage = story(&format!("{code};"));
        stage.start(1);
        let fault = stage.fault();
        assert!(
            fault.fault.detail.contains("not available in scenarios"),
            "{code}: {fault}"
        );
    }
    let mut stage = story(
        "console.log((() => {}) instanceof Function, typeof $headcount, typeof globalThis.std, typeof process);",
    );
    stage.start(1);
    assert_eq!(stage.logged(), ["true undefined undefined undefined"]);
}

#[test]
fn native_calls_are_out_of_reach() {
    for name in ["headcount/native", "headcount/user", "fs", "std", "os"] {
        let mut stage = story(&format!("await import('{name}');"));
        stage.start(1);
        assert!(
            stage.fault().fault.detail.contains("cannot import"),
            "{name}"
        );
    }
    let mut stage =
        story("const m = await import('headcount'); console.log(Object.keys(m).join());");
    stage.start(1);
    assert_eq!(
        stage.logged(),
        ["Counter,Gauge,Trend,audience,audio,csv,env,hash,hmac,json"]
    );
}

#[test]
fn a_user_of_an_ended_iteration_does_nothing() {
    let mut stage = stage(
        "let old; export default async function ({ users: [user] }) { if (old) await old.get('/'); old = user; }",
    );
    stage.start(1);
    stage.ends_well();
    stage.script.cancel_group(GroupId(1));
    stage.script.start_group(group(2, 1));
    assert!(stage.fault().fault.detail.contains("has ended"));
}

#[test]
fn limits_have_defaults() {
    let limits = Limits::default();
    assert_eq!(
        (limits.memory_bytes, limits.busy.as_millis()),
        (1 << 30, 1000)
    );
}
