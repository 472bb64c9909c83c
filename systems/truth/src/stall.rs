use std::time::Duration;

use crate::clock::Nanos;

/// A schedule of periodic stalls, during which nothing is sent. Its times count from the first request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stall {
    /// Duration of a stall.
    pub(crate) lasts: Nanos,
    /// Time from the start of one stall to the start of the next.
    pub(crate) every: Nanos,
    /// Time from the first request to the start of the first stall.
    pub(crate) first: Nanos,
}

impl Stall {
    /// Creates a schedule. `None` if the duration of a stall is zero, or not shorter than the period.
    pub(crate) fn new(lasts: Duration, every: Duration, first: Duration) -> Option<Self> {
        let nanos = |span: Duration| u64::try_from(span.as_nanos()).ok();
        (!lasts.is_zero() && lasts < every).then_some(Self {
            lasts: nanos(lasts)?,
            every: nanos(every)?,
            first: nanos(first)?,
        })
    }

    /// Returns the time at which data that is ready at `at` may be sent. Also returns the number (from 0) of the stall
    /// that held it, if any.
    pub(crate) fn release(&self, at: Nanos) -> (Nanos, Option<u64>) {
        let Some(since) = at.checked_sub(self.first) else {
            return (at, None);
        };
        let number = since / self.every;
        if since % self.every >= self.lasts {
            return (at, None);
        }
        (self.begin(number) + self.lasts, Some(number))
    }

    /// The start of the stall with this number.
    pub(crate) fn begin(&self, number: u64) -> Nanos {
        self.first + number * self.every
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stall() -> Stall {
        let seconds = Duration::from_secs;
        Stall::new(seconds(1), seconds(10), seconds(5)).unwrap()
    }

    #[test]
    fn what_is_ready_within_a_stall_leaves_at_its_end() {
        let second = 1_000_000_000;
        for (ready, leaves, held) in [
            (0, 0, None),
            (5 * second - 1, 5 * second - 1, None),
            (5 * second, 6 * second, Some(0)),
            (6 * second - 1, 6 * second, Some(0)),
            (6 * second, 6 * second, None),
            (15 * second + 1, 16 * second, Some(1)),
        ] {
            assert_eq!(stall().release(ready), (leaves, held), "{ready}");
        }
    }

    #[test]
    fn a_stall_that_never_ends_is_refused() {
        let second = Duration::from_secs(1);
        assert_eq!(Stall::new(second, second, second), None);
        assert_eq!(Stall::new(Duration::ZERO, second, second), None);
    }
}
