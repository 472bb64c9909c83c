use std::fmt;
use std::ops::{Add, Neg, Sub};

use model::Nanos;

/// How far the peer's clock is ahead of the local clock, in nanoseconds. Negative if it is behind.
///
/// All arithmetic saturates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClockOffset(pub i64);

impl ClockOffset {
    /// Two clocks that agree.
    pub const ZERO: Self = Self(0);
    /// The lowest offset.
    pub const MIN: Self = Self(i64::MIN);
    /// The highest offset.
    pub const MAX: Self = Self(i64::MAX);

    /// The offset of a peer's clock that reads `peer` when the local clock reads `local`.
    pub fn between(peer: Nanos, local: Nanos) -> Self {
        Self::from_wide(i128::from(peer.0) - i128::from(local.0))
    }

    /// The distance from zero.
    pub const fn abs(self) -> Nanos {
        Nanos(self.0.unsigned_abs())
    }

    pub(crate) fn from_wide(nanos: i128) -> Self {
        let nearest = if nanos < 0 { i64::MIN } else { i64::MAX };
        Self(i64::try_from(nanos).unwrap_or(nearest))
    }

    /// The sum, rounded up.
    pub(crate) fn plus_ceil(self, nanos: f64) -> Self {
        self + Self::rounded(nanos.ceil())
    }

    /// The sum, rounded down.
    pub(crate) fn plus_floor(self, nanos: f64) -> Self {
        self + Self::rounded(nanos.floor())
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "`as` from a float saturates, like all arithmetic of offsets"
    )]
    fn rounded(nanos: f64) -> Self {
        Self(nanos as i64)
    }
}

impl Add for ClockOffset {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for ClockOffset {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Neg for ClockOffset {
    type Output = Self;
    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

impl fmt::Display for ClockOffset {
    /// Formats the offset for people, always with a sign: `+1.5 ms`, `-90 s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { '-' } else { '+' };
        write!(f, "{sign}{}", self.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_is_written_with_its_sign() {
        assert_eq!(ClockOffset(1_500_000).to_string(), "+1.5 ms");
        assert_eq!(ClockOffset(-90_000_000_000).to_string(), "-90 s");
    }

    #[test]
    fn differences_of_any_times_saturate() {
        assert_eq!(
            ClockOffset::between(Nanos::MAX, Nanos::ZERO),
            ClockOffset::MAX
        );
        assert_eq!(
            ClockOffset::between(Nanos::ZERO, Nanos::MAX),
            ClockOffset::MIN
        );
        assert_eq!(-ClockOffset::MIN, ClockOffset::MAX);
        assert_eq!(ClockOffset::MAX + ClockOffset(1), ClockOffset::MAX);
    }
}
