//! Stops an endless loop of awaits (`for (;;) await null`) at a point where the error has a location.
//!
//! The script engine counts calls and jumps, and polls the watch after a fixed number of them. One round of such a loop
//! has only a few calls and jumps, and their number divides the fixed number evenly. The watch is therefore polled at
//! the same point of each round. If that point is the call that resumes the function, the function's frame is not on
//! the stack yet, and the error has no location. Additional calls between two jobs move that point.
//!
//! A round may consist of several jobs. The short jobs have no location either: they only settle a promise, outside any
//! function of the user. Several rounds therefore run first, and their calls are counted to find the longest job of a
//! round.

use rquickjs::{Context, Ctx, Function, Result};

use crate::watch::Watch;

/// An upper bound for the number of calls between two polls, in any version of the script engine.
const ENOUGH: u32 = 1_000_000;

/// Called between two jobs of a step that has used up its budget. Makes the next poll happen inside the function that
/// the next job resumes.
pub(crate) fn pinpoint(context: &Context, watch: &Watch) {
    watch.aim(true);
    context.with(|ctx| {
        // If counting fails, the error has no location, as it would have none without this function.
        if count_on(&ctx, watch).is_err() {
            ctx.catch();
        }
    });
    watch.aim(false);
}

fn count_on(ctx: &Ctx<'_>, watch: &Watch) -> Result<()> {
    let nothing: Function<'_> = ctx.eval("() => {}")?;
    let left = calls_to_look(watch, &nothing)?;
    let rounds = &watch.rounds;
    let mut between = rounds.borrow().between;
    if between == 0 {
        between = calls_to_look(watch, &nothing)?;
        rounds.borrow_mut().between = between;
    }
    let limit = rounds.borrow_mut().next_limit(left);
    for _ in 0..between.saturating_sub(limit) {
        nothing.call::<_, ()>(())?;
    }
    Ok(())
}

/// Returns the number of calls until the watch is polled.
fn calls_to_look(watch: &Watch, nothing: &Function<'_>) -> Result<u32> {
    let before = watch.polls();
    for calls in 1..=ENOUGH {
        nothing.call::<_, ()>(())?;
        if watch.polls() != before {
            return Ok(calls);
        }
    }
    Ok(0)
}
