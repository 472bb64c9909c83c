//! `JMeter`'s log of samples (JTL) as CSV with a header. Times are whole milliseconds.

use std::collections::BTreeMap;

use super::csv_table::CsvTable;
use super::samples::Samples;
use super::{ImportError, Source};
use crate::{Figure, Level, Loop, Results};

const FORM: &str = "a JMeter log";

pub(super) fn is(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    ["timeStamp", "elapsed", "label"]
        .iter()
        .all(|column| first.split(',').any(|name| name.trim() == *column))
}

pub(super) fn read(source: Source<'_>) -> Result<Results, ImportError> {
    let table = CsvTable::read(source, FORM)?;
    let mut by_label: BTreeMap<String, Samples> = BTreeMap::new();
    let mut whole = Samples::default();
    let mut threads = 0f64;
    for (line, record) in &table.rows {
        let number = |column: &str| table.number(record, column);
        let (Some(began), Some(took)) = (number("timeStamp"), number("elapsed")) else {
            return Err(source.broken(FORM, format!("line {line} has no time")));
        };
        let failed = table
            .text(record, "success")
            .is_some_and(|text| text.eq_ignore_ascii_case("false"));
        let kind = || {
            table
                .text(record, "responseCode")
                .unwrap_or("failed")
                .to_owned()
        };
        let label = table.text(record, "label").unwrap_or_default();
        by_label
            .entry(label.to_owned())
            .or_default()
            .note(began, took, failed.then(kind));
        whole.note(began, took, failed.then(kind));
        threads = threads.max(number("allThreads").unwrap_or(0.0));
    }
    let users = (threads > 0.0).then(|| Figure::exact(threads, source.name));
    let mut level = Level {
        name: "run".to_owned(),
        at: source.name.to_owned(),
        duration_s: whole
            .duration_s()
            .map(|span| Figure::rounded(span, 0.002, source.name)),
        shape: users.is_some().then_some(Loop::Closed),
        users,
        total: whole.row("", source.name, 1.0),
        ..Level::default()
    };
    level.rows = by_label
        .into_iter()
        .map(|(label, samples)| samples.row(&label, source.name, 1.0))
        .collect();
    let mut results = source.results("JMeter JTL");
    results.levels.push(level);
    Ok(results)
}
