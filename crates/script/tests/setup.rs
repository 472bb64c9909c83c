//! `setup`, its pool of users, and `teardown`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "functions around tests"
)]

#[path = "common/stage.rs"]
mod common;

use common::{reply, try_stage, user};
use model::GroupId;

#[test]
fn setup_makes_users_and_teardown_sees_what_it_returned() {
    let mut stage = try_stage(
        "export default () => {}; export async function setup({ pool, user, check }) { check('up', true); await user.get('/health');\nconst made = await pool(5, async (u, i) => { await u.post('/users', { json: { i } }); return { i }; }, { atOnce: 2 }); return { made: made.length }; }\nexport async function teardown({ user, setup }) { await user.delete('/all/' + setup.made); }",
    )
    .unwrap();
    stage.script.start_setup(GroupId(9), user(1, 0));
    let mut most = 0;
    for _ in 0..20 {
        let ops = stage.ops();
        most = most.max(ops.len());
        for (op, _) in ops {
            stage.done(op, reply(201, ""));
        }
    }
    assert_eq!(most, 2);
    assert_eq!(
        stage.ended()[0].outcome,
        Ok(Some("{\"made\":5}".to_owned()))
    );
    assert_eq!(stage.host.borrow().pooled.len(), 5);
    assert_eq!(stage.host.borrow().pooled[4].1, "{\"i\":4}");
    let told = stage.host.borrow().pools.clone();
    assert_eq!(told, ["pool of 5, 2 at once", "pool 3 ended"]);
    stage
        .script
        .start_teardown(GroupId(10), user(1, 0), Some("{\"made\":5}"));
    let deletes = stage.ops();
    assert_eq!(deletes[0].1, "DELETE /all/5");
    stage.done(deletes[0].0, reply(204, ""));
    assert_eq!(stage.ended()[0].outcome, Ok(None));
}

#[test]
fn a_pool_that_nobody_awaits_ends_setup_with_what_to_write() {
    let mut stage = try_stage(
        "export default () => {}; export function setup({ pool }) { pool(3, async (u) => { await u.post('/users', { json: {} }); }); }",
    )
    .unwrap();
    stage.script.start_setup(GroupId(9), user(1, 0));
    for (op, _) in stage.ops() {
        stage.done(op, reply(201, ""));
    }
    let ended = format!("{:?}", stage.ended()[0].outcome);
    assert!(ended.contains("write `await pool(…)`"), "{ended}");
}
