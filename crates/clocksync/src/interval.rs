use std::error::Error;
use std::fmt;

use model::Nanos;

use crate::offset::ClockOffset;

/// All possible offsets of a peer's clock at one moment: from `low` to `high`, which is never below `low`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OffsetInterval {
    low: ClockOffset,
    high: ClockOffset,
}

impl OffsetInterval {
    /// Any offset is possible.
    pub const UNKNOWN: Self = Self {
        low: ClockOffset::MIN,
        high: ClockOffset::MAX,
    };

    /// The interval between two bounds, unless they contradict each other.
    pub fn new(low: ClockOffset, high: ClockOffset) -> Result<Self, Contradiction> {
        if high < low {
            return Err(Contradiction { low, high });
        }
        Ok(Self { low, high })
    }

    /// The lowest possible offset.
    pub const fn low(self) -> ClockOffset {
        self.low
    }

    /// The highest possible offset.
    pub const fn high(self) -> ClockOffset {
        self.high
    }

    /// The estimate: the middle of the interval.
    pub const fn offset(self) -> ClockOffset {
        ClockOffset(self.low.0.midpoint(self.high.0))
    }

    /// The largest possible error of [`OffsetInterval::offset`]: half the width, rounded up.
    pub const fn bound(self) -> Nanos {
        Nanos(self.high.0.abs_diff(self.low.0).div_ceil(2))
    }

    /// Whether the offset is possible.
    pub fn contains(self, offset: ClockOffset) -> bool {
        self.low <= offset && offset <= self.high
    }

    /// The offsets that both intervals allow. If there are none, one of the two was wrong.
    pub fn intersect(self, other: Self) -> Result<Self, Contradiction> {
        Self::new(self.low.max(other.low), self.high.min(other.high))
    }

    /// All offsets from the lowest to the highest that one of the intervals allows.
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// Moves both ends: `low` by `lower` nanoseconds, and `high` by `upper`, which is at least as much.
    pub(crate) fn moved(self, lower: f64, upper: f64) -> Self {
        Self {
            low: self.low.plus_floor(lower),
            high: self.high.plus_ceil(upper),
        }
    }
}

/// Two bounds of the same offset exclude each other. One of them is wrong: a clock was set, or its rate changed more than
/// assumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The largest lower bound.
    pub low: ClockOffset,
    /// The smallest upper bound, which is less than `low`.
    pub high: ClockOffset,
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gap = Nanos(self.low.0.abs_diff(self.high.0));
        write!(f, "the bounds of the clock offset miss each other by {gap}")
    }
}

impl Error for Contradiction {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn interval(low: i64, high: i64) -> OffsetInterval {
        OffsetInterval::new(ClockOffset(low), ClockOffset(high)).unwrap()
    }

    #[test]
    fn intervals_without_a_common_offset_contradict_each_other() {
        let found = interval(10, 20).intersect(interval(21_021, 30_000));
        let contradiction = found.unwrap_err();
        assert_eq!(contradiction.low, ClockOffset(21_021));
        assert_eq!(
            contradiction.to_string(),
            "the bounds of the clock offset miss each other by 21.001 µs"
        );
        assert_eq!(
            interval(10, 20).intersect(interval(20, 30)),
            Ok(interval(20, 20))
        );
    }

    #[test]
    fn an_unknown_offset_adds_nothing_and_stays_useless() {
        let unknown = OffsetInterval::UNKNOWN;
        assert_eq!(unknown.bound(), Nanos(1 << 63));
        assert_eq!(unknown.intersect(interval(1, 2)), Ok(interval(1, 2)));
        let century = Nanos::from_secs(100 * 365 * 86_400);
        assert!(unknown.moved(5.0, 9.0).bound() > century);
    }

    proptest! {
        #[test]
        fn the_estimate_is_at_most_the_bound_away_from_any_possible_offset(
            ends: (i64, i64),
            share in 0_u8..=4,
        ) {
            let (low, high) = (ends.0.min(ends.1), ends.0.max(ends.1));
            let interval = interval(low, high);
            let width = i128::from(high) - i128::from(low);
            let possible = i128::from(low) + width * i128::from(share) / 4;
            let error = (i128::from(interval.offset().0) - possible).unsigned_abs();
            prop_assert!(error <= u128::from(interval.bound().0));
        }
    }
}
