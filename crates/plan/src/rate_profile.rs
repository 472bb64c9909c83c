//! Rate profiles as users write them.
//!
//! ```text
//! profile = rate                                 steady for the duration of the level
//!         | segment { "," segment } [ "," count "times" ]
//! segment = rate "for" duration                  steady
//!         | rate "to" rate "over" duration       rising or falling evenly
//!         | "nothing for" duration
//! rate    = number "/" ( "s" | "m" | "h" )
//! ```
//!
//! `500/s for 10s, nothing for 50s, 5 times` is one burst per minute, five times.

use model::Nanos;
use thiserror::Error;

use crate::duration::{self, DurationError, LONGEST, split_number};
use crate::problem::quoted;

/// Maximum number of arrivals per second.
pub const HIGHEST_RATE: f64 = 10_000_000.0;
/// Maximum number of segments of a rate profile, including repetitions.
const MOST_LEGS: usize = 10_000;

/// A rate profile: arrivals per second over time.
#[derive(Clone, Debug, PartialEq)]
pub enum RateProfile {
    /// A constant rate per second for the duration of the level.
    Steady(f64),
    /// Consecutive segments. Their total length is the duration of the level.
    Segments(Vec<RateSegment>),
}

/// A segment of a rate profile, in which the rate is constant or changes evenly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateSegment {
    /// Arrivals per second at the start of the segment.
    pub from: f64,
    /// Arrivals per second at the end of the segment.
    pub to: f64,
    /// Length of the segment.
    pub lasts: Nanos,
}

/// The reason why a text is not a rate profile.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CourseError {
    /// There is no valid rate where one is required.
    #[error("expected a rate such as `100/s` or `30/m`, got {0}")]
    NotARate(String),
    /// The rate is above [`HIGHEST_RATE`].
    #[error("{0} is more than 10,000,000 a second")]
    TooHigh(String),
    /// A segment does not have a known form.
    #[error(
        "expected `100/s for 10s`, `0/s to 100/s over 30s`, `nothing for 50s` or, at the end, `5 times`, got {0}"
    )]
    NotALeg(String),
    /// The length of a segment is not a duration.
    #[error("{0}: {1}")]
    Length(String, DurationError),
    /// A segment has no length, or the rate profile is too long.
    #[error("the duration of {0} must be more than zero and at most 30 days")]
    Lasts(String),
    /// The number of repetitions is not a positive whole number.
    #[error("expected a whole number of repetitions from 1, such as `5 times`, got {0}")]
    Times(String),
    /// There are more than 10,000 segments, which is most likely a mistake.
    #[error("has more than 10,000 segments")]
    TooLong,
    /// Every rate is zero.
    #[error("has no arrivals: every rate is zero")]
    Nothing,
}

impl RateProfile {
    /// Parses a rate profile.
    pub fn parse(text: &str) -> Result<Self, CourseError> {
        if !text.contains([',', ' ']) {
            return steady(rate(text)?);
        }
        let mut parts: Vec<&str> = text.split(',').map(str::trim).collect();
        if parts.len() == 1 && !is_leg(parts[0]) {
            return steady(rate(parts[0])?);
        }
        let times = match parts.last().and_then(|last| last.strip_suffix("times")) {
            Some(count) => {
                parts.pop();
                how_often(count)?
            }
            None => 1,
        };
        if parts.is_empty() || parts.len().saturating_mul(times) > MOST_LEGS {
            return Err(if parts.is_empty() {
                CourseError::NotALeg(quoted(text))
            } else {
                CourseError::TooLong
            });
        }
        let once: Vec<RateSegment> = parts.into_iter().map(segment).collect::<Result<_, _>>()?;
        Self::of(once.repeat(times), text)
    }

    fn of(segments: Vec<RateSegment>, text: &str) -> Result<Self, CourseError> {
        let lasts = segments
            .iter()
            .fold(Nanos::ZERO, |sum, segment| sum + segment.lasts);
        if lasts > LONGEST {
            return Err(CourseError::Lasts(quoted(text)));
        }
        if segments
            .iter()
            .all(|segment| segment.from + segment.to <= 0.0)
        {
            return Err(CourseError::Nothing);
        }
        Ok(Self::Segments(segments))
    }

    /// The rate at the start, per second.
    pub fn first_rate(&self) -> f64 {
        match self {
            Self::Steady(rate) => *rate,
            Self::Segments(segments) => segments.first().map_or(0.0, |segment| segment.from),
        }
    }

    /// The highest rate, per second.
    pub fn highest_rate(&self) -> f64 {
        match self {
            Self::Steady(rate) => *rate,
            Self::Segments(segments) => segments
                .iter()
                .fold(0.0, |most, segment| segment.from.max(segment.to).max(most)),
        }
    }
}

fn steady(rate: f64) -> Result<RateProfile, CourseError> {
    if rate <= 0.0 {
        return Err(CourseError::Nothing);
    }
    Ok(RateProfile::Steady(rate))
}

fn is_leg(text: &str) -> bool {
    text.split_whitespace()
        .any(|word| ["for", "over", "to"].contains(&word))
}

fn segment(text: &str) -> Result<RateSegment, CourseError> {
    let not_a_leg = || CourseError::NotALeg(quoted(text));
    if let Some((rates, length)) = text.split_once(" over ") {
        let (from, to) = rates.split_once(" to ").ok_or_else(not_a_leg)?;
        return Ok(RateSegment {
            from: rate(from)?,
            to: rate(to)?,
            lasts: lasts(text, length)?,
        });
    }
    let (what, length) = text.split_once(" for ").ok_or_else(not_a_leg)?;
    let rate = match what.trim() {
        "nothing" => 0.0,
        what => rate(what)?,
    };
    Ok(RateSegment {
        from: rate,
        to: rate,
        lasts: lasts(text, length)?,
    })
}

fn lasts(segment: &str, length: &str) -> Result<Nanos, CourseError> {
    match duration::parse(length) {
        Ok(Nanos::ZERO) => Err(CourseError::Lasts(quoted(segment))),
        Ok(length) => Ok(length),
        Err(why) => Err(CourseError::Length(quoted(segment), why)),
    }
}

/// Parses a rate such as `"30/m"` into arrivals per second.
fn rate(text: &str) -> Result<f64, CourseError> {
    let not_a_rate = || CourseError::NotARate(quoted(text));
    let (number, unit) = split_number(text.trim());
    let number: f64 = number.parse().map_err(|_| not_a_rate())?;
    let seconds = match unit.strip_prefix('/').map(str::trim) {
        Some("s") => 1.0,
        Some("m") => 60.0,
        Some("h") => 3600.0,
        _ => return Err(not_a_rate()),
    };
    let rate = number / seconds;
    if rate > HIGHEST_RATE {
        return Err(CourseError::TooHigh(quoted(text)));
    }
    Ok(rate)
}

fn how_often(text: &str) -> Result<usize, CourseError> {
    let count = text.trim().parse().ok().filter(|count| *count > 0);
    count.ok_or_else(|| CourseError::Times(quoted(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(from: f64, to: f64, seconds: u64) -> RateSegment {
        RateSegment {
            from,
            to,
            lasts: Nanos::from_secs(seconds),
        }
    }

    #[test]
    fn courses_are_read_as_users_write_them() {
        let check = |text: &str, expected: RateProfile| {
            assert_eq!(RateProfile::parse(text), Ok(expected), "{text}");
        };
        check("100/s", RateProfile::Steady(100.0));
        check(" 30 / m ", RateProfile::Steady(0.5));
        check("7200/h", RateProfile::Steady(2.0));
        check("0.5/s", RateProfile::Steady(0.5));
        check(
            "200/s for 30s",
            RateProfile::Segments(vec![segment(200.0, 200.0, 30)]),
        );
        check(
            "0/s to 1000/s over 1m, 1000/s for 2m",
            RateProfile::Segments(vec![segment(0.0, 1000.0, 60), segment(1000.0, 1000.0, 120)]),
        );
        check(
            "500/s for 10s, nothing for 50s, 2 times",
            RateProfile::Segments([segment(500.0, 500.0, 10), segment(0.0, 0.0, 50)].repeat(2)),
        );
    }

    #[test]
    fn what_is_no_course_is_refused_with_what_would_be_one() {
        let check = |text: &str, expected: &str| {
            let message = RateProfile::parse(text).expect_err(text).to_string();
            assert!(message.contains(expected), "{text}: {message}");
        };
        check("", "expected a rate such as `100/s`");
        check("fast", "got \"fast\"");
        check("100", "expected a rate such as `100/s`");
        check("100/d", "expected a rate");
        check("-5/s", "expected a rate");
        check("0/s", "no arrival");
        check("nothing for 5s", "no arrival");
        check("99999999999/s", "more than 10,000,000 a second");
        check("100/s for", "expected `100/s for 10s`");
        check("100/s for 0s", "more than zero");
        check("100/s for 10", "has no unit");
        check("100/s for 10s, then 5", "expected `100/s for 10s`");
        check("100/s over 10s", "expected `100/s for 10s`");
        check("1/s for 1s, 0 times", "whole number of repetitions from 1");
        check("1/s for 1s, 99999999 times", "more than 10,000 segments");
        check("5 times", "expected");
        check("1/s for 720h, 2 times", "at most 30 days");
    }
}
