use std::time::Duration;

use crate::clock::Nanos;

/// Again and again nothing leaves for a while. The clock of a schedule starts at its first request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stall {
    /// How long a stall lasts.
    pub(crate) lasts: Nanos,
    /// From the begin of one to the begin of the next.
    pub(crate) every: Nanos,
    /// From the first request to the begin of the first stall.
    pub(crate) first: Nanos,
}

impl Stall {
    /// `None` when a stall lasts no time, or as long as its period.
    pub(crate) fn new(lasts: Duration, every: Duration, first: Duration) -> Option<Self> {
        let nanos = |span: Duration| u64::try_from(span.as_nanos()).ok();
        (!lasts.is_zero() && lasts < every).then_some(Self {
            lasts: nanos(lasts)?,
            every: nanos(every)?,
            first: nanos(first)?,
        })
    }

    /// When something may leave that is ready `at` so long after the first request, and which stall
    /// held it (counted from 0).
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

    /// When this stall begins, after the first request.
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
