//! Operations. The script sees each as a promise, the engine as an ID.

use model::Fault;
use rquickjs::{Error, Persistent, Promise, Result};

use super::native::Call;
use crate::failure::reject;
use crate::floating::trace;
use crate::host::{Host, OpId};
use crate::work::Then;

/// Starts an operation of the engine and returns its promise. If the engine refuses the operation at once, the promise
/// is rejected.
pub(super) fn begin<'js>(
    call: &Call<'_, 'js>,
    (group, user): (u32, u32),
    then: Then,
    ask: impl FnOnce(&mut dyn Host, OpId) -> std::result::Result<(), Fault>,
) -> Result<Promise<'js>> {
    let stack = trace(&call.ctx, &call.state.work, group);
    begin_from(call, (group, user), then, stack, ask)
}

/// Like [`begin`], for a call that was made at the location in `stack`.
pub(super) fn begin_from<'js>(
    call: &Call<'_, 'js>,
    (group, user): (u32, u32),
    then: Then,
    stack: Option<Box<str>>,
    ask: impl FnOnce(&mut dyn Host, OpId) -> std::result::Result<(), Fault>,
) -> Result<Promise<'js>> {
    let Call { ctx, state, .. } = call;
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
    let asked = ask(&mut *call.host(), op);
    if let Err(fault) = asked {
        let op = state.work.borrow_mut().take_op(op).ok_or(Error::Unknown)?;
        reject(ctx, state, op.reject, &fault)?;
    }
    Ok(promise)
}
