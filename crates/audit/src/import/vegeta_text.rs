//! Reads vegeta's text report, from version 12 (with the minimum) or older versions (without it).

use super::pieces::{line, printed_time, step};
use super::source::Source;
use crate::figure::Figure;
use crate::results::{Counts, Level, Loop, Method, Results, Row, Times};

pub(super) fn is(text: &str) -> bool {
    line(text, "Latencies").is_some()
        && line(text, "Success").is_some_and(|(_, rest)| rest.starts_with("[ratio]"))
}

pub(super) fn read(source: Source<'_>) -> Results {
    let latency = |name: &str| time(source, "Latencies", name);
    let listed = ["50", "90", "95", "99"]
        .into_iter()
        .zip([0.5, 0.9, 0.95, 0.99]);
    let row = Row {
        at: source.name.to_owned(),
        counts: Counts {
            sent: number(source, "Requests", "total").map(|count| Figure {
                slack: 0.0,
                ..count
            }),
            failures: codes(source),
            success_percent: number(source, "Success", "ratio"),
            ..Counts::default()
        },
        times: Times {
            min: latency("min"),
            mean: latency("mean"),
            max: latency("max"),
            percentiles: listed
                .filter_map(|(name, q)| Some((q, latency(name)?)))
                .collect(),
            method: Method::Sketch,
            fixed_list: true,
            ..Times::default()
        },
        ..Row::default()
    };
    let attack = time(source, "Duration", "attack");
    let mut results = source.results("vegeta text");
    results.levels.push(Level {
        name: "run".to_owned(),
        at: source.name.to_owned(),
        duration_s: attack.map(|span| Figure {
            value: span.value / 1e3,
            slack: span.slack / 1e3,
            ..span
        }),
        offered_per_s: number(source, "Requests", "rate"),
        answered_per_s: number(source, "Requests", "throughput"),
        shape: Some(Loop::Open),
        total: row,
        ..Level::default()
    });
    results
}

/// Returns the value in the column `name`, and the place of its line. A line looks like
/// `Requests [total, rate, throughput] 2000, 1000.60, 900.46`.
fn field(source: Source<'_>, start: &str, name: &str) -> Option<(String, String)> {
    let (index, rest) = line(source.text, start)?;
    let (names, values) = rest.strip_prefix('[')?.split_once(']')?;
    let which = names.split(',').position(|known| known.trim() == name)?;
    let value = values.split(',').nth(which)?.trim().trim_end_matches('%');
    Some((value.to_owned(), source.place(index)))
}

fn number(source: Source<'_>, start: &str, name: &str) -> Option<Figure> {
    let (value, at) = field(source, start, name)?;
    Some(Figure::rounded(value.parse().ok()?, step(&value), at))
}

fn time(source: Source<'_>, start: &str, name: &str) -> Option<Figure> {
    let (value, at) = field(source, start, name)?;
    let (value, slack) = printed_time(&value)?;
    Some(Figure::rounded(value, slack, at))
}

/// Returns the failures in a line such as `Status Codes [code:count] 200:1800 500:200`. Code 0 means that there was no
/// response.
fn codes(source: Source<'_>) -> Vec<(String, Figure)> {
    let Some((index, rest)) = line(source.text, "Status Codes") else {
        return Vec::new();
    };
    let pairs = rest
        .split_whitespace()
        .filter_map(|pair| pair.split_once(':'));
    let failures = pairs.filter(|(code, _)| *code >= "400" || *code == "0");
    let read = |(code, count): (&str, &str)| {
        Some((
            code.to_owned(),
            Figure::exact(count.parse().ok()?, source.place(index)),
        ))
    };
    failures.filter_map(read).collect()
}
