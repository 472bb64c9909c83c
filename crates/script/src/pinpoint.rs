//! Stops a loop that awaits without end (`for (;;) await null`) where it has a place.
//!
//! The engine counts calls and jumps, and asks the watch at every so many of them. The few of them in one
//! round of such a loop divide that number evenly, so that the watch is asked at the same point of
//! each round; if that is the call that resumes the function, no frame of it is on the stack yet,
//! and the error has no place. Between two jobs we therefore move the count on by calls of our own.

use rquickjs::{Ctx, Function};

use crate::script::Script;

/// Calls and jumps from the beginning of a job to the first inside a resumed function: the
/// reaction, the resumed function, its own first jump.
const INSIDE: u32 = 3;

/// More calls than lie between two looks of the watch, in any version of the engine.
const ENOUGH: u32 = 1_000_000;

impl Script {
    /// Between two jobs of a step that has used up its budget: the next look of the watch will be
    /// inside the function that the next job resumes.
    pub(crate) fn pinpoint(&self) {
        self.state.watch.aim(true);
        self.context.with(|ctx| {
            // Without a place if this fails, as it would have been anyway.
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

    /// How many calls it takes until the watch is asked.
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
