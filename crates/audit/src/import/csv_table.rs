//! CSV with a header, read by the names of its columns.

use std::collections::BTreeMap;

use super::{ImportError, Source};

pub(super) struct CsvTable {
    columns: BTreeMap<String, usize>,
    /// Each with its line in the file.
    pub(super) rows: Vec<(u64, csv::StringRecord)>,
}

impl CsvTable {
    pub(super) fn read(source: Source<'_>, form: &'static str) -> Result<Self, ImportError> {
        let mut reader = csv::ReaderBuilder::new()
            .flexible(true)
            .from_reader(source.text.as_bytes());
        let broken = |why: csv::Error| source.broken(form, why.to_string());
        let header = reader.headers().map_err(broken)?.clone();
        let columns = header
            .iter()
            .enumerate()
            .map(|(index, name)| (name.trim().to_owned(), index))
            .collect();
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(broken)?;
            let line = record.position().map_or(0, csv::Position::line);
            rows.push((line, record));
        }
        Ok(Self { columns, rows })
    }

    pub(super) fn text<'a>(&self, row: &'a csv::StringRecord, column: &str) -> Option<&'a str> {
        row.get(*self.columns.get(column)?)
    }

    pub(super) fn number(&self, row: &csv::StringRecord, column: &str) -> Option<f64> {
        self.text(row, column)?
            .parse::<f64>()
            .ok()
            .filter(|number| number.is_finite())
    }

    pub(super) fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.keys().map(String::as_str)
    }
}
