//! Stops an endless loop of awaits (`for (;;) await null`) at a point where the error has a location.
//!
//! The script engine counts calls and jumps, and polls the watch after a fixed number of them. One round of such a loop
//! has only a few calls and jumps, and their number divides the fixed number evenly. The watch is therefore polled at
//! the same point of each round. If that point is the call that resumes the function, its frame is not on the stack
//! yet, and the error has no location. Additional calls between two jobs move that point.

use rquickjs::{Ctx, Function};

use crate::script::Script;

/// Number of calls and jumps from the start of a job to the first one inside the resumed function: the reaction, the
/// resumed function, and the function's first jump.
const INSIDE: u32 = 3;

/// An upper bound for the number of calls between two polls, in any version of the script engine.
const ENOUGH: u32 = 1_000_000;

impl Script {
    /// Called between two jobs of a step that has used up its budget. Makes the next poll happen inside the function
    /// that the next job resumes.
    pub(crate) fn pinpoint(&self) {
        self.state.watch.aim(true);
        self.context.with(|ctx| {
            // If this fails, the error has no location, as without this function.
            if self.count_on(&ctx).is_err() {
                ctx.catch();
            }
        });
        self.state.watch.aim(false);
    }

    fn count_on(&self, ctx: &Ctx<'_>) -> rquickjs::Result<()> {
        let nothing: Function<'_> = ctx.eval("() => {}")?;
        self.calls_to_look(&nothing)?;
        let between = self.calls_to_look(&nothing)?;
        for _ in 0..between.saturating_sub(INSIDE) {
            nothing.call::<_, ()>(())?;
        }
        Ok(())
    }

    /// Returns the number of calls until the watch is polled.
    fn calls_to_look(&self, nothing: &Function<'_>) -> rquickjs::Result<u32> {
        let watch = &self.state.watch;
        let before = watch.polls();
        for calls in 1..=ENOUGH {
            nothing.call::<_, ()>(())?;
            if watch.polls() != before {
                return Ok(calls);
            }
        }
        Ok(0)
    }
}
