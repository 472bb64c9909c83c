//! Detects calls that are in flight when their iteration ends. Nothing awaits them, so an `await` is missing.

use std::cell::RefCell;

use model::{Fault, FaultKind};
use rquickjs::Ctx;

use crate::bundle::Bundle;
use crate::error::ScriptFault;
use crate::stack::{first_place, stack_of};
use crate::work::{Then, Work};

/// Returns the current stack, if the calls of this iteration are traced.
pub(crate) fn trace(ctx: &Ctx<'_>, work: &RefCell<Work>, group: u32) -> Option<Box<str>> {
    let mut work = work.borrow_mut();
    let calls = &mut work.groups.get_mut(group)?.calls_to_trace;
    *calls = calls.checked_sub(1)?;
    drop(work);
    stack_of(ctx).map(String::into_boxed_str)
}

/// Returns the failure of an iteration that left calls in flight.
pub(crate) fn left_in_flight(work: &mut Work, bundle: &Bundle, group: u32) -> Option<ScriptFault> {
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
            .and_then(|stack| first_place(bundle, stack));
        first = first.or(place.map(|place| (place, op.user)));
    }
    if count == 0 {
        return None;
    }
    work.trace_again();
    let (place, user) = first.unzip();
    let calls = if count == 1 {
        "a call was"
    } else {
        "calls were"
    };
    let detail = format!("the iteration ended while {calls} in flight: an `await` is missing");
    let user = user.and_then(|user| work.members.get(user).map(|member| member.about.id));
    Some(ScriptFault {
        frame: place.as_ref().and_then(|place| bundle.frame(place)),
        location: place,
        user,
        ..Fault::script(FaultKind::NotAwaited, detail).into()
    })
}
