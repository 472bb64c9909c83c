//! Reads single values: durations, sizes, whole numbers, flags and strings.

use model::Nanos;
use serde_json::Value;

use crate::problem::{Flaw, quoted};
use crate::{duration, size};

/// Formats the value for messages.
pub(super) fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null (NaN and Infinity become null)".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => quoted(text),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// Reads a duration; zero is allowed.
pub(super) fn duration(value: &Value) -> Result<Nanos, Flaw> {
    match value {
        Value::String(text) => duration::parse(text).map_err(|error| Flaw::new(error.to_string())),
        Value::Number(number) => number
            .as_f64()
            .and_then(duration::from_millis)
            .ok_or_else(|| {
                Flaw::new(format!(
                    "expected 0 to 30 days in milliseconds, got {number}"
                ))
            }),
        other => Err(Flaw::new(format!(
            "expected a duration such as `2s` or a number of milliseconds, got {}",
            describe(other)
        ))),
    }
}

/// Reads a duration of at least a nanosecond.
pub(super) fn positive_duration(value: &Value) -> Result<Nanos, Flaw> {
    match duration(value)? {
        Nanos::ZERO => Err(Flaw::new(format!(
            "must be more than zero, got {}",
            describe(value)
        ))),
        span => Ok(span),
    }
}

/// Reads a size in bytes from `least` to `most`, inclusive.
pub(super) fn bytes(value: &Value, least: u64, most: u64) -> Result<usize, Flaw> {
    let bytes = match value {
        Value::String(text) => size::parse(text).map_err(|error| Flaw::new(error.to_string())),
        Value::Number(number) => number
            .as_f64()
            .and_then(size::from_bytes)
            .ok_or_else(|| Flaw::new(format!("expected 0 to 1 TB in bytes, got {number}"))),
        other => Err(Flaw::new(format!(
            "expected a size such as `16MB` or a number of bytes, got {}",
            describe(other)
        ))),
    }?;
    let fits = usize::try_from(bytes)
        .ok()
        .filter(|_| (least..=most).contains(&bytes));
    fits.ok_or_else(|| {
        let given = describe(value);
        Flaw::new(format!("must be {least} to {most} bytes, got {given}"))
    })
}

/// Reads a whole number from `least` to `most`, inclusive.
pub(super) fn whole(value: &Value, least: u32, most: u32) -> Result<u32, Flaw> {
    let number = match value {
        Value::Number(number) => number,
        other => {
            let given = describe(other);
            return Err(Flaw::new(format!("expected a whole number, got {given}")));
        }
    };
    let Some(exact) = number.as_f64().filter(|number| number.fract() == 0.0) else {
        return Err(Flaw::new(format!("expected a whole number, got {number}")));
    };
    if exact < f64::from(least) || exact > f64::from(most) {
        let range = format!("{least} to {}", grouped(most));
        return Err(Flaw::new(format!("must be {range}, got {number}")));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole and between two u32 bounds"
    )]
    Ok(exact as u32)
}

/// Reads a seed: a whole number of at least 0. Above 2^53, it must be a JSON integer, because a float would lose
/// digits.
pub(super) fn seed(value: &Value) -> Result<u64, Flaw> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if let Some(seed) = value.as_u64() {
        return Ok(seed);
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole and between 0 and 2^53"
    )]
    match value.as_f64() {
        Some(seed) if seed.fract() == 0.0 && (0.0..=EXACT).contains(&seed) => Ok(seed as u64),
        _ => Err(Flaw::new(format!(
            "expected a whole number from 0, got {}",
            describe(value)
        ))),
    }
}

/// Reads `true` or `false`.
pub(super) fn flag(value: &Value) -> Result<bool, Flaw> {
    value
        .as_bool()
        .ok_or_else(|| Flaw::new(format!("expected true or false, got {}", describe(value))))
}

/// Reads any string.
pub(super) fn text(value: &Value) -> Result<&str, Flaw> {
    value
        .as_str()
        .ok_or_else(|| Flaw::new(format!("expected a string, got {}", describe(value))))
}

/// Reads the path of a file, without checking that it exists.
pub(super) fn path(value: &Value) -> Result<String, Flaw> {
    let path = text(value)?;
    if path.is_empty() || path.contains('\0') {
        return Err(Flaw::new(format!(
            "expected the path of a file, got {}",
            quoted(path)
        )));
    }
    Ok(path.to_owned())
}

/// The number with a comma between groups of three digits: `1,000,000`.
pub(super) fn grouped(number: u32) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
