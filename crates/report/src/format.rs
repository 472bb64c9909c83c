//! Formats numbers for the whole report: three significant digits, a unit on every number, grouped thousands, and no
//! percentage without its counts.

use model::Nanos;
use stats::Estimate;

/// Stands for a percentile that has too few samples.
pub(crate) const NOT_AVAILABLE: &str = "n/a";

/// Formats a whole number: `1,234,567`.
pub(crate) fn count(number: u64) -> String {
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
pub(crate) fn plural(number: u64, noun: &str) -> String {
    let counted = count(number);
    match noun.strip_suffix('y') {
        _ if number == 1 => format!("{counted} {noun}"),
        Some(stem) => format!("{counted} {stem}ies"),
        None => format!("{counted} {noun}s"),
    }
}

/// Formats with three significant digits and all digits before the point: `0.0123`, `1.23`, `12.3`, `1,234`.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    let decimals = match size {
        _ if size == 0.0 || size >= 99.95 => 0,
        _ if size >= 9.995 => 1,
        _ if size >= 0.0995 => 2,
        _ if size >= 0.00995 => 3,
        _ if size >= 0.000_995 => 4,
        _ if size >= 0.000_099_5 => 5,
        _ if size >= 0.000_000_995 => 6,
        _ => return format!("{value:.2e}"),
    };
    let text = format!("{size:.decimals$}");
    let (whole, fraction) = text
        .split_once('.')
        .map_or((text.as_str(), ""), |parts| parts);
    let sign = if value < 0.0 { "-" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{}{point}{fraction}", group(whole))
}

/// Formats a number that may be a count: whole numbers without a point, others as in [`number`].
pub(crate) fn amount(value: f64) -> String {
    const EXACT: f64 = 9e15;
    if value.fract() == 0.0 && value.abs() < EXACT {
        let sign = if value < 0.0 { "-" } else { "" };
        return format!("{sign}{}", group(&format!("{:.0}", value.abs())));
    }
    number(value)
}

/// Returns the unit in which a duration is shown, as nanoseconds and as its name.
fn unit(span: Nanos) -> (f64, &'static str) {
    match span.0 {
        0..999_500 => (1e3, "µs"),
        999_500..999_500_000 => (1e6, "ms"),
        _ => (1e9, "s"),
    }
}

/// Formats a measured duration: `0.85 µs`, `12.3 ms`, `15.0 s`.
pub(crate) fn duration(span: Nanos) -> String {
    let (size, name) = unit(span);
    format!("{} {name}", number(span.0 as f64 / size))
}

/// Formats a duration given in milliseconds.
pub(crate) fn millis(millis: f64) -> String {
    duration(Nanos::from_secs_f64(millis / 1e3))
}

/// Formats a planned duration given in seconds: `30 s`, `0.25 s`.
pub(crate) fn seconds(seconds: f64) -> String {
    let text = number(seconds);
    let trimmed = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    format!("{trimmed} s")
}

/// Formats a rate per second: `1,234/s`.
pub(crate) fn rate(per_second: f64) -> String {
    format!("{}/s", number(per_second))
}

/// Formats `count` events in `duration_s` seconds as a rate per second. `None` if the duration is 0.
pub(crate) fn rate_of(count: u64, duration_s: f64) -> Option<String> {
    (duration_s > 0.0).then(|| rate(count as f64 / duration_s))
}

/// Formats a share of a core, a time or a limit. For shares of counts use [`share`].
pub(crate) fn percent(percent: f64) -> String {
    format!("{} %", number(percent))
}

/// Formats a part of a whole for a column: `0`, `3 (0.30 %)`.
pub(crate) fn part(part: u64, whole: u64) -> String {
    if part == 0 || whole == 0 {
        return count(part);
    }
    format!("{} ({})", count(part), percent_of(part, whole))
}

/// Formats a part of a whole for a sentence: `3 of 1,000 (0.30 %)`.
pub(crate) fn share(part: u64, whole: u64) -> String {
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
pub(crate) fn megabytes(megabytes: f64) -> String {
    if megabytes < 999.5 {
        format!("{} MB", number(megabytes))
    } else {
        format!("{} GB", number(megabytes / 1e3))
    }
}

/// Formats bytes: `512 B`, `1.50 kB`, `3.20 MB`.
pub(crate) fn bytes(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..999_500 => format!("{} kB", number(bytes as f64 / 1e3)),
        _ => megabytes(bytes as f64 / 1e6),
    }
}

/// Formats a percentile for a narrow column: `12.3 ms`, `> 15 s`, `n/a`. `limit` is the timeout.
pub(crate) fn estimate(estimate: Estimate, limit: Option<Nanos>) -> String {
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

/// Formats a percentile with its 95 % interval: `12.3 ms (11.9–12.8)`.
///
/// Without an interval: `12.3 ms (n/a)`. With too few samples: `n/a (120 of 1,000 samples)`.
pub(crate) fn estimate_in_full(of: Estimate, limit: Option<Nanos>) -> String {
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

/// Shortens the text to `width` characters, with `…` at the end. Control characters become spaces.
pub(crate) fn shorten(text: &str, width: usize) -> String {
    let line: Vec<char> = text
        .trim_end()
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if line.len() <= width {
        return line.into_iter().collect();
    }
    line.into_iter()
        .take(width.saturating_sub(1))
        .chain(['…'])
        .collect()
}

/// Breaks the text between words into at most `most` lines of at most `width` characters. The last line ends with `…`
/// if text is left.
pub(crate) fn wrap(text: &str, width: usize, most: usize) -> Vec<String> {
    let mut rest = shorten(text, usize::MAX);
    let mut lines = Vec::new();
    while lines.len() + 1 < most && rest.chars().count() > width {
        // A space directly after the last fitting character is a good place to break, too.
        let end = rest
            .char_indices()
            .nth(width + 1)
            .map_or(rest.len(), |(at, _)| at);
        let at = rest[..end].rfind(' ').filter(|at| *at > 0);
        let Some(at) = at else { break };
        let next = rest[at..].trim_start().to_owned();
        rest.truncate(at);
        lines.push(std::mem::replace(&mut rest, next));
    }
    lines.push(shorten(&rest, width));
    lines
}

#[cfg(test)]
mod tests;
