//! Reads `JMeter`'s sample log (JTL) as CSV with a header. Times are whole milliseconds.

use std::io::BufRead;

use csv::StringRecord;

use super::csv_table::{Columns, delimiter, each};
use super::samples::{Named, Samples};
use super::source::Source;
use crate::figure::Figure;
use crate::import_error::ImportError;
use crate::results::{Level, Loop, Results, Row};

const FORM: &str = "a JMeter log";

pub(super) fn is(first: &str) -> bool {
    let delimiter = char::from(delimiter(first.as_bytes()));
    ["timeStamp", "elapsed", "label"]
        .iter()
        .all(|column| first.split(delimiter).any(|name| name.trim() == *column))
}

/// Whether the line comes from a log without a header, as written by versions before 3.0.
pub(super) fn is_sample(line: &str) -> bool {
    let cells: Vec<&str> = line.split(char::from(delimiter(line.as_bytes()))).collect();
    let digits = |cell: &str| !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_digit());
    cells.len() >= 8
        && cells[0].len() == 13
        && cells[..2].iter().all(|cell| digits(cell))
        && cells.iter().any(|cell| matches!(*cell, "true" | "false"))
}

#[derive(Default)]
struct Log {
    by_label: Named,
    /// Transactions, keyed by label. A transaction repeats the samples of its requests.
    transactions: Named,
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
        let repeats = text("responseMessage")
            .is_some_and(|message| message.starts_with("Number of samples in transaction"));
        if repeats {
            self.transactions
                .note(label, began, took, failed.then(kind));
        } else {
            self.by_label.note(label, began, took, failed.then(kind));
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
            let why = format!(
                "`timeStamp` or `elapsed` in line {line} is not a number of milliseconds \
                 (set jmeter.save.saveservice.timestamp_format=ms)"
            );
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
    let repeated = |row: Row| Row {
        repeats: true,
        ..row
    };
    let transactions = log.transactions.rows(source.name, 1.0);
    level.rows = log.by_label.rows(source.name, 1.0);
    level.rows.extend(transactions.into_iter().map(repeated));
    let mut results = source.results("JMeter JTL");
    results.levels.push(level);
    Ok(results)
}
