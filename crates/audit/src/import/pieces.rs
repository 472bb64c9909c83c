//! Helpers for the readers of JSON and text.

use std::io::{BufRead, Read as _};

use serde_json::Value;

use super::source::Source;
use crate::figure::Figure;
use crate::import_error::ImportError;

/// Returns the number at a path of keys, multiplied by `scale`. `slack` is in the unit of the result.
pub(super) fn figure(root: &Value, path: &[&str], scale: f64, slack: f64) -> Option<Figure> {
    let found = path.iter().try_fold(root, |value, key| value.get(key))?;
    let number = found.as_f64().filter(|number| number.is_finite())?;
    Some(Figure::rounded(number * scale, slack, path.join(".")))
}

/// Widens the slack to `share` of the value plus `least`, for a sketch or a histogram with few digits.
pub(super) fn widen(figure: Option<Figure>, share: f64, least: f64) -> Option<Figure> {
    figure.map(|figure| Figure {
        slack: figure.slack.max(figure.value.abs() * share + least),
        ..figure
    })
}

/// Reads a time as Go and C tools print it, such as `1.017ms` or `2.00s`. Returns the time and the value of one unit of
/// its last digit, in milliseconds.
pub(super) fn printed_time(text: &str) -> Option<(f64, f64)> {
    let text = text.trim();
    let end = text.find(|byte: char| !(byte.is_ascii_digit() || byte == '.'))?;
    let (number, unit) = text.split_at(end);
    let scale = match unit.trim() {
        "ns" => 1e-6,
        "us" | "µs" => 1e-3,
        "ms" => 1.0,
        "s" | "sec" | "secs" => 1e3,
        "m" | "min" => 6e4,
        "h" => 3.6e6,
        longer => return compound(number, longer),
    };
    Some((number.parse::<f64>().ok()? * scale, step(number) * scale))
}

/// Reads a time such as `1m2.5s`.
fn compound(minutes: &str, rest: &str) -> Option<(f64, f64)> {
    let (value, slack) = printed_time(rest.strip_prefix('m')?)?;
    Some((minutes.parse::<f64>().ok()? * 6e4 + value, slack))
}

/// Returns the value of one unit of the last printed digit.
pub(super) fn step(number: &str) -> f64 {
    let places = number.split_once('.').map_or(0, |(_, places)| places.len());
    10f64.powi(-i32::try_from(places).unwrap_or(0))
}

/// Returns the first number in a text, and the value of one unit of its last digit.
pub(super) fn first_number(text: &str) -> Option<(f64, f64)> {
    let from = text.find(|byte: char| byte.is_ascii_digit())?;
    let rest = &text[from..];
    let end = rest
        .find(|byte: char| !(byte.is_ascii_digit() || byte == '.'))
        .unwrap_or(rest.len());
    let number = rest[..end].trim_end_matches('.');
    Some((number.parse().ok()?, step(number)))
}

/// Reads lines one by one, so memory use does not grow with their number. `take` receives the line's number, the line,
/// and whether a newline ends it.
pub(super) fn lines(
    (source, form): (Source<'_>, &'static str),
    text: &mut dyn BufRead,
    mut take: impl FnMut(usize, &str, bool) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    /// Maximum length of a line in bytes. A sample has a few hundred bytes, so a longer line is not a sample.
    const LONGEST: u64 = 1 << 20;
    let mut line = Vec::new();
    for number in 1.. {
        let broken = |why: String| source.broken(form, format!("line {number}: {why}"));
        line.clear();
        let mut ahead = (&mut *text).take(LONGEST);
        let read = ahead
            .read_until(b'\n', &mut line)
            .map_err(|why| broken(why.to_string()))?;
        if read == 0 {
            break;
        }
        let whole = line.ends_with(b"\n");
        if !whole && line.len() as u64 == LONGEST {
            return Err(broken("longer than 1 MiB".to_owned()));
        }
        match std::str::from_utf8(&line) {
            Ok(line) => take(number, line.trim(), whole)?,
            Err(_) if !whole => {}
            Err(why) => return Err(broken(why.to_string())),
        }
    }
    Ok(())
}

/// Returns the number of the first line that begins with `start`, and the rest of that line.
pub(super) fn line<'a>(text: &'a str, start: &str) -> Option<(usize, &'a str)> {
    let mut lines = text.lines().enumerate();
    let (index, line) = lines.find(|(_, line)| line.trim_start().starts_with(start))?;
    Some((index + 1, line.trim_start()[start.len()..].trim()))
}

impl Source<'_> {
    /// Returns the place of a line.
    pub(super) fn place(self, line: usize) -> String {
        format!("{}:{line}", self.name)
    }

    /// Returns the time after the start of a line, in milliseconds.
    pub(super) fn time(self, start: &str) -> Option<Figure> {
        let (index, rest) = line(self.text, start)?;
        let (value, slack) = printed_time(rest)?;
        Some(Figure::rounded(value, slack, self.place(index)))
    }

    /// Returns the time after the start of a line, in seconds.
    pub(super) fn seconds(self, start: &str) -> Option<Figure> {
        let time = self.time(start)?;
        Some(Figure {
            value: time.value / 1e3,
            slack: time.slack / 1e3,
            ..time
        })
    }

    /// Returns the first number after the start of a line.
    pub(super) fn number(self, start: &str) -> Option<Figure> {
        let (index, rest) = line(self.text, start)?;
        let (value, slack) = first_number(rest)?;
        Some(Figure::rounded(value, slack, self.place(index)))
    }
}
