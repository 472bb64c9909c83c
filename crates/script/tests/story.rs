//! A story from its start to its end.

#[path = "common/stage.rs"]
mod common;

use common::{reply, stage, story};
use script::host::Value;

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
    assert_eq!(stage.host.borrow().checks[0].1, "found");
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
