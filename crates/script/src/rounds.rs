//! The rounds of an endless loop of awaits, recognised by the numbers of calls in consecutive jobs.

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
    pub(crate) between: u32,
}

impl Rounds {
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Adds the job that ran since the last call. `left` is the number of calls that were left until its stop. Returns
    /// the number of calls after which to stop the next job.
    pub(crate) fn next_limit(&mut self, left: u32) -> u32 {
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
