//! hey: its summary as text, and its samples as CSV (`-o csv`), without a failed request in either's times.

use super::csv_table::CsvTable;
use super::oha_text::{codes, percentiles};
use super::pieces::{first_number, line, printed_time};
use super::samples::Samples;
use super::{ImportError, Source};
use crate::{Counts, Figure, Level, Results, Row, Times};

pub(super) fn is(text: &str) -> bool {
    ["Slowest:", "Fastest:", "Latency distribution:"]
        .iter()
        .all(|start| line(text, start).is_some())
}

pub(super) fn is_csv(text: &str) -> bool {
    text.starts_with("response-time,DNS+dialup,DNS,")
}

pub(super) fn read(source: Source<'_>) -> Result<Results, ImportError> {
    let text = source.text;
    let at = |index: usize| format!("{}:{index}", source.name);
    let time = |start: &str| {
        let (index, rest) = line(text, start)?;
        let (value, slack) = printed_time(rest)?;
        Some(Figure::rounded(value, slack, at(index)))
    };
    let rate = line(text, "Requests/sec:").and_then(|(index, rest)| {
        let (value, _) = first_number(rest)?;
        Some(Figure::rounded(value, 0.01 * value, at(index)))
    });
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
            ..Counts::default()
        },
        rate_per_s: rate,
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
    let mut results = source.results("hey text");
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

pub(super) fn read_csv(source: Source<'_>) -> Result<Results, ImportError> {
    const FORM: &str = "hey's CSV";
    /// Four digits of a second.
    const RESOLUTION_MS: f64 = 0.1;
    let table = CsvTable::read(source, FORM)?;
    let mut samples = Samples::default();
    for (line, record) in &table.rows {
        let number = |column: &str| table.number(record, column);
        let (Some(took), Some(offset)) = (number("response-time"), number("offset")) else {
            return Err(source.broken(FORM, format!("line {line} has no time")));
        };
        let code = table.text(record, "status-code").unwrap_or_default();
        samples.note(
            1e3 * offset,
            1e3 * took,
            (code >= "400").then(|| code.to_owned()),
        );
    }
    let duration = samples
        .duration_s()
        .map(|span| Figure::rounded(span, 0.001, source.name));
    let mut results = source.results("hey CSV");
    results.levels.push(Level {
        name: "run".to_owned(),
        at: source.name.to_owned(),
        duration_s: duration,
        total: samples.row("", source.name, RESOLUTION_MS),
        ..Level::default()
    });
    Ok(results)
}
