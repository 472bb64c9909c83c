//! Sizes as users write them: `"64kB"`, `"16MB"`, `"4KiB"`. A number without quotes is in bytes.
//!
//! ```text
//! size = number unit
//! unit = "B" | "kB" | "MB" | "GB"          powers of 1000
//!      | "KiB" | "MiB" | "GiB"             powers of 1024
//! ```

use thiserror::Error;

use crate::duration::split_number;
use crate::problem::quoted;

/// The largest size that any option accepts: 1 TB.
pub const LARGEST: u64 = 1_000_000_000_000;

/// The size of each unit in bytes. Upper and lower case mean the same, but the `i` makes a difference.
const UNITS: [(&str, u32); 7] = [
    ("b", 1),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
];

/// The reason why a text is not a size.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SizeError {
    /// The text does not begin with a number.
    #[error("expected a size such as `64kB`, `16MB`, `1GB` or `4KiB`, got {0}")]
    NotASize(String),
    /// The text is a number without a unit.
    #[error("{0} has no unit: write `{1}kB` or `{1}MB`")]
    NoUnit(String, String),
    /// The unit is unknown.
    #[error("unknown unit in {0}: expected B, kB, MB, GB, KiB, MiB or GiB")]
    UnknownUnit(String),
    /// The size is larger than [`LARGEST`].
    #[error("{0} is larger than 1 TB")]
    TooLarge(String),
}

/// Parses a size such as `"16MB"` into bytes, rounded to a whole number.
pub fn parse(text: &str) -> Result<u64, SizeError> {
    let (number, unit) = split_number(text.trim());
    let Ok(value) = number.parse::<f64>() else {
        return Err(SizeError::NotASize(quoted(text)));
    };
    if unit.is_empty() {
        return Err(SizeError::NoUnit(quoted(text), number.to_owned()));
    }
    let unit = unit.to_ascii_lowercase();
    let Some((_, scale)) = UNITS.iter().find(|(name, _)| *name == unit) else {
        return Err(SizeError::UnknownUnit(quoted(text)));
    };
    from_bytes(value * f64::from(*scale)).ok_or_else(|| SizeError::TooLarge(quoted(text)))
}

/// Rounds to whole bytes. Returns `None` if the value is negative, not finite or larger than [`LARGEST`].
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the range is checked first"
)]
pub fn from_bytes(bytes: f64) -> Option<u64> {
    (0.0..=LARGEST as f64)
        .contains(&bytes)
        .then(|| bytes.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_users_write_them() {
        let check = |text: &str, bytes: u64, why: &str| {
            assert_eq!(parse(text), Ok(bytes), "{why}");
        };
        check("12B", 12, "bytes");
        check("64kB", 64_000, "k is 1000");
        check("64KB", 64_000, "case does not matter");
        check("4KiB", 4_096, "Ki is 1024");
        check("16MB", 16_000_000, "megabytes");
        check("1.5 MiB", 1_572_864, "a fraction and a space");
        check("1GB", 1_000_000_000, "gigabytes");
        check("1GiB", 1_073_741_824, "gibibytes");
    }

    #[test]
    fn errors_say_what_was_given_and_what_is_accepted() {
        let check = |text: &str, expected: &str| {
            let message = parse(text).expect_err(text).to_string();
            assert!(message.contains(expected), "{text}: {message}");
        };
        check("", "expected a size such as `64kB`");
        check("big", "got \"big\"");
        check("-1MB", "got \"-1MB\"");
        check("64", "write `64kB` or `64MB`");
        check("1 elephant", "unknown unit in \"1 elephant\"");
        check("1001GB", "larger than 1 TB");
    }
}
