//! Reads CSV with a header. Fields are selected by the names of their columns.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Read};

use csv::StringRecord;

use super::source::Source;
use crate::import_error::ImportError;

/// The index of each column, keyed by name.
pub(super) struct Columns(BTreeMap<String, usize>);

impl Columns {
    pub(super) fn text<'a>(&self, row: &'a StringRecord, column: &str) -> Option<&'a str> {
        row.get(*self.0.get(column)?)
    }

    pub(super) fn number(&self, row: &StringRecord, column: &str) -> Option<f64> {
        let number = self.text(row, column)?.trim().parse::<f64>().ok();
        number.filter(|number| number.is_finite())
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

/// A CSV table that has been read completely.
pub(super) struct CsvTable {
    pub(super) columns: Columns,
    /// The rows, each with its line number in the file.
    pub(super) rows: Vec<(u64, StringRecord)>,
}

impl CsvTable {
    pub(super) fn read(source: Source<'_>, form: &'static str) -> Result<Self, ImportError> {
        let mut rows = Vec::new();
        let columns = each(
            (source, form),
            &mut source.text.as_bytes(),
            |_, line, row| {
                rows.push((line, row.clone()));
                Ok(())
            },
        )?;
        Ok(Self { columns, rows })
    }
}

/// Maximum length of a row in bytes. Real rows have a few hundred bytes; a longer one comes from an unclosed quote.
const LONGEST: u64 = 1 << 24;

/// Maximum length in bytes of a row that counts as truncated at the end of the file.
const HALF_A_LINE: usize = 1 << 16;

/// A reader that fails after [`LONGEST`] bytes. The limit is reset after each row.
struct Rows<'a> {
    text: &'a mut dyn BufRead,
    left: u64,
}

impl Read for Rows<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.text.read(buffer)?;
        let too_long =
            || io::Error::other("a row is longer than 16 MiB: check for an unclosed quote");
        self.left = self.left.checked_sub(read as u64).ok_or_else(too_long)?;
        Ok(read)
    }
}

/// Reads the rows one by one, so memory use does not grow with their number. A last row that is shorter than the header
/// was truncated, and is omitted.
pub(super) fn each(
    (source, form): (Source<'_>, &'static str),
    text: &mut dyn BufRead,
    mut take: impl FnMut(&Columns, u64, &StringRecord) -> Result<(), ImportError>,
) -> Result<Columns, ImportError> {
    let delimiter = {
        let ahead = text
            .fill_buf()
            .map_err(|why| source.broken(form, why.to_string()))?;
        delimiter(ahead)
    };
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(Rows {
            text,
            left: LONGEST,
        });
    let broken = |line: u64, why: csv::Error| source.broken(form, format!("line {line}: {why}"));
    let header = reader.headers().map_err(|why| broken(1, why))?.clone();
    let names = header.iter().enumerate();
    let columns = Columns(
        names
            .map(|(index, name)| (name.trim().to_owned(), index))
            .collect(),
    );
    let (mut row, mut next) = (StringRecord::new(), StringRecord::new());
    let mut line = reader.position().line();
    let mut more = reader
        .read_record(&mut row)
        .map_err(|why| broken(line, why))?;
    while more {
        reader.get_mut().left = LONGEST;
        line = reader.position().line();
        more = reader
            .read_record(&mut next)
            .map_err(|why| broken(line, why))?;
        // A truncated line is short. After an unclosed quote, the rest of the file is long.
        let number = row.position().map_or(0, csv::Position::line);
        if !more && row.len() < header.len() && row.as_slice().len() > HALF_A_LINE {
            let why = format!("line {number}: check for an unclosed quote");
            return Err(source.broken(form, why));
        }
        if more || row.len() >= header.len() {
            take(&columns, number, &row)?;
        }
        std::mem::swap(&mut row, &mut next);
    }
    Ok(columns)
}

/// Returns the delimiter of the first line: a comma, semicolon or tab. Spreadsheets with a decimal comma write
/// semicolons.
pub(super) fn delimiter(text: &[u8]) -> u8 {
    let line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let parts = |of: u8| line.split(|&byte| byte == of).count();
    let all = [b'\t', b';', b','];
    all.into_iter().max_by_key(|&of| parts(of)).unwrap_or(b',')
}
