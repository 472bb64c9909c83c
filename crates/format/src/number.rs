//! Formats numbers with three significant digits and grouped thousands. Every number has a unit, and every percentage
//! is shown with its counts.

use model::Nanos;
use stats::Estimate;

/// Text for a percentile that has too few samples.
pub const NOT_AVAILABLE: &str = "n/a";

/// Formats a whole number: `1,234,567`.
pub fn count(number: u64) -> String {
    group(&number.to_string())
}

fn group(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a number of things: `1 user`, `1,000 users`, `2 deliveries`.
pub fn plural(number: u64, noun: &str) -> String {
    let counted = count(number);
    match noun.strip_suffix('y') {
        _ if number == 1 => format!("{counted} {noun}"),
        Some(stem) => format!("{counted} {stem}ies"),
        None => format!("{counted} {noun}s"),
    }
}

/// Formats with three significant digits, or two below 1. All digits before the point are kept: `0.012`, `1.23`,
/// `12.3`, `1,234`.
pub fn number(value: f64) -> String {
    significant(value, if value.abs() < 0.995 { 2 } else { 3 })
}

/// Formats with at most four significant digits, for arithmetic that a reader repeats: `0.268`, `101.6`, `13,605`.
pub fn precise(value: f64) -> String {
    without_zeros(significant(value, 4))
}

/// Formats with at most two significant digits, for approximate figures: `0.05`, `3.3`, `1,234`.
pub fn about(value: f64) -> String {
    without_zeros(significant(value, 2))
}

/// Formats a number, rounded to a whole number: `1,234`.
pub fn whole(value: f64) -> String {
    fixed(value, 0)
}

/// Formats a number with `decimals` digits after the point: `13,605.20`.
pub fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text
        .split_once('.')
        .map_or((text.as_str(), ""), |parts| parts);
    let sign = if value < 0.0 { "-" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{}{point}{fraction}", group(whole))
}

/// Rounds to `digits` significant digits, but keeps all digits before the point.
fn significant(value: f64, digits: i32) -> String {
    const SMALLEST: f64 = 1e-6;
    if value == 0.0 || !value.is_finite() {
        return fixed(value, 0);
    }
    if value.abs() < SMALLEST {
        return format!("{value:.2e}");
    }
    // Uses the exponent after rounding: 9.996 becomes 1.00e1, which has one decimal fewer than 9.99.
    let decimals = usize::try_from(digits - 1).unwrap_or_default();
    let rounded = format!("{value:.decimals$e}");
    let exponent: i32 = rounded
        .split_once('e')
        .and_then(|(_, exponent)| exponent.parse().ok())
        .unwrap_or_default();
    fixed(
        value,
        usize::try_from(digits - 1 - exponent).unwrap_or_default(),
    )
}

fn without_zeros(text: String) -> String {
    if !text.contains('.') || text.contains('e') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Formats a number that may be a count. Whole numbers have no point; all others are formatted as by [`number`].
pub fn amount(value: f64) -> String {
    const EXACT: f64 = 9e15;
    if value.fract() == 0.0 && value.abs() < EXACT {
        return whole(value);
    }
    number(value)
}

/// Returns the unit in which a duration is shown: its length in nanoseconds, and its name.
fn unit(span: Nanos) -> (f64, &'static str) {
    match span.0 {
        0..999_500 => (1e3, "µs"),
        999_500..999_500_000 => (1e6, "ms"),
        _ => (1e9, "s"),
    }
}

/// Formats a measured duration: `0.85 µs`, `12.3 ms`, `15.0 s`.
pub fn duration(span: Nanos) -> String {
    let (size, name) = unit(span);
    format!("{} {name}", number(span.0 as f64 / size))
}

/// Formats a duration given in milliseconds.
pub fn millis(millis: f64) -> String {
    duration(Nanos::from_secs_f64(millis / 1e3))
}

/// Formats a planned duration given in seconds: `30 s`, `0.25 s`.
pub fn seconds(seconds: f64) -> String {
    format!("{} s", without_zeros(number(seconds)))
}

/// Formats a time span with up to two units: `15 min`, `1 min 30 s`, `0.5 s`.
pub fn span(seconds: f64) -> String {
    if seconds < 10.0 {
        return format!("{} s", without_zeros(fixed(seconds, 1)));
    }
    let mut left = seconds.round();
    let mut parts = Vec::new();
    for (size, unit) in [(86_400.0, "d"), (3600.0, "h"), (60.0, "min"), (1.0, "s")] {
        let number = (left / size).floor();
        left -= number * size;
        if number > 0.0 {
            parts.push(format!("{number:.0} {unit}"));
        }
    }
    parts.truncate(2);
    parts.join(" ")
}

/// Formats a rate per second: `1,234/s`.
pub fn rate(per_second: f64) -> String {
    format!("{}/s", number(per_second))
}

/// Formats a rate that was set, and not measured: `80/s`, `2.5/s`.
pub fn set_rate(per_second: f64) -> String {
    format!("{}/s", set_number(per_second))
}

/// Formats a number that was set, and not measured: `80`, `2.5`. Zeros at its end would claim a precision.
pub fn set_number(figure: f64) -> String {
    let text = number(figure);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// Formats `count` events in `duration_s` seconds as a rate per second. `None` if the duration is 0.
pub fn rate_of(count: u64, duration_s: f64) -> Option<String> {
    (duration_s > 0.0).then(|| rate(count as f64 / duration_s))
}

/// Formats a percentage of a core, a time or a limit. For percentages of counts, use [`share`].
pub fn percent(percent: f64) -> String {
    format!("{} %", number(percent))
}

/// Formats a part of a whole for a table column: `0`, `3 (0.30 %)`.
pub fn part(part: u64, whole: u64) -> String {
    if part == 0 || whole == 0 {
        return count(part);
    }
    format!("{} ({})", count(part), percent_of(part, whole))
}

/// Formats a part of a whole for a sentence: `3 of 1,000 (0.30 %)`.
pub fn share(part: u64, whole: u64) -> String {
    let percent = percent_of(part, whole);
    format!("{} of {} ({percent})", count(part), count(whole))
}

/// Formats a percentage. A part smaller than the whole is never rounded up to 100 %.
fn percent_of(part: u64, whole: u64) -> String {
    let share = part as f64 / whole.max(1) as f64 * 100.0;
    if part < whole && share >= 99.95 {
        return "> 99.9 %".to_owned();
    }
    percent(share)
}

/// Formats memory given in MB: `25.1 MB`, `1.25 GB`.
pub fn megabytes(megabytes: f64) -> String {
    if megabytes < 999.5 {
        format!("{} MB", number(megabytes))
    } else {
        format!("{} GB", number(megabytes / 1e3))
    }
}

/// Formats bytes: `512 B`, `1.50 kB`, `3.20 MB`.
pub fn bytes(bytes: u64) -> String {
    mean_bytes(bytes as f64)
}

/// Formats a mean or a rate in bytes like [`bytes`].
pub fn mean_bytes(bytes: f64) -> String {
    if bytes < 999.5 {
        format!("{} B", whole(bytes))
    } else if bytes < 999_500.0 {
        format!("{} kB", number(bytes / 1e3))
    } else {
        megabytes(bytes / 1e6)
    }
}

/// Formats the name of a quantile as a percentile: `p99.9` for 0.999.
pub fn percentile(quantile: f64) -> String {
    format!("p{}", without_zeros(fixed(quantile * 100.0, 4)))
}

/// Formats a percentile for a narrow column: `12.3 ms`, `> 15 s`, `n/a`. `limit` is the timeout of the operations.
pub fn estimate(estimate: Estimate, limit: Option<Nanos>) -> String {
    match estimate {
        Estimate::Value { value, .. } => duration(value),
        Estimate::Beyond {
            at_least: Some(age),
        } => format!("> {}", duration(age)),
        Estimate::Beyond { at_least: None } => {
            limit.map_or("timed out".to_owned(), |limit| format!("> {limit}"))
        }
        Estimate::Unavailable { .. } => NOT_AVAILABLE.to_owned(),
    }
}

/// Formats a percentile with its 95 % confidence interval: `12.3 ms (11.9–12.8)`.
///
/// Without an interval, the result is `12.3 ms (n/a)`; with too few samples, `n/a (120 of 1,000 samples)`.
pub fn estimate_in_full(of: Estimate, limit: Option<Nanos>) -> String {
    match of {
        Estimate::Value {
            value,
            interval: Some((low, high)),
        } => {
            let (size, name) = unit(value);
            let [low, high] = [low, high].map(|end| number(end.0 as f64 / size));
            format!("{} {name} ({low}–{high})", number(value.0 as f64 / size))
        }
        Estimate::Unavailable { have, need } => {
            format!("n/a ({} of {} samples)", count(have), count(need))
        }
        Estimate::Value {
            value,
            interval: None,
        } => format!("{} (n/a)", duration(value)),
        other => estimate(other, limit),
    }
}

#[cfg(test)]
mod tests;
