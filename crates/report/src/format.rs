//! The only place where a number becomes a string. Three significant digits, a unit on every number, thousands
//! grouped, no percentage without its counts.

use model::Nanos;
use stats::Estimate;

/// A whole number: `1,234,567`.
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

/// A number of things: `1 user`, `1,000 users`, `2 deliveries`.
pub(crate) fn plural(number: u64, noun: &str) -> String {
    let counted = count(number);
    match noun.strip_suffix('y') {
        _ if number == 1 => format!("{counted} {noun}"),
        Some(stem) => format!("{counted} {stem}ies"),
        None => format!("{counted} {noun}s"),
    }
}

/// Three significant digits, all digits before the point: `0.0123`, `1.23`, `12.3`, `1,234`.
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

/// A number that may be a count: whole ones without a point, others as [`number`].
pub(crate) fn amount(value: f64) -> String {
    const EXACT: f64 = 9e15;
    if value.fract() == 0.0 && value.abs() < EXACT {
        let sign = if value < 0.0 { "-" } else { "" };
        return format!("{sign}{}", group(&format!("{:.0}", value.abs())));
    }
    number(value)
}

/// The unit that a span is told in, and its length in nanoseconds.
fn unit(span: Nanos) -> (f64, &'static str) {
    match span.0 {
        0..999_500 => (1e3, "µs"),
        999_500..999_500_000 => (1e6, "ms"),
        _ => (1e9, "s"),
    }
}

/// A span that was measured: `0.85 µs`, `12.3 ms`, `15.0 s`.
pub(crate) fn duration(span: Nanos) -> String {
    let (size, name) = unit(span);
    format!("{} {name}", number(span.0 as f64 / size))
}

/// A span given in milliseconds.
pub(crate) fn millis(millis: f64) -> String {
    duration(Nanos::from_secs_f64(millis / 1e3))
}

/// A span given in seconds, as people plan it: `30 s`, `0.25 s`.
pub(crate) fn seconds(seconds: f64) -> String {
    let text = number(seconds);
    let trimmed = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    format!("{trimmed} s")
}

/// So many per second: `1,234/s`.
pub(crate) fn rate(per_second: f64) -> String {
    format!("{}/s", number(per_second))
}

/// How many per second there were in `duration_s` seconds; `None` when there was no time.
pub(crate) fn rate_of(count: u64, duration_s: f64) -> Option<String> {
    (duration_s > 0.0).then(|| rate(count as f64 / duration_s))
}

/// A share of a core, a time or a limit. Shares of counts go through [`share`].
pub(crate) fn percent(percent: f64) -> String {
    format!("{} %", number(percent))
}

/// A part of a whole: `0`, `3 (0.30 %)`.
pub(crate) fn part(part: u64, whole: u64) -> String {
    if part == 0 || whole == 0 {
        return count(part);
    }
    format!("{} ({})", count(part), percent_of(part, whole))
}

/// A part of a whole in a sentence: `3 of 1,000 (0.30 %)`.
pub(crate) fn share(part: u64, whole: u64) -> String {
    let percent = percent_of(part, whole);
    format!("{} of {} ({percent})", count(part), count(whole))
}

/// Almost all is never rounded up to all.
fn percent_of(part: u64, whole: u64) -> String {
    let share = part as f64 / whole.max(1) as f64 * 100.0;
    if part < whole && share >= 99.95 {
        return "> 99.9 %".to_owned();
    }
    percent(share)
}

/// Memory given in MB: `25.1 MB`, `1.25 GB`.
pub(crate) fn megabytes(megabytes: f64) -> String {
    if megabytes < 999.5 {
        format!("{} MB", number(megabytes))
    } else {
        format!("{} GB", number(megabytes / 1e3))
    }
}

/// Bytes: `512 B`, `1.50 kB`, `3.20 MB`.
pub(crate) fn bytes(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..999_500 => format!("{} kB", number(bytes as f64 / 1e3)),
        _ => megabytes(bytes as f64 / 1e6),
    }
}

/// A percentile for a narrow column: `12.3 ms`, `> 15 s`, `n/a`.
pub(crate) fn estimate(estimate: Estimate, limit: Option<Nanos>) -> String {
    match estimate {
        Estimate::Value { value, .. } => duration(value),
        Estimate::Beyond {
            at_least: Some(age),
        } => format!("> {}", duration(age)),
        Estimate::Beyond { at_least: None } => {
            limit.map_or("timed out".to_owned(), |limit| format!("> {limit}"))
        }
        Estimate::Unavailable { .. } => "n/a".to_owned(),
    }
}

/// A percentile with all that is known of it: `12.3 ms (11.9–12.8)`, `12.3 ms (n/a)` where the samples carry no interval,
/// `n/a (120 of 1,000 samples)`.
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

/// At most `width` characters, the rest shown as `…`; line breaks become spaces.
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

/// At most `most` lines of at most `width` characters, broken between words; what does not fit is shown as `…`.
pub(crate) fn wrap(text: &str, width: usize, most: usize) -> Vec<String> {
    let mut rest = shorten(text, usize::MAX);
    let mut lines = Vec::new();
    while lines.len() + 1 < most && rest.chars().count() > width {
        // A space behind the last character that fits is a good place, too.
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
