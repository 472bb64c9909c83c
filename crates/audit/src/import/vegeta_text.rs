//! vegeta's text report, of version 12 (with the minimum) and older ones (without).

use super::pieces::{line, printed_time, step};
use super::{ImportError, Source};
use crate::{Counts, Figure, Level, Loop, Method, Results, Row, Times};

pub(super) fn is(text: &str) -> bool {
    line(text, "Latencies").is_some()
        && line(text, "Success").is_some_and(|(_, rest)| rest.starts_with("[ratio]"))
}

pub(super) fn read(source: Source<'_>) -> Result<Results, ImportError> {
    let text = source.text;
    let at = |index: usize| format!("{}:{index}", source.name);
    let fields = |start: &str| {
        let (index, rest) = line(text, start)?;
        let (names, values) = rest.strip_prefix('[')?.split_once(']')?;
        let split = |list: &str| {
            list.split(',')
                .map(|one| one.trim().to_owned())
                .collect::<Vec<String>>()
        };
        Some((index, split(names), split(values)))
    };
    let plain = |start: &str, name: &str| {
        let (index, names, values) = fields(start)?;
        let value = values
            .get(names.iter().position(|known| known == name)?)?
            .trim_end_matches('%')
            .to_owned();
        Some(Figure::rounded(
            value.parse().ok()?,
            step(&value),
            at(index),
        ))
    };
    let time = |start: &str, name: &str| {
        let (index, names, values) = fields(start)?;
        let (value, slack) =
            printed_time(values.get(names.iter().position(|known| known == name)?)?)?;
        Some(Figure::rounded(value, slack, at(index)))
    };
    let listed = ["50", "90", "95", "99"]
        .into_iter()
        .zip([0.5, 0.9, 0.95, 0.99]);
    let sent = plain("Requests", "total").map(|count| Figure {
        slack: 0.0,
        ..count
    });
    let row = Row {
        at: source.name.to_owned(),
        counts: Counts {
            sent,
            failures: codes(text, &at),
            success_percent: plain("Success", "ratio"),
            ..Counts::default()
        },
        times: Times {
            min: time("Latencies", "min"),
            mean: time("Latencies", "mean"),
            max: time("Latencies", "max"),
            percentiles: listed
                .filter_map(|(name, q)| Some((q, time("Latencies", name)?)))
                .collect(),
            method: Method::Sketch,
            fixed_list: true,
            ..Times::default()
        },
        ..Row::default()
    };
    let attack = time("Duration", "attack").map(|span| Figure {
        value: span.value / 1e3,
        slack: span.slack / 1e3,
        ..span
    });
    let mut results = source.results("vegeta text");
    results.levels.push(Level {
        name: "run".to_owned(),
        at: source.name.to_owned(),
        duration_s: attack,
        offered_per_s: plain("Requests", "rate"),
        shape: Some(Loop::Open),
        total: row,
        ..Level::default()
    });
    Ok(results)
}

/// `Status Codes [code:count] 200:1800 500:200`, those of failures.
fn codes(text: &str, at: &impl Fn(usize) -> String) -> Vec<(String, Figure)> {
    let Some((index, rest)) = line(text, "Status Codes") else {
        return Vec::new();
    };
    let pairs = rest
        .split_whitespace()
        .filter_map(|pair| pair.split_once(':'));
    let read = |(code, count): (&str, &str)| {
        Some((
            code.to_owned(),
            Figure::exact(count.parse().ok()?, at(index)),
        ))
    };
    pairs
        .filter(|(code, _)| *code >= "400" || *code == "0")
        .filter_map(read)
        .collect()
}
