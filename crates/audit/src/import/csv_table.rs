//! CSV with a header, read by the names of its columns.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Read};

use csv::StringRecord;

use super::{ImportError, Source};

/// Where each column stands.
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

/// A whole table.
pub(super) struct CsvTable {
    pub(super) columns: Columns,
    /// Each with its line in the file.
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

/// A row is some hundred bytes: what is so long is none, or a quote that nobody closed.
const LONGEST: u64 = 1 << 24;

/// Longer than what a line that was cut off may be.
const HALF_A_LINE: usize = 1 << 16;

/// Reads no more than that until it is told that a row has come to its end.
struct Rows<'a> {
    text: &'a mut dyn BufRead,
    left: u64,
}

impl Read for Rows<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.text.read(buffer)?;
        let too_long = || io::Error::other("longer than 16 MiB: is a quote not closed?");
        self.left = self.left.checked_sub(read as u64).ok_or_else(too_long)?;
        Ok(read)
    }
}

/// Goes over the rows one by one, however many there are. A last row that is shorter than the header was cut off, and is
/// left out.
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
        // Half a line is short; the rest of a file behind an open quote is not.
        let number = row.position().map_or(0, csv::Position::line);
        if !more && row.len() < header.len() && row.as_slice().len() > HALF_A_LINE {
            let why = format!("line {number}: is a quote not closed?");
            return Err(source.broken(form, why));
        }
        if more || row.len() >= header.len() {
            take(&columns, number, &row)?;
        }
        std::mem::swap(&mut row, &mut next);
    }
    Ok(columns)
}

/// What stands between the columns of the first line: a comma, or what people in places with a decimal comma have.
pub(super) fn delimiter(text: &[u8]) -> u8 {
    let line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let parts = |of: u8| line.split(|&byte| byte == of).count();
    let all = [b'\t', b';', b','];
    all.into_iter().max_by_key(|&of| parts(of)).unwrap_or(b',')
}
