//! Detects calls that are in flight when their iteration ends. Nothing awaits them, so an `await` is missing.

use model::{Fault, FaultKind};
use rquickjs::{Ctx, Exception};

use crate::error::ScriptFault;
use crate::fault::first_place;
use crate::state::State;
use crate::work::Then;

/// Number of iterations of a worker whose calls are traced. The worker traces its first iterations, and as many again
/// after each iteration that left calls in flight. A trace costs more than the call.
pub(crate) const TRACED: u32 = 8;

/// Number of traced calls per iteration. Once an iteration has left a call in flight, all calls are traced. Without
/// this limit, an iteration that loops for the whole run would pay for every call.
pub(crate) const TRACED_CALLS: u32 = 100;

/// Returns the current stack.
pub(crate) fn stack_of(ctx: &Ctx<'_>) -> Option<String> {
    // Only a thrown error has a stack.
    let _ = Exception::throw_message(ctx, "");
    let thrown = ctx.catch();
    thrown.as_object()?.get("stack").ok()
}

impl State {
    /// Returns the current stack, if the calls of this iteration are traced.
    pub(crate) fn trace(&self, ctx: &Ctx<'_>, group: u32) -> Option<Box<str>> {
        let mut work = self.work.borrow_mut();
        let calls = &mut work.groups.get_mut(group)?.calls_to_trace;
        *calls = calls.checked_sub(1)?;
        drop(work);
        stack_of(ctx).map(String::into_boxed_str)
    }

    /// Returns the failure of an iteration that left calls in flight.
    pub(crate) fn floating(&self, group: u32) -> Option<ScriptFault> {
        let mut work = self.work.borrow_mut();
        if work.groups.get(group)?.may_leave {
            return None;
        }
        let mut count = 0_usize;
        let mut first = None;
        for op in work.ops_of(group) {
            if op.background || op.then == Then::Closing {
                continue;
            }
            count += 1;
            let place = op
                .stack
                .as_deref()
                .and_then(|stack| first_place(self, stack));
            first = first.or(place.map(|place| (place, op.user)));
        }
        if count == 0 {
            return None;
        }
        work.to_trace = TRACED;
        work.calls_to_trace = u32::MAX;
        let (place, user) = first.unzip();
        let calls = if count == 1 {
            "a call was"
        } else {
            "calls were"
        };
        let detail = format!("the iteration ended while {calls} in flight: an `await` is missing");
        let user = user.and_then(|user| work.members.get(user).map(|member| member.about.id));
        Some(ScriptFault {
            frame: place
                .as_ref()
                .and_then(|place| self.material.bundle.frame(place)),
            location: place,
            user,
            ..Fault::script(FaultKind::NotAwaited, detail).into()
        })
    }
}
