//! Operations. The script sees each as a promise, the engine as an ID.

use model::{Fault, UserId};
use rquickjs::{Ctx, Error, Persistent, Promise, Result};

use super::arg::ended;
use crate::failure::reject;
use crate::floating::trace;
use crate::host::{Host, OpId};
use crate::state::State;
use crate::work::Then;

/// Returns the user with this key, and the key of the user's group.
pub(super) fn user(ctx: &Ctx<'_>, state: &State, key: u32) -> Result<(UserId, u32)> {
    let work = state.work.borrow();
    let member = work
        .members
        .get(key)
        .map(|member| (member.about.id, member.group));
    member.ok_or_else(|| ended(ctx))
}

/// Starts an operation of the engine and returns its promise. If the engine refuses the operation at once, the promise
/// is rejected.
pub(super) fn begin<'js>(
    ctx: &Ctx<'js>,
    state: &State,
    (group, user): (u32, u32),
    then: Then,
    ask: impl FnOnce(&mut dyn Host, OpId) -> std::result::Result<(), Fault>,
) -> Result<Promise<'js>> {
    let stack = trace(ctx, &state.work, group);
    begin_from(ctx, state, (group, user), then, stack, ask)
}

/// Like [`begin`], for a call that was made at the location in `stack`.
pub(super) fn begin_from<'js>(
    ctx: &Ctx<'js>,
    state: &State,
    (group, user): (u32, u32),
    then: Then,
    stack: Option<Box<str>>,
    ask: impl FnOnce(&mut dyn Host, OpId) -> std::result::Result<(), Fault>,
) -> Result<Promise<'js>> {
    // Creating a promise fails only when memory runs out. Rejecting a promise may then fail as well.
    let (promise, resolve, refuse) = ctx
        .promise()
        .inspect_err(|_| state.outcome.borrow_mut().memory_full = true)?;
    let kept = (
        Persistent::save(ctx, resolve),
        Persistent::save(ctx, refuse),
    );
    let called = (state.now.background.get(), stack);
    let op = state
        .work
        .borrow_mut()
        .add_op((group, user), then, kept, called)
        .ok_or(Error::Allocation)?;
    let asked = ask(&mut *state.host.borrow_mut(), op);
    if let Err(fault) = asked {
        let op = state.work.borrow_mut().take_op(op).ok_or(Error::Unknown)?;
        reject(ctx, state, op.reject, &fault)?;
    }
    Ok(promise)
}
