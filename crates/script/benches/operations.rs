//! What the script side costs, with a host that answers at once: a turn of a loop around `await user.get("/")`
//! and a check, and the same as an iteration of its own. What the fake host does is counted too.

use asked::Asked;
use common::group;
use operation::Operation;
use script::GroupStart;
use script::host::{Reply, Value, Wake};

#[path = "../tests/common/asked.rs"]
mod asked;
#[path = "../tests/common/stage.rs"]
mod common;
#[path = "../../../bench/operation.rs"]
mod operation;

/// Wakes handed over in one turn.
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

/// Gives every request an empty 200.
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

/// Every user asks, is answered and asks again.
fn turns(name: &'static str, users: u32) -> Operation {
    Operation::new(name, users, move || {
        let mut asked = Asked::new(LOOP);
        for id in 1..=users {
            asked.script.start_group(group(id, 1));
        }
        move || answer(&mut asked)
    })
}

/// Every group starts, its users ask once, and it ends.
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
    ];
    operation::run("script", operations);
}
