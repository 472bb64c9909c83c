//! Mixes of several scenarios, and the planned times of the first operations of an iteration.

#[path = "common/stage.rs"]
mod common;

use common::{Call, Stage, group, reply, stage, try_stage};
use model::{FaultKind, GroupId, Nanos};
use script::ScriptFault;
use script::host::Wake;

const TWO: &str = "export const options = { mix: { register: 50, enumerate: 30 } };
export async function register({ users: [user] }) { await user.post('/users'); }
export const enumerate = async ({ users: [user] }) => { await user.get('/users'); };
export const limit = 5;";

fn begin(stage: &mut Stage, id: u32, scenario: Option<&str>) {
    let mut start = group(id, 1);
    start.scenario = scenario.map(Into::into);
    stage.script.start_group(start);
}

fn fault_of(source: &str, scenario: Option<&str>) -> ScriptFault {
    let mut stage = stage(source);
    begin(&mut stage, 1, scenario);
    stage.fault()
}

#[test]
fn a_mix_needs_no_default_export() {
    let declared = stage(TWO).script.declared().expect("a mix is enough");
    assert_eq!(declared.scenarios, ["enumerate", "register"]);
    assert!(!declared.has_default);
    let source = "export async function setup() {} export default () => {}; export function a() {}";
    let declared = stage(source).script.declared().expect("it has a default");
    assert_eq!(declared.scenarios, ["a"]);
    assert!(declared.has_default && declared.has_setup);
}

#[test]
fn neither_a_default_nor_a_mix_is_refused() {
    for source in [
        "export async function register() {}",
        "export const options = { mix: null }; export async function register() {}",
    ] {
        let loaded = try_stage(source).map(|stage| stage.script.declared());
        let error = loaded.expect("it loads").expect_err("it must be refused");
        let error = error.to_string();
        assert!(
            error.contains("no default export") && error.contains("`options.mix`"),
            "{error}"
        );
    }
}

#[test]
fn each_group_runs_the_scenario_that_it_is_given() {
    let mut stage = stage(TWO);
    for (id, scenario) in [(1, "register"), (2, "enumerate"), (3, "register")] {
        begin(&mut stage, id, Some(scenario));
    }
    let names: Vec<_> = stage.ops().into_iter().map(|(_, name)| name).collect();
    assert_eq!(names, ["POST /users", "GET /users", "POST /users"]);
}

#[test]
fn a_scenario_that_is_not_exported_fails_its_iteration() {
    for scenario in ["regster", "limit"] {
        let fault = fault_of(TWO, Some(scenario)).fault;
        assert_eq!(fault.kind, FaultKind::Thrown);
        let told = format!("the scenario exports no function `{scenario}`");
        assert_eq!(fault.detail, told);
    }
    let fault = fault_of(TWO, None).fault;
    assert_eq!(fault.detail, "the scenario exports no function `default`");
}

#[test]
fn a_scenario_that_never_settles_is_shown_where_it_stands() {
    let mut stage = stage(
        "export const options = { mix: { hang: 1 } };\n\nexport async function hang() { await new Promise(() => {}); }",
    );
    begin(&mut stage, 1, Some("hang"));
    assert_eq!(stage.script.stuck(), [GroupId(1)]);
    let fault = stage.script.never_settles(GroupId(1), "why".to_owned());
    assert_eq!(fault.location.map(|place| place.line), Some(3));
}

/// Returns the planned start of each request and each WebSocket.
fn planned(stage: &mut Stage) -> Vec<Option<Nanos>> {
    let planned = |call| match call {
        Call::Http(_, _, call) => Some(call.planned),
        Call::Open(_, _, call) => Some(call.planned),
        _ => None,
    };
    stage.take_calls().into_iter().filter_map(planned).collect()
}

#[test]
fn what_a_late_iteration_sends_first_counts_from_its_planned_start() {
    let mut stage = stage(
        "export default async function ({ users, everyone }) {
            users[0].get('/aside');
            await everyone(async (user, here) => {
                await here('all'); // waits for nothing that takes time
                await user.get('/first');
                await user.websocket('/second');
            });
        }",
    );
    let mut start = group(1, 2);
    start.planned = Some(Nanos(77));
    stage.script.start_group(start);
    let ops = stage.host.borrow().calls.clone();
    assert_eq!(planned(&mut stage), [Some(Nanos(77)); 3]);
    for call in ops {
        if let Call::Http(op, ..) = call {
            stage.done(op, reply(200, ""));
        }
    }
    assert_eq!(planned(&mut stage), [None, None]);
}

#[test]
fn a_socket_opened_first_counts_from_the_planned_start() {
    let mut stage = stage("export default async ({ users: [user] }) => user.websocket('/ws');");
    let mut start = group(1, 1);
    start.planned = Some(Nanos(77));
    stage.script.start_group(start);
    begin(&mut stage, 2, None);
    assert_eq!(planned(&mut stage), [Some(Nanos(77)), None]);
}

#[test]
fn a_tick_that_first_awaits_what_is_there_keeps_its_due_time() {
    let mut stage = stage(
        "export default async function ({ users: [user] }) {
            user.every('1s', async () => { await null; await user.get('/'); await user.get('/'); });
            await user.stay();
        }",
    );
    stage.start(1);
    let ticker = stage.take_calls().into_iter().find_map(|call| match call {
        Call::Every(ticker, ..) => Some(ticker),
        _ => None,
    });
    let due = Nanos(77);
    let ticker = ticker.expect("it ticks");
    stage.wake(Wake::Tick { ticker, due });
    let calls = stage.take_calls();
    let [Call::Http(op, _, call)] = calls.as_slice() else {
        panic!("{calls:?}")
    };
    assert_eq!(call.planned, Some(due));
    stage.done(*op, reply(200, ""));
    assert_eq!(planned(&mut stage), [None]);
}
