//! The cost of a user who only listens: memory of the script engine in bytes, and the time of one garbage collection of
//! all users. `cargo bench -p script --bench idle`.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench program for people, which takes the time"
)]

use std::time::Instant;

use asked::Asked;
use common::group;
use script::host::{SocketId, Value, Wake};

#[path = "../tests/common/asked.rs"]
mod asked;
#[path = "../tests/common/stage.rs"]
mod common;

const EVERYONE: &str = r#"
export default async function ({ everyone }) {
  await everyone(async (user) => {
    const socket = await user.websocket("/ws");
    await user.stay();
  });
}"#;

const ALONE: &str = r#"
export default async function ({ users: [user] }) {
  const socket = await user.websocket("/ws");
  await user.stay();
}"#;

fn idle(source: &str, groups: u32, members: u32) {
    let mut asked = Asked::new(source);
    let before = asked.script.memory_used() as f64;
    let mut sockets = 0;
    for id in 1..=groups {
        asked.script.start_group(group(id, members));
        asked.take();
        for &op in &asked.ops {
            sockets += 1;
            let result = Ok(Value::Socket(SocketId(sockets), None));
            let opened = Wake::Done { op, result };
            asked.script.turn(&mut std::iter::once(opened));
        }
        asked.take(); // the calls of `stay`
    }
    assert_eq!(sockets, groups * members, "each has its socket");
    let each = (asked.script.memory_used() as f64 - before) / f64::from(sockets);
    let begun = Instant::now();
    asked.script.collect_garbage();
    let pause = begun.elapsed().as_secs_f64() * 1e3;
    println!(
        "{sockets} idle users with a socket, in groups of {members}: {each:.0} B each; one garbage collection: {pause:.1} ms"
    );
}

fn main() {
    idle(ALONE, 10_000, 1);
    idle(EVERYONE, 10_000, 1);
    idle(EVERYONE, 2_000, 5);
}
