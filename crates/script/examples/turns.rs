//! What the script side costs: CPU microseconds per turn of a loop around `await user.get("/")` and a
//! check, answered at once; the same as an iteration of its own; bytes per idle user. A fake host takes
//! its part in both. `cargo run --release -p script --example turns`.
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
use script::{Bundle, DataStore, GroupStart, Limits, Script};

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

const ALL_ONCE: &str = r#"
export default async function ({ everyone }) {
  await everyone(async (user) => {
    const answer = await user.get("/");
    user.check("ok", answer.status === 200);
  });
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

/// Rounds that are measured; the median counts.
const ROUNDS: usize = 9;

/// CPU time of this thread: other programs on the machine must not count.
fn cpu_nanos() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = stat.split_whitespace().next();
    first.and_then(|nanos| nanos.parse().ok()).unwrap_or(0.0)
}

/// The median of `ROUNDS` rounds in microseconds of CPU for each of what a round did.
fn median(mut round: impl FnMut() -> f64) -> f64 {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = cpu_nanos();
            let count = round();
            (cpu_nanos() - start) / 1e3 / count
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}

fn looping(users: u32, turns: u32) -> f64 {
    let (mut script, host) = script(LOOP);
    for id in 0..users {
        script.start_group(group(id + 1, 1));
    }
    let mut ops = Vec::new();
    let each = median(|| {
        for _ in 0..turns {
            ops.clear();
            waiting(&host, &mut ops);
            answer(&mut script, &ops);
        }
        f64::from(turns * users)
    });
    println!("{users} users looping: {each:.2} us per turn");
    each
}

/// Iterations of one request, with so many groups at a time.
fn iterations(source: &str, (groups, members): (u32, u32), turns: u32) -> f64 {
    let (mut script, host) = script(source);
    let starts: Vec<_> = (1..=groups).map(|id| group(id, members)).collect();
    let mut ops = Vec::new();
    let mut iteration = 0;
    let each = median(|| {
        for _ in 0..turns {
            for start in &starts {
                let iteration = {
                    iteration += 1;
                    iteration
                };
                script.start_group(GroupStart {
                    iteration,
                    ..start.clone()
                });
            }
            ops.clear();
            waiting(&host, &mut ops);
            answer(&mut script, &ops);
            for ended in script.take_ended() {
                assert!(ended.outcome.is_ok(), "{:?}", ended.outcome);
                script.cancel_group(ended.group);
            }
        }
        f64::from(turns * groups)
    });
    println!(
        "{groups} groups of {members}, one request per user and iteration: {each:.2} us per iteration"
    );
    each
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
    // One part only, to look at with a profiler.
    if std::env::args().nth(1).as_deref() == Some("once") {
        iterations(ONCE, (50, 1), 3_000);
        return;
    }
    let turn = looping(50, 4_000);
    looping(1000, 200);
    let iteration = iterations(ONCE, (50, 1), 1_000);
    println!(
        "an iteration costs {:.2} us more than a turn",
        iteration - turn
    );
    iterations(ALL_ONCE, (50, 5), 300);
    idle(IDLE_ALONE, 10_000, 1);
    idle(IDLE, 10_000, 1);
    idle(IDLE, 2_000, 5);
}
