//! Durations as people write them: `250ms`, `2s`, `1m`, `1h`.

use std::fmt;
use std::time::Duration;

/// Reason why a duration was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a duration: use for example `250ms`, `2s`, `1m` or `1h`")]
pub struct SpanError(String);

/// Reads a whole number followed by its unit (`us`, `ms`, `s`, `m` or `h`).
pub fn parse(text: &str) -> Result<Duration, SpanError> {
    let refused = || SpanError(text.to_owned());
    let split = text
        .find(|c: char| !c.is_ascii_digit())
        .ok_or_else(refused)?;
    let (digits, unit) = text.split_at(split);
    let number: u64 = digits.parse().map_err(|_| refused())?;
    let micros = match unit {
        "us" => 1,
        "ms" => 1_000,
        "s" => 1_000_000,
        "m" => 60_000_000,
        "h" => 3_600_000_000,
        _ => return Err(refused()),
    };
    let total = number.checked_mul(micros).ok_or_else(refused)?;
    Ok(Duration::from_micros(total))
}

/// The name of the first duration that is zero.
#[must_use]
pub fn first_zero(named: &[(&'static str, Duration)]) -> Option<&'static str> {
    let zero = named.iter().find(|(_, span)| span.is_zero());
    zero.map(|(name, _)| *name)
}

/// Displays a duration as a whole number of the largest possible unit, so that it can be parsed again.
#[derive(Clone, Copy, Debug)]
pub struct Shown(pub Duration);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = self.0.as_micros();
        let units = [
            (3_600_000_000, "h"),
            (60_000_000, "m"),
            (1_000_000, "s"),
            (1_000, "ms"),
        ];
        let whole = units
            .iter()
            .find(|(size, _)| micros > 0 && micros.is_multiple_of(*size));
        match whole {
            Some((size, unit)) => write!(f, "{}{unit}", micros / size),
            None => write!(f, "{micros}us"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn units_mean_what_they_say() {
        assert_eq!(parse("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(parse("2s"), Ok(Duration::from_secs(2)));
        assert_eq!(parse("1h"), Ok(Duration::from_hours(1)));
    }

    #[test]
    fn a_number_without_unit_and_nonsense_are_refused() {
        for text in [
            "",
            "5",
            "s",
            "-1s",
            "1.5s",
            "1 s",
            "9999999999999999999h",
            "1d",
        ] {
            assert!(parse(text).is_err(), "{text:?} was taken");
        }
    }

    #[test]
    fn the_first_duration_of_zero_is_named() {
        let (zero, second) = (Duration::ZERO, Duration::from_secs(1));
        assert_eq!(
            first_zero(&[("a", second), ("b", zero), ("c", zero)]),
            Some("b")
        );
        assert_eq!(first_zero(&[("a", second)]), None);
    }

    proptest! {
        #[test]
        fn what_is_shown_reads_back(micros in 0u64..1 << 50) {
            let span = Duration::from_micros(micros);
            prop_assert_eq!(parse(&Shown(span).to_string()), Ok(span));
        }

        #[test]
        fn any_text_is_read_or_refused_without_panic(text in ".*") {
            let _ = parse(&text);
        }
    }
}
