use model::{Nanos, Unit};

use super::error::ThresholdError;
use super::subject::span_of;
use crate::duration::{self, split_number};
use crate::size;

/// The limit of a threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// The value in the base unit of `unit`.
    pub value: f64,
    /// The unit. The observed value must have the same unit.
    pub unit: Unit,
}

/// The form of a limit, which depends on subject and aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Duration,
    Size,
    Cores,
    Count,
    ShareOrCount,
    PerSecond,
    Plain,
}

impl Form {
    fn example(self) -> &'static str {
        match self {
            Self::Duration => "a duration such as `100ms`",
            Self::Size => "a size such as `500MB`",
            Self::Cores => "a share of one core such as `80%`",
            Self::Count => "a whole number",
            Self::ShareOrCount => "a share such as `0.1%` or a whole number",
            Self::PerSecond => "a number per second such as `50` or `50/s`",
            Self::Plain => "a plain number, without a unit",
        }
    }
}

/// Parses `part`, the slice of `text` after the operator.
pub(super) fn parse(text: &str, part: &str, form: Form) -> Result<Limit, ThresholdError> {
    let (sign, unsigned) = match part.strip_prefix('-') {
        Some(rest) if form == Form::Plain => (-1.0, rest),
        _ => (1.0, part),
    };
    let (number, suffix) = split_number(unsigned);
    let wrong = || {
        let expected = format!("expected {}, got `{part}`", form.example());
        ThresholdError::new(text, span_of(text, part), expected)
    };
    let limit = |value: f64, unit| Limit {
        value: sign * value,
        unit,
    };
    let value: f64 = number.parse().map_err(|_| wrong())?;
    match (form, suffix) {
        (Form::Duration, _) => {
            let span: Nanos =
                duration::parse(part).map_err(|error| wrong().hint(error.to_string()))?;
            Ok(limit(span.0 as f64, Unit::Nanos))
        }
        (Form::Size, _) => {
            let bytes = size::parse(part).map_err(|error| wrong().hint(error.to_string()))?;
            Ok(limit(bytes as f64, Unit::Bytes))
        }
        (Form::ShareOrCount, "%") if value > 100.0 => Err(wrong().hint("a share is at most 100%")),
        (Form::ShareOrCount | Form::Cores, "%") => Ok(limit(ratio(number), Unit::Ratio)),
        (Form::Count | Form::ShareOrCount, "") if value.fract() == 0.0 => {
            Ok(limit(value, Unit::Count))
        }
        (Form::ShareOrCount, "") => {
            let percent = (value * 1e8).round() / 1e6;
            Err(wrong().hint(format!(
                "a share is written with a percent sign: `{percent}%`"
            )))
        }
        (Form::PerSecond, "" | "/s") => Ok(limit(value, Unit::PerSecond)),
        (Form::Plain, "") => Ok(limit(value, Unit::Plain)),
        _ => Err(wrong()),
    }
}

/// Converts a percentage such as `"99.9"` to the float nearest to 0.999, which is also the result of 999 / 1,000.
/// Dividing by 100 would round twice, and `delivered >= 99.9%` could fail at exactly 99.9 %.
fn ratio(percent: &str) -> f64 {
    format!("{percent}e-2").parse().unwrap_or(f64::NAN)
}
