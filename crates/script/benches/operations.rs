//! The cost of the script side, with a fake host that responds at once. One benchmark runs a turn of a loop around
//! `await user.get("/")` and a check, another runs both as a whole iteration. The figures include the fake host.

use asked::Asked;
use common::group;
use model::Nanos;
use operation::Operation;
use script::GroupStart;
use script::host::{Reply, SocketId, TickerId, Value, Wake};

#[path = "../tests/common/asked.rs"]
mod asked;
#[path = "../tests/common/stage.rs"]
mod common;
#[path = "../../../bench/operation.rs"]
mod operation;

/// Number of wakes per turn.
const BATCH: usize = 64;

const LOOP: &str = r#"
export default async function ({ everyone }) {
  await everyone(async (user) => {
    for (;;) {
      const answer = await user.get("/");
      user.check("ok", answer.status === 200);
    }
  });
}"#;

const ONCE: &str = r#"
export default async function ({ users: [user] }) {
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

/// The caret messages of `scenarios/editor-room.ts`.
const CARETS: &str = r#"
export default async function ({ id, everyone, channel }) {
  const carets = channel("caret", { to: "others" });
  await everyone(async (user) => {
    const socket = await user.socketio();
    user.every("500ms", () => {
      socket.emit("cursor-change", { roomId: id, cursor: { line: 1, ch: 2, tag: carets.stamp(user) }, username: user.name });
    });
    await user.stay();
  });
}"#;

/// The edits of `scenarios/editor-room.ts`, each with a whole document of 2,000 characters.
const EDITS: &str = r#"
const text = "const half = (n) => n / 2; // of it\n".repeat(56);
export default async function ({ id, everyone, channel }) {
  const edits = channel("edit", { to: "others" });
  await everyone(async (user) => {
    const socket = await user.socketio();
    user.every("2s", () => {
      socket.emit("code-change", { roomId: id, code: edits.stamp(user, text) });
    });
    await user.stay();
  });
}"#;

/// Answers every request with an empty 200 response.
fn answer(asked: &mut Asked) {
    asked.take();
    let reply = Reply {
        status: 200,
        ..Reply::default()
    };
    let value = Value::Response(Box::new(reply));
    for batch in asked.ops.chunks(BATCH) {
        let mut wakes = batch.iter().map(|&op| Wake::Done {
            op,
            result: Ok(value.clone()),
        });
        asked.script.turn(&mut wakes);
    }
}

/// In each round, every user gets a response and sends the next request.
fn turns(name: &'static str, users: u32) -> Operation {
    Operation::new(name, users, move || {
        let mut asked = Asked::new(LOOP);
        for id in 1..=users {
            asked.script.start_group(group(id, 1));
        }
        move || answer(&mut asked)
    })
}

/// In each round, every group starts, each of its users sends one request, and the group ends.
fn iterations(
    name: &'static str,
    source: &'static str,
    (groups, members): (u32, u32),
) -> Operation {
    Operation::new(name, groups, move || {
        let mut asked = Asked::new(source);
        let starts: Vec<GroupStart> = (1..=groups).map(|id| group(id, members)).collect();
        let mut iteration = 0;
        move || {
            for start in &starts {
                iteration += 1;
                asked.script.start_group(GroupStart {
                    iteration,
                    ..start.clone()
                });
            }
            answer(&mut asked);
            let ended = asked.script.take_ended();
            assert_eq!(ended.len(), starts.len(), "all groups have ended");
            for group in ended {
                assert!(group.outcome.is_ok(), "{:?}", group.outcome);
                asked.script.cancel_group(group.group);
            }
        }
    })
}

/// In each round, the ticker of every user ticks once.
fn ticks(name: &'static str, source: &'static str, users: u32) -> Operation {
    Operation::new(name, users, move || {
        let mut asked = Asked::new(source);
        (1..=users).for_each(|id| asked.script.start_group(group(id, 1)));
        asked.take();
        let opened = asked.ops.iter().zip(0..).map(|(&op, id)| Wake::Done {
            op,
            result: Ok(Value::Socket(SocketId(id), None)),
        });
        asked
            .script
            .turn(&mut opened.collect::<Vec<_>>().into_iter());
        asked.take();
        move || {
            let mut ticks = (1..=users).map(|ticker| Wake::Tick {
                ticker: TickerId(ticker),
                due: Nanos::from_secs(1),
            });
            asked.script.turn(&mut ticks);
            assert_eq!(asked.sent(), users as usize);
        }
    })
}

fn main() {
    let operations = vec![
        turns("a turn with a request and a check, 50 users", 50),
        turns("a turn with a request and a check, 1,000 users", 1000),
        iterations(
            "an iteration with a request and a check, 50 groups",
            ONCE,
            (50, 1),
        ),
        iterations(
            "an iteration of five users with a request each, 50 groups",
            ALL_ONCE,
            (50, 5),
        ),
        ticks("an emit over Socket.IO with a stamp, 50 users", CARETS, 50),
        ticks(
            "an emit of 2 KB over Socket.IO with a stamp, 50 users",
            EDITS,
            50,
        ),
    ];
    operation::run("script", operations);
}
