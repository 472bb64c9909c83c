use std::fmt;
use std::ops::{Add, AddAssign, Sub};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Nanoseconds: a duration, or a time on the run's monotonic clock, which starts at zero when the run starts.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Nanos(pub u64);

impl Nanos {
    /// The start of the run, or a duration of zero.
    pub const ZERO: Self = Self(0);
    /// The latest time, or the longest duration.
    pub const MAX: Self = Self(u64::MAX);

    /// A duration of whole seconds.
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs.saturating_mul(1_000_000_000))
    }

    /// A duration of whole milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(1_000_000))
    }

    /// A duration of whole microseconds.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros.saturating_mul(1_000))
    }

    /// Converts seconds. Negative values and NaN become zero, and values that are too large become [`Nanos::MAX`].
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "`as` from a float saturates, which is right for a duration"
    )]
    pub fn from_secs_f64(secs: f64) -> Self {
        Self((secs * 1e9).round() as u64)
    }

    /// The value in seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The value in milliseconds.
    pub fn as_millis_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// The difference, or zero if it would be negative.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// The sum, at most [`Nanos::MAX`].
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Add for Nanos {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.saturating_add(other)
    }
}

impl AddAssign for Nanos {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Nanos {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.saturating_sub(other)
    }
}

impl From<Duration> for Nanos {
    fn from(duration: Duration) -> Self {
        Self(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
    }
}

impl From<Nanos> for Duration {
    fn from(nanos: Nanos) -> Self {
        Self::from_nanos(nanos.0)
    }
}

impl fmt::Display for Nanos {
    /// Formats the time for people: `250 µs`, `1.5 ms`, `30 s`, `5 min`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(u64, &str); 5] = [
            (60_000_000_000, "min"),
            (1_000_000_000, "s"),
            (1_000_000, "ms"),
            (1_000, "µs"),
            (1, "ns"),
        ];
        let (size, unit) = UNITS
            .into_iter()
            .find(|&(size, unit)| self.0 >= size && (unit != "min" || self.0.is_multiple_of(size)))
            .unwrap_or((1, "ns"));
        let rounded = (self.0 as f64 / size as f64 * 1000.0).round() / 1000.0;
        write!(f, "{rounded} {unit}")
    }
}

/// The three times of a planned operation: planned start, actual start and end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// The planned start.
    pub planned: Nanos,
    /// The actual start.
    pub started: Nanos,
    /// The end.
    pub ended: Nanos,
}

impl Timing {
    /// The time that a user experiences: from the planned start to the end.
    pub fn response_time(self) -> Nanos {
        self.ended - self.planned
    }

    /// The time that the target took: from the actual start to the end.
    pub fn service_time(self) -> Nanos {
        self.ended - self.started
    }

    /// The lateness of the generator: from the planned to the actual start.
    pub fn start_lag(self) -> Nanos {
        self.started - self.planned
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_written_as_people_write_them() {
        let check = |nanos: Nanos, expected: &str| assert_eq!(nanos.to_string(), expected);
        check(Nanos(0), "0 ns");
        check(Nanos::from_micros(250), "250 µs");
        check(Nanos(1_500_000), "1.5 ms");
        check(Nanos::from_secs(30), "30 s");
        check(Nanos::from_secs(90), "90 s");
        check(Nanos::from_secs(300), "5 min");
    }

    #[test]
    fn a_span_that_is_too_long_is_the_longest() {
        // A server can announce any ping interval in milliseconds.
        for longest in [
            Nanos::from_millis(u64::MAX),
            Nanos::from_micros(u64::MAX),
            Nanos::from_secs(u64::MAX),
            Nanos::from_millis(u64::MAX / 1_000_000 + 1),
        ] {
            assert_eq!(longest, Nanos::MAX);
            assert_eq!(longest + Nanos(1), Nanos::MAX);
        }
    }

    #[test]
    fn two_clocks_differ_by_the_start_lag() {
        let timing = Timing {
            planned: Nanos(10),
            started: Nanos(14),
            ended: Nanos(20),
        };
        assert_eq!(timing.response_time(), Nanos(10));
        assert_eq!(timing.service_time(), Nanos(6));
        assert_eq!(timing.start_lag(), Nanos(4));
    }
}
