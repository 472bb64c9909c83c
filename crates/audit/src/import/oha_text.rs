//! oha's text.

use super::pieces::{first_number, line, printed_time};
use super::{ImportError, Source};
use crate::{Counts, Figure, Level, Results, Row, Times};

pub(super) fn is(text: &str) -> bool {
    line(text, "Success rate:").is_some() && line(text, "Slowest:").is_some()
}

pub(super) fn read(source: Source<'_>) -> Result<Results, ImportError> {
    let text = source.text;
    let at = |index: usize| format!("{}:{index}", source.name);
    let time = |start: &str| {
        let (index, rest) = line(text, start)?;
        let (value, slack) = printed_time(rest)?;
        Some(Figure::rounded(value, slack, at(index)))
    };
    let number = |start: &str| {
        let (index, rest) = line(text, start)?;
        let (value, slack) = first_number(rest)?;
        Some(Figure::rounded(value, slack, at(index)))
    };
    let codes = codes(text, &at);
    let answered: f64 = codes.iter().map(|(_, count)| count.value).sum();
    let row = Row {
        at: source.name.to_owned(),
        counts: Counts {
            sent: (answered > 0.0).then(|| Figure::exact(answered, source.name)),
            failures: codes
                .into_iter()
                .filter(|(code, _)| code.as_str() >= "400")
                .collect(),
            success_percent: number("Success rate:"),
            ..Counts::default()
        },
        rate_per_s: number("Requests/sec:").map(|rate| Figure {
            slack: rate.value * 0.01,
            ..rate
        }),
        times: Times {
            min: time("Fastest:"),
            mean: time("Average:"),
            max: time("Slowest:"),
            percentiles: percentiles(text, &at),
            fixed_list: true,
            ..Times::default()
        },
        ..Row::default()
    };
    let mut results = source.results("oha text");
    results.levels.push(Level {
        name: "run".to_owned(),
        at: source.name.to_owned(),
        duration_s: time("Total:").map(|span| Figure {
            value: span.value / 1e3,
            slack: span.slack / 1e3,
            ..span
        }),
        total: row,
        ..Level::default()
    });
    Ok(results)
}

/// `99.00% in 7.8874 ms`, as oha and hey print it.
pub(super) fn percentiles(text: &str, at: &impl Fn(usize) -> String) -> Vec<(f64, Figure)> {
    let lines = text.lines().enumerate();
    let read = |(index, line): (usize, &str)| {
        let (percent, rest) = line.trim().split_once("% in ")?;
        let (value, slack) = printed_time(rest)?;
        Some((
            percent.parse::<f64>().ok()? / 100.0,
            Figure::rounded(value, slack, at(index + 1)),
        ))
    };
    lines.filter_map(read).collect()
}

/// `[200] 48824 responses`
pub(super) fn codes(text: &str, at: &impl Fn(usize) -> String) -> Vec<(String, Figure)> {
    let lines = text.lines().enumerate();
    let read = |(index, line): (usize, &str)| {
        let (code, rest) = line.trim().strip_prefix('[')?.split_once(']')?;
        let count = rest
            .trim()
            .strip_suffix("responses")?
            .trim()
            .parse::<f64>()
            .ok()?;
        Some((code.to_owned(), Figure::exact(count, at(index + 1))))
    };
    lines.filter_map(read).collect()
}
