//! Reads the samples of hey as CSV (`-o csv`). hey's text output is similar to oha's, and `oha_text` reads it.

use std::io::BufRead;

use super::csv_table::each;
use super::samples::Samples;
use super::source::Source;
use crate::figure::Figure;
use crate::import_error::ImportError;
use crate::results::{Level, Results};

pub(super) fn is(first: &str) -> bool {
    first.starts_with("response-time,DNS+dialup,DNS,")
}

pub(super) fn read(source: Source<'_>, text: &mut dyn BufRead) -> Result<Results, ImportError> {
    const FORM: &str = "hey's CSV";
    /// hey prints seconds with four decimals.
    const RESOLUTION_MS: f64 = 0.1;
    let mut samples = Samples::default();
    each((source, FORM), text, |columns, line, record| {
        let number = |column: &str| columns.number(record, column);
        let (Some(took), Some(offset)) = (number("response-time"), number("offset")) else {
            return Err(source.broken(FORM, format!("line {line} has no time")));
        };
        let code = columns.text(record, "status-code").unwrap_or_default();
        let failure = (code >= "400").then(|| code.to_owned());
        samples.note(1e3 * offset, 1e3 * took, failure);
        Ok(())
    })?;
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
