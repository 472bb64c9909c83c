//! The due times of the ticks of `every`. They do not depend on any response.
//!
//! Tick k is due at `start + first + k × period`, regardless of earlier ticks. A late tick still fires once, in order
//! and with its own due time. No tick is moved or added, so a stall of the generator appears as start lag of the
//! delayed ticks.

use model::Nanos;

/// The due times of the ticks of one `every`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticker {
    first: Nanos,
    period: Nanos,
    fired: u64,
}

impl Ticker {
    /// A ticker whose first tick is due at `start + first`. A period of zero counts as one nanosecond.
    pub fn new(start: Nanos, first: Nanos, period: Nanos) -> Self {
        Self {
            first: start + first,
            period: Nanos(period.0.max(1)),
            fired: 0,
        }
    }

    /// The due time of tick `k`, counted from 0. [`Nanos::MAX`] if it is beyond the range of [`Nanos`].
    pub fn due(&self, k: u64) -> Nanos {
        self.first + Nanos(self.period.0.saturating_mul(k))
    }

    /// The due time of the next tick that has not fired. It may be in the past.
    pub fn next_due(&self) -> Nanos {
        self.due(self.fired)
    }

    /// The number of ticks that are due at `now` (inclusive) and have not fired.
    pub fn overdue(&self, now: Nanos) -> u64 {
        self.due_by(now).saturating_sub(self.fired)
    }

    /// Fires the next tick if it is due at `now`, and returns its due time. Call it in a loop: it returns each overdue
    /// tick once, in order.
    pub fn fire(&mut self, now: Nanos) -> Option<Nanos> {
        let due = self.next_due();
        (due <= now && due < Nanos::MAX).then(|| {
            self.fired += 1;
            due
        })
    }

    /// Drops up to `count` overdue ticks without firing them, and returns the number dropped. The caller uses this for
    /// ticks that would start more than the generator can run at once, and counts the dropped ticks.
    pub fn drop_overdue(&mut self, now: Nanos, count: u64) -> u64 {
        let dropped = self.overdue(now).min(count);
        self.fired += dropped;
        dropped
    }

    /// The number of ticks due up to and including `now`, fired or not.
    pub fn due_by(&self, now: Nanos) -> u64 {
        match now.0.checked_sub(self.first.0) {
            Some(past) => (past / self.period.0).saturating_add(1),
            None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn late_ticks_fire_once_each_at_their_own_time() {
        let mut ticker = Ticker::new(Nanos(1000), Nanos(50), Nanos(100));
        assert_eq!(ticker.fire(Nanos(1049)), None, "not due yet");
        assert_eq!(
            ticker.fire(Nanos(1050)),
            Some(Nanos(1050)),
            "due to the nanosecond"
        );
        assert_eq!(ticker.fire(Nanos(1051)), None, "once only");
        assert_eq!(ticker.overdue(Nanos(1350)), 3, "a stall made three overdue");
        let late: Vec<_> = std::iter::from_fn(|| ticker.fire(Nanos(1350))).collect();
        assert_eq!(late, [Nanos(1150), Nanos(1250), Nanos(1350)]);
        assert_eq!(ticker.next_due(), Nanos(1450), "the clock has not moved");
    }

    #[test]
    fn overdue_ticks_are_counted_without_a_loop() {
        let mut ticker = Ticker::new(Nanos(0), Nanos(0), Nanos(1));
        assert_eq!(ticker.overdue(Nanos::from_secs(3600)), 3_600_000_000_001);
        assert_eq!(ticker.drop_overdue(Nanos(5), 4), 4);
        assert_eq!(ticker.fire(Nanos(5)), Some(Nanos(4)));
    }

    #[test]
    fn the_end_of_time_is_never_reached() {
        let mut ticker = Ticker::new(Nanos::MAX, Nanos(5), Nanos(0));
        assert_eq!(ticker.fire(Nanos::MAX), None);
        assert_eq!(ticker.due(u64::MAX), Nanos::MAX);
    }

    proptest! {
        #[test]
        fn firing_and_counting_agree(
            start in 0..1_000_000_u64, first in 0..1000_u64, period in 1..1000_u64,
            steps in prop::collection::vec(0..5000_u64, 1..20),
        ) {
            let mut ticker = Ticker::new(Nanos(start), Nanos(first), Nanos(period));
            let (mut now, mut k) = (start, 0);
            for step in steps {
                now += step;
                let overdue = ticker.overdue(Nanos(now));
                let mut fired = 0;
                while let Some(due) = ticker.fire(Nanos(now)) {
                    prop_assert_eq!(due.0, start + first + k * period);
                    k += 1;
                    fired += 1;
                }
                prop_assert_eq!(fired, overdue);
                prop_assert!(ticker.next_due().0 > now);
            }
        }
    }
}
