//! Stacks as the script engine writes them: one line per call.

use rquickjs::{Ctx, Exception};

use crate::bundle::Bundle;
use crate::frame::Location;

/// Returns the current stack.
pub(crate) fn stack_of(ctx: &Ctx<'_>) -> Option<String> {
    // Only a thrown error has a stack.
    let _ = Exception::throw_message(ctx, "");
    let thrown = ctx.catch();
    thrown.as_object()?.get("stack").ok()
}

/// Returns the innermost location in a stack that is in the scenario's own files.
pub(crate) fn first_place(bundle: &Bundle, stack: &str) -> Option<Location> {
    let calls = user_calls(bundle, stack);
    calls.into_iter().next().map(|(place, _)| place)
}

/// Returns the lines of a stack that refer to the scenario's own files.
pub(crate) fn user_calls<'s>(bundle: &Bundle, stack: &'s str) -> Vec<(Location, &'s str)> {
    let call = |line: &'s str| {
        Some((Location::of_call(line)?, line)).filter(|(at, _)| bundle.has(&at.file))
    };
    stack.lines().filter_map(call).collect()
}
