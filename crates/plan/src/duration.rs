//! Durations as users write them: `"250us"`, `"1.5s"`. A number without quotes is in milliseconds.
//!
//! ```text
//! duration = number unit
//! number   = digits [ "." digits ]
//! unit     = "ns" | "us" | "µs" | "ms" | "s" | "m" | "h"
//! ```

use model::Nanos;
use thiserror::Error;

use crate::problem::quoted;

/// The longest duration that any option accepts: 30 days.
pub const LONGEST: Nanos = Nanos::from_secs(30 * 24 * 3600);

/// The length of each unit in nanoseconds.
const UNITS: [(&str, f64); 7] = [
    ("ns", 1.0),
    ("us", 1e3),
    ("µs", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
    ("m", 60e9),
    ("h", 3600e9),
];

/// The reason why a text is not a duration.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DurationError {
    /// The text does not begin with a number.
    #[error("expected a duration such as `250us`, `500ms`, `2s`, `1.5m` or `1h`, got {0}")]
    NotADuration(String),
    /// The text is a number without a unit.
    #[error("{0} has no unit: write `{1}ms` or `{1}s`")]
    NoUnit(String, String),
    /// The unit is unknown.
    #[error("unknown unit in {0}: expected ns, us, ms, s, m or h")]
    UnknownUnit(String),
    /// The duration is longer than [`LONGEST`].
    #[error("{0} is longer than 30 days")]
    TooLong(String),
}

/// Parses a duration such as `"1.5s"`. Allows spaces around the text, and between number and unit.
pub fn parse(text: &str) -> Result<Nanos, DurationError> {
    let trimmed = text.trim();
    let (number, unit) = split_number(trimmed);
    let Ok(value) = number.parse::<f64>() else {
        return Err(DurationError::NotADuration(quoted(text)));
    };
    if unit.is_empty() {
        return Err(DurationError::NoUnit(quoted(text), number.to_owned()));
    }
    let Some((_, scale)) = UNITS.iter().find(|(name, _)| *name == unit) else {
        return Err(DurationError::UnknownUnit(quoted(text)));
    };
    bounded(value * scale).ok_or_else(|| DurationError::TooLong(quoted(text)))
}

/// Converts milliseconds. Returns `None` if the value is negative, not finite or longer than [`LONGEST`].
pub fn from_millis(millis: f64) -> Option<Nanos> {
    (millis >= 0.0).then(|| bounded(millis * 1e6)).flatten()
}

fn bounded(nanos: f64) -> Option<Nanos> {
    let span = Nanos::from_secs_f64(nanos / 1e9);
    (nanos.is_finite() && span <= LONGEST).then_some(span)
}

/// Splits `"1.5s"` into `"1.5"` and `"s"`. The first part is the longest prefix of digits and points.
pub(crate) fn split_number(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_as_users_write_them() {
        let check = |text: &str, nanos: u64, why: &str| {
            assert_eq!(parse(text), Ok(Nanos(nanos)), "{why}");
        };
        check("7ns", 7, "nanoseconds, whole");
        check("250us", 250_000, "microseconds");
        check("250µs", 250_000, "microseconds with the Greek letter");
        check("500ms", 500_000_000, "milliseconds");
        check("1.5s", 1_500_000_000, "a fraction");
        check(
            "0.1s",
            100_000_000,
            "a fraction that binary cannot hold exactly",
        );
        check("1.5m", 90_000_000_000, "m is minutes");
        check("1h", 3_600_000_000_000, "hours");
        check(" 2 s ", 2_000_000_000, "spaces do no harm");
        check("0s", 0, "zero is a span; who needs more says so");
        check("720h", LONGEST.0, "the longest");
    }

    #[test]
    fn errors_say_what_was_given_and_what_is_accepted() {
        let check = |text: &str, expected: &str| {
            let message = parse(text).expect_err(text).to_string();
            assert!(message.contains(expected), "{text}: {message}");
        };
        check("", "expected a duration such as `250us`");
        check("soon", "got \"soon\"");
        check("-1s", "got \"-1s\"");
        check("1.2.3s", "got \"1.2.3s\"");
        check("10", "write `10ms` or `10s`");
        check("3 days", "unknown unit in \"3 days\"");
        check("1S", "expected ns, us, ms, s, m or h");
        check("721h", "longer than 30 days");
        check("99999999999999999999999999999999h", "longer than 30 days");
    }

    #[test]
    fn a_bare_number_is_milliseconds() {
        assert_eq!(from_millis(1.5), Some(Nanos::from_micros(1500)));
        assert_eq!(from_millis(-1.0), None);
        assert_eq!(from_millis(f64::NAN), None);
        assert_eq!(from_millis(f64::INFINITY), None);
    }
}
