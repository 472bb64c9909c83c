//! What the script side costs: microseconds per iteration of `await user.get("/")` and a check,
//! answered at once; bytes per idle user. `cargo run --release -p script --example turns`.
#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a bench program for people"
)]

#[path = "../tests/common/stage.rs"]
mod common;

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::time::SystemTime;

use common::{Call, FakeHost, group};
use script::host::{OpId, Reply, SocketId, Value, Wake};
use script::{Bundle, DataStore, Limits, Script};

const LOOP: &str = r#"
export default async function ({ users, everyone }) {
  await everyone(async (user) => {
    for (;;) {
      const answer = await user.get("/");
      user.check("ok", answer.status === 200);
    }
  });
}"#;

const ONCE: &str = r#"
export default async function ({ users }) {
  const user = users[0];
  const answer = await user.get("/");
  user.check("ok", answer.status === 200);
}"#;

const IDLE: &str = r#"
export default async function ({ everyone }) {
  await everyone(async (user) => {
    const socket = await user.websocket("/ws");
    await user.stay();
  });
}"#;

const IDLE_ALONE: &str = r#"
export default async function ({ users: [user] }) {
  const socket = await user.websocket("/ws");
  await user.stay();
}"#;

/// Wakes handed over in one turn.
const BATCH: usize = 64;

fn script(source: &str) -> (Script, Rc<RefCell<FakeHost>>) {
    let host = Rc::new(RefCell::new(FakeHost::default()));
    let bundle = Bundle::embedded("bench.ts", source).expect("it compiles");
    let data = DataStore::new(Path::new("."));
    let script = Script::load(&bundle, &data, host.clone(), Limits::default()).expect("it loads");
    (script, host)
}

/// The requests that wait, taken from the host.
fn waiting(host: &RefCell<FakeHost>, ops: &mut Vec<OpId>) {
    let mut host = host.borrow_mut();
    host.checks.clear();
    ops.extend(host.calls.drain(..).filter_map(|call| match call {
        Call::Http(op, ..) | Call::Open(op, ..) | Call::Op(op, _) => Some(op),
        _ => None,
    }));
}

fn micros_since(start: SystemTime) -> f64 {
    start
        .elapsed()
        .map_or(0.0, |elapsed| elapsed.as_secs_f64() * 1e6)
}

fn answer(script: &mut Script, ops: &[OpId]) {
    let reply = Reply {
        status: 200,
        ..Reply::default()
    };
    let value = Value::Response(Box::new(reply));
    for batch in ops.chunks(BATCH) {
        let mut wakes = batch.iter().map(|&op| Wake::Done {
            op,
            result: Ok(value.clone()),
        });
        script.turn(&mut wakes);
    }
}

fn looping(users: u32, rounds: usize) {
    let (mut script, host) = script(LOOP);
    for id in 0..users {
        script.start_group(group(id + 1, 1));
    }
    let mut ops = Vec::new();
    let mut best = f64::MAX;
    for _ in 0..5 {
        let mut count = 0;
        let start = SystemTime::now();
        for _ in 0..rounds {
            ops.clear();
            waiting(&host, &mut ops);
            answer(&mut script, &ops);
            count += ops.len();
        }
        best = best.min(micros_since(start) / count as f64);
    }
    println!("{users} users looping: {best:.2} us per iteration (best of 5)");
}

/// Iterations of one request, with so many groups at a time.
fn iterations(groups: u32, rounds: u32) {
    let (mut script, host) = script(ONCE);
    let starts: Vec<_> = (1..=groups).map(|id| group(id, 1)).collect();
    let mut ops = Vec::new();
    let mut best = f64::MAX;
    for _ in 0..5 {
        let start = SystemTime::now();
        for _ in 0..rounds {
            for start in &starts {
                script.start_group(start.clone());
            }
            ops.clear();
            waiting(&host, &mut ops);
            answer(&mut script, &ops);
            for ended in script.take_ended() {
                assert!(ended.outcome.is_ok());
                script.cancel_group(ended.group);
            }
        }
        best = best.min(micros_since(start) / f64::from(rounds * groups));
    }
    println!("{groups} users, one request per iteration: {best:.2} us per iteration (best of 5)");
}

fn idle(source: &str, groups: u32, members: u32) {
    let (mut script, host) = script(source);
    let users = groups * members;
    let before = script.memory_used() as f64;
    let mut ops = Vec::new();
    for id in 0..groups {
        script.start_group(group(id + 1, members));
        ops.clear();
        waiting(&host, &mut ops);
        for (at, &op) in ops.iter().enumerate() {
            let socket = SocketId(id * members + u32::try_from(at).unwrap_or(0));
            let result = Ok(Value::Socket(socket, None));
            script.turn(&mut std::iter::once(Wake::Done { op, result }));
        }
        host.borrow_mut().calls.clear();
    }
    let each = (script.memory_used() as f64 - before) / f64::from(users);
    let start = SystemTime::now();
    script.collect_garbage();
    println!(
        "{users} idle users with a socket, in groups of {members}: {each:.0} B each; one garbage collection: {:.1} ms",
        micros_since(start) / 1e3
    );
}

fn main() {
    looping(50, 20_000);
    looping(1000, 1000);
    iterations(50, 6_000);
    idle(IDLE_ALONE, 10_000, 1);
    idle(IDLE, 10_000, 1);
    idle(IDLE, 2_000, 5);
}
