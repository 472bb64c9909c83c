//! `JMeter`'s log of samples (JTL) as CSV with a header. Times are whole milliseconds.

use std::collections::BTreeMap;
use std::io::BufRead;

use csv::StringRecord;

use super::csv_table::{Columns, delimiter, each};
use super::samples::Samples;
use super::{ImportError, Source};
use crate::{Figure, Level, Loop, Results};

const FORM: &str = "a JMeter log";

pub(super) fn is(first: &str) -> bool {
    let delimiter = char::from(delimiter(first.as_bytes()));
    ["timeStamp", "elapsed", "label"]
        .iter()
        .all(|column| first.split(delimiter).any(|name| name.trim() == *column))
}

#[derive(Default)]
struct Log {
    by_label: BTreeMap<String, Samples>,
    whole: Samples,
    threads: f64,
}

impl Log {
    fn note(&mut self, columns: &Columns, record: &StringRecord) -> Option<()> {
        let number = |column: &str| columns.number(record, column);
        let text = |column: &str| columns.text(record, column);
        let (began, took) = (number("timeStamp")?, number("elapsed")?);
        let failed = text("success").is_some_and(|text| text.eq_ignore_ascii_case("false"));
        let kind = || text("responseCode").unwrap_or("failed").to_owned();
        let label = text("label").unwrap_or_default();
        // By reference first: a label is allocated once and not for each of its samples.
        if !self.by_label.contains_key(label) {
            self.by_label.insert(label.to_owned(), Samples::default());
        }
        if let Some(samples) = self.by_label.get_mut(label) {
            samples.note(began, took, failed.then(kind));
        }
        // A transaction's own sample repeats those of its requests.
        let repeats = text("responseMessage")
            .is_some_and(|message| message.starts_with("Number of samples in transaction"));
        if !repeats {
            self.whole.note(began, took, failed.then(kind));
        }
        self.threads = self.threads.max(number("allThreads").unwrap_or(0.0));
        Some(())
    }
}

pub(super) fn read(source: Source<'_>, text: &mut dyn BufRead) -> Result<Results, ImportError> {
    let mut log = Log::default();
    each((source, FORM), text, |columns, line, record| {
        log.note(columns, record).ok_or_else(|| {
            let why = format!("line {line} has no `timeStamp` and `elapsed` in milliseconds");
            source.broken(FORM, why)
        })
    })?;
    let users = (log.threads > 0.0).then(|| Figure::exact(log.threads, source.name));
    let mut level = Level {
        name: "run".to_owned(),
        at: source.name.to_owned(),
        duration_s: log
            .whole
            .duration_s()
            .map(|span| Figure::rounded(span, 0.002, source.name)),
        shape: users.is_some().then_some(Loop::Closed),
        users,
        total: log.whole.row("", source.name, 1.0),
        ..Level::default()
    };
    level.rows = log
        .by_label
        .into_iter()
        .map(|(label, samples)| samples.row(&label, source.name, 1.0))
        .collect();
    let mut results = source.results("JMeter JTL");
    results.levels.push(level);
    Ok(results)
}
