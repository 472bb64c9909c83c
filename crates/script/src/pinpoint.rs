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

use rquickjs::{Ctx, Function};

use crate::script::Script;

/// Number of calls and jumps from the start of a job into the resumed function: the reaction, the call of the resumed
/// function, and that function's first jump.
const INSIDE: u32 = 3;

/// Number of calls after which a job is stopped during counting. A job with this many calls is inside a function of the
/// user.
const FAR: u32 = 64;

/// Minimum number of jobs to count: two rounds of up to five jobs. Counting a job takes about a millisecond.
const COUNTED: usize = 10;

/// Number of counted jobs after which any job is stopped, because no rounds are recognisable.
const MOST_COUNTED: usize = 40;

/// The calls of consecutive jobs.
#[derive(Default)]
pub(crate) struct Rounds {
    calls: Vec<u32>,
    /// Number of calls after which the last job would have been stopped.
    limit: u32,
    /// Number of calls between two polls.
    between: u32,
}

impl Rounds {
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Adds the job that ran since the last call. `left` is the number of calls that were left until its stop. Returns
    /// the number of calls after which to stop the next job.
    fn next_limit(&mut self, left: u32) -> u32 {
        if self.limit > 0 {
            self.calls.push(self.limit.saturating_sub(left));
        }
        self.limit = if self.is_longest_next() { INSIDE } else { FAR };
        self.limit
    }

    /// Whether the next job is the longest of its round. A round is the shortest repeating sequence of call counts.
    fn is_longest_next(&self) -> bool {
        if self.calls.len() < COUNTED {
            return false;
        }
        let last = &self.calls[self.calls.len() - COUNTED..];
        let repeats = |length: &usize| last.iter().zip(&last[*length..]).all(|(a, b)| a == b);
        match (1..=COUNTED / 2).find(repeats) {
            Some(length) => Some(&last[COUNTED - length]) == last.iter().max(),
            None => self.calls.len() >= MOST_COUNTED,
        }
    }
}

/// An upper bound for the number of calls between two polls, in any version of the script engine.
const ENOUGH: u32 = 1_000_000;

impl Script {
    /// Called between two jobs of a step that has used up its budget. Makes the next poll happen inside the function
    /// that the next job resumes.
    pub(crate) fn pinpoint(&self) {
        self.state.watch.aim(true);
        self.context.with(|ctx| {
            // If counting fails, the error has no location, as it would have none without this function.
            if self.count_on(&ctx).is_err() {
                ctx.catch();
            }
        });
        self.state.watch.aim(false);
    }

    fn count_on(&self, ctx: &Ctx<'_>) -> rquickjs::Result<()> {
        let nothing: Function<'_> = ctx.eval("() => {}")?;
        let left = self.calls_to_look(&nothing)?;
        let rounds = &self.state.watch.rounds;
        let mut between = rounds.borrow().between;
        if between == 0 {
            between = self.calls_to_look(&nothing)?;
            rounds.borrow_mut().between = between;
        }
        let limit = rounds.borrow_mut().next_limit(left);
        for _ in 0..between.saturating_sub(limit) {
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

#[cfg(test)]
mod tests {
    use super::{COUNTED, FAR, INSIDE, MOST_COUNTED, Rounds};

    /// Returns the index of the job that is stopped, when rounds of these jobs are repeated.
    fn stopped(round: &[u32]) -> usize {
        let mut rounds = Rounds::default();
        let mut limit = rounds.next_limit(0);
        for (index, calls) in round.iter().cycle().enumerate() {
            if limit == INSIDE {
                return index;
            }
            assert!(index < 10 * COUNTED);
            limit = rounds.next_limit(FAR - calls);
        }
        0
    }

    #[test]
    fn the_longest_job_of_a_round_is_stopped() {
        for (round, longest) in [
            (&[4][..], 0),
            (&[3, 9], 1),
            (&[9, 3], 0),
            (&[3, 3, 7, 4], 2),
            (&[3, 8, 8], 1),
        ] {
            let stopped = stopped(round);
            assert!(stopped >= COUNTED, "{round:?}");
            assert_eq!(round[stopped % round.len()], round[longest], "{round:?}");
        }
    }

    #[test]
    fn without_rounds_a_job_is_stopped_all_the_same() {
        let jobs: Vec<u32> = (1..60).collect();
        assert_eq!(stopped(&jobs), MOST_COUNTED);
    }
}
