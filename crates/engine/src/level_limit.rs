//! The time by which a level must have ended. A level that takes longer is a bug of headcount.

use model::Nanos;

use crate::in_flight::Awaited;
use crate::outcome::RunError;

/// Control gives up a level, `setup` or `teardown` that exceeds its own limits by more than this.
pub(crate) const OVERDUE: Nanos = Nanos::from_secs(30);

/// The time limit of a level, which grows with the time limits of the operations in flight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LevelLimit {
    settle: Nanos,
    total: Nanos,
    until: Nanos,
    /// The latest second that a worker reported, and the operations for which the workers still waited in that second.
    latest: (u64, Awaited),
}

impl LevelLimit {
    /// `end`: the end of the measured time. `total`: the time limit of an operation.
    pub(crate) fn of(end: Nanos, settle: Nanos, total: Nanos) -> Self {
        let mut limit = Self {
            settle,
            total,
            until: Nanos::ZERO,
            latest: (0, Awaited::default()),
        };
        limit.extend(end + total);
        limit
    }

    /// Notes a worker's report for a second: the operations that it awaits.
    pub(crate) fn report(&mut self, second: u64, awaited: Awaited) {
        if self.latest.0 < second {
            self.latest = (second, Awaited::default());
        }
        if awaited.count > 0 {
            self.latest.1.merge(awaited);
            self.extend(awaited.until);
        }
    }

    /// The operations for which the workers still waited in the latest reported second.
    pub(crate) fn awaited(&self) -> Awaited {
        self.latest.1
    }

    /// The error if the level should have ended before `now`.
    pub(crate) fn overdue(&self, now: Nanos) -> Option<RunError> {
        let why = "a level did not end within its time limits";
        (now > self.until).then(|| RunError::Generator(why.to_owned()))
    }

    /// Extends the limit for operations that end by `operations`. Deliveries then settle within twice `settle`, and those
    /// to passive audiences within another `settle`. Users who stayed end their operations within the time limits.
    fn extend(&mut self, operations: Nanos) {
        let settle = self.settle + self.settle + self.settle;
        let until = operations + settle + self.total + OVERDUE;
        self.until = self.until.max(until);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A level whose measured time ends at 11 s. Deliveries settle within 5 s, and operations take up to 7 s.
    fn limit() -> LevelLimit {
        let [end, settle, total] = [11, 5, 7].map(Nanos::from_secs);
        LevelLimit::of(end, settle, total)
    }

    fn awaited(count: u64, until_s: u64) -> Awaited {
        Awaited {
            count,
            until: Nanos::from_secs(until_s),
        }
    }

    #[test]
    fn a_level_must_end_soon_after_its_operations() {
        // Operations end at 18 s, deliveries at 28 s, those to audiences at 33 s, users who stayed at 40 s.
        let limit = limit();
        assert!(limit.overdue(Nanos::from_secs(70)).is_none());
        assert!(limit.overdue(Nanos::from_secs(70) + Nanos(1)).is_some());
    }

    #[test]
    fn an_operation_in_flight_extends_the_limit_and_never_shortens_it() {
        let mut limit = limit();
        limit.report(12, awaited(1, 30));
        assert!(limit.overdue(Nanos::from_secs(82)).is_none());
        limit.report(13, awaited(1, 20));
        assert!(limit.overdue(Nanos::from_secs(82)).is_none());
        assert!(limit.overdue(Nanos::from_secs(83)).is_some());
        limit.report(14, awaited(0, 500));
        assert!(limit.overdue(Nanos::from_secs(83)).is_some());
    }

    #[test]
    fn the_workers_reports_of_one_second_are_added_up() {
        let mut limit = limit();
        limit.report(12, awaited(3, 14));
        limit.report(12, awaited(2, 16));
        assert_eq!(limit.awaited(), awaited(5, 16));
        limit.report(13, awaited(1, 15));
        assert_eq!(limit.awaited(), awaited(1, 15));
        limit.report(12, awaited(1, 17)); // late, and still in flight
        assert_eq!(limit.awaited(), awaited(2, 17));
        limit.report(14, awaited(0, 0));
        assert_eq!(limit.awaited(), Awaited::default());
    }
}
