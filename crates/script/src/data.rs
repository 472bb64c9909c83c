//! Tables of test data, stored once for all workers.

mod header;

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json};

use crate::audio::{Audio, AudioStore, Shape, parse_wav};
use crate::frame::Location;
use crate::root::Root;

/// Maximum size of a file, in bytes.
const FILE_BYTES: u64 = 1 << 30;

/// Rows as consecutive JSON texts.
#[derive(Debug, Default)]
pub(crate) struct Table {
    text: String,
    ends: Vec<usize>,
}

impl Table {
    fn push(&mut self, row: &str) {
        self.text.push_str(row);
        self.ends.push(self.text.len());
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the JSON text of a row.
    pub(crate) fn row(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)?;
        let start = index
            .checked_sub(1)
            .map_or(Some(0), |before| self.ends.get(before).copied())?;
        self.text.get(start..end)
    }
}

/// File format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Format {
    /// A header line, then rows. Fields are separated by this byte.
    Csv(u8),
    /// An array of rows.
    Json,
}

#[derive(Debug)]
struct Tables {
    base: PathBuf,
    root: Root,
    /// The only files, by their paths, if the scenario came from another machine.
    shipped: Option<HashMap<String, Vec<u8>>>,
    /// Paths of the files that were read.
    read: Mutex<BTreeSet<String>>,
    list: Mutex<Vec<Arc<Table>>>,
    index: Mutex<HashMap<(PathBuf, Format), usize>>,
    unique: Mutex<Vec<UniqueTable>>,
    audio: AudioStore,
}

/// A table that was opened with `take: "unique"`, so each user needs a separate row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UniqueTable {
    /// Path as in the script.
    pub path: String,
    /// Number of rows.
    pub rows: usize,
    /// The line that opened the table.
    pub location: Option<Location>,
}

/// The tables that the modules of a scenario opened. The first worker that needs a file reads it. Clones share the
/// tables.
#[derive(Clone, Debug)]
pub struct DataStore(Arc<Tables>);

impl DataStore {
    /// Creates a store. Paths are relative to `base`, the folder of the scenario, and must stay inside it.
    pub fn new(base: &Path) -> Self {
        Self::within(base, base)
    }

    /// Creates a store. Paths are relative to `base`, and may refer to any file in the folder `root`.
    pub fn within(base: &Path, root: &Path) -> Self {
        Self::with(base, root, None)
    }

    /// Creates a store of files that came from another machine, as pairs of path and content in Base64. It reads nothing
    /// from this machine.
    pub fn shipped(files: &[(String, String)]) -> Result<Self, String> {
        let decoded = files.iter().map(|(path, content)| {
            let content = STANDARD.decode(content);
            let content = content.map_err(|why| format!("{path}: {why}"))?;
            Ok((path.clone(), content))
        });
        let files = decoded.collect::<Result<_, String>>()?;
        Ok(Self::with(Path::new(""), Path::new(""), Some(files)))
    }

    /// Returns the files that were read so far, as pairs of path and content in Base64.
    pub fn to_ship(&self) -> Result<Vec<(String, String)>, String> {
        let read = self.0.read.lock().unwrap_or_else(PoisonError::into_inner);
        let files = read.iter().map(|path| {
            let content = STANDARD.encode(self.contents(path)?);
            Ok((path.clone(), content))
        });
        files.collect()
    }

    fn with(base: &Path, root: &Path, shipped: Option<HashMap<String, Vec<u8>>>) -> Self {
        Self(Arc::new(Tables {
            base: base.to_owned(),
            root: Root::new(root),
            shipped,
            read: Mutex::default(),
            list: Mutex::default(),
            index: Mutex::default(),
            unique: Mutex::default(),
            audio: AudioStore::default(),
        }))
    }

    /// Reads a file, unless it was read before, and returns the number of its table.
    pub(crate) fn open(&self, path: &str, format: Format) -> Result<usize, String> {
        let mut index = self.0.index.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (PathBuf::from(path), format);
        if let Some(&known) = index.get(&key) {
            return Ok(known);
        }
        let text = self.text(path, format)?;
        let table = match format {
            Format::Csv(separator) => from_csv(&text, separator),
            Format::Json => from_json(&text),
        };
        let table = table.map_err(|reason| format!("{path}: {reason}"))?;
        let mut list = self.0.list.lock().unwrap_or_else(PoisonError::into_inner);
        list.push(Arc::new(table));
        index.insert(key, list.len() - 1);
        Ok(list.len() - 1)
    }

    pub(crate) fn table(&self, number: usize) -> Option<Arc<Table>> {
        let list = self.0.list.lock().unwrap_or_else(PoisonError::into_inner);
        list.get(number).cloned()
    }

    /// Records a table with `take: "unique"`. Every worker opens the same tables, so each table is recorded only once.
    pub(crate) fn note_unique(&self, table: UniqueTable) {
        let mut unique = self.0.unique.lock().unwrap_or_else(PoisonError::into_inner);
        if !unique.contains(&table) {
            unique.push(table);
        }
    }

    /// The tables with `take: "unique"` that the modules have opened.
    pub fn unique_tables(&self) -> Vec<UniqueTable> {
        let unique = self.0.unique.lock().unwrap_or_else(PoisonError::into_inner);
        unique.clone()
    }

    fn text(&self, path: &str, format: Format) -> Result<String, String> {
        let endings: &[&str] = match format {
            Format::Csv(_) => &[".csv", ".tsv", ".txt"],
            Format::Json => &[".json"],
        };
        if !endings.iter().any(|ending| path.ends_with(ending)) {
            return Err(format!(
                "{path}: the file's name must end in {}",
                endings.join(" or ")
            ));
        }
        let bytes = self.bytes(path)?;
        let text = String::from_utf8(bytes).map_err(|error| {
            format!(
                "{path}: not UTF-8 from byte {}",
                error.utf8_error().valid_up_to()
            )
        })?;
        Ok(text
            .strip_prefix('\u{feff}')
            .map_or(text.clone(), str::to_owned))
    }

    fn bytes(&self, path: &str) -> Result<Vec<u8>, String> {
        if let Some(shipped) = &self.0.shipped {
            let content = shipped.get(path).cloned();
            return content
                .ok_or_else(|| format!("{path}: the coordinator did not send this file"));
        }
        let content = self.contents(path)?;
        let mut read = self.0.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.insert(path.to_owned());
        Ok(content)
    }

    fn contents(&self, path: &str) -> Result<Vec<u8>, String> {
        let file = self.0.base.join(path);
        self.0.root.check(&file)?;
        let about = fs::metadata(&file).map_err(|error| format!("{path}: {error}"))?;
        if !about.is_file() {
            return Err(format!("{path}: not a regular file"));
        }
        if about.len() > FILE_BYTES {
            return Err(format!(
                "{path}: {} bytes, but a file may have at most {FILE_BYTES}",
                about.len()
            ));
        }
        fs::read(&file).map_err(|error| format!("{path}: {error}"))
    }

    /// The audio of the modules.
    pub(crate) fn audio(&self) -> &AudioStore {
        &self.0.audio
    }

    /// Reads an audio file: raw samples of this shape, or without a shape a WAV file.
    pub(crate) fn read_audio(&self, path: &str, shape: Option<Shape>) -> Result<Audio, String> {
        let endings: &[&str] = match shape {
            Some(_) => &[".pcm", ".raw", ".s16le"],
            None => &[".wav"],
        };
        if !endings.iter().any(|ending| path.ends_with(ending)) {
            return Err(format!(
                "{path}: the file's name must end in {}",
                endings.join(" or ")
            ));
        }
        let bytes = self.bytes(path)?;
        match shape {
            Some(shape) => Ok(Audio::new(shape, bytes)),
            None => parse_wav(&bytes).map_err(|reason| format!("{path}: {reason}")),
        }
    }
}

fn from_csv(text: &str, separator: u8) -> Result<Table, String> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator)
        .from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| error.to_string())?.clone();
    header::check(&header)?;
    let mut table = Table::default();
    for record in reader.records() {
        let record = record.map_err(|error| unreadable(&error))?;
        let row: Map<String, Json> = header
            .iter()
            .zip(&record)
            .map(|(name, value)| (name.to_owned(), Json::from(value)))
            .collect();
        table.push(&Json::Object(row).to_string());
    }
    if table.len() == 0 {
        return Err("there are no rows after the header line".to_owned());
    }
    Ok(table)
}

/// Explains why a row cannot be read.
fn unreadable(error: &csv::Error) -> String {
    let csv::ErrorKind::UnequalLengths {
        pos,
        expected_len,
        len,
    } = error.kind()
    else {
        return error.to_string();
    };
    let line = pos.as_ref().map_or(1, csv::Position::line);
    let of =
        |number: u64, one: &str| format!("{number} {one}{}", if number == 1 { "" } else { "s" });
    format!(
        "line {line}: {}, but the header names {}: check the separators and quotes",
        of(*len, "value"),
        of(*expected_len, "column")
    )
}

fn from_json(text: &str) -> Result<Table, String> {
    let rows: Vec<&RawValue> = serde_json::from_str(text).map_err(|error| {
        match serde_json::from_str::<IgnoredAny>(text) {
            Ok(_) => "it must be an array".to_owned(),
            Err(_) => format!("not JSON: {error}"),
        }
    })?;
    let mut table = Table::default();
    for row in rows {
        table.push(row.get());
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::{from_csv, from_json};

    #[test]
    fn rows_of_a_csv_file_are_objects_of_strings() {
        let table = from_csv("name;age\n\"a;b\";3\nc;4\n", b';').unwrap();
        assert_eq!(table.len(), 2);
        assert_eq!(table.row(0), Some(r#"{"name":"a;b","age":"3"}"#));
        assert_eq!(table.row(1), Some(r#"{"name":"c","age":"4"}"#));
        assert_eq!(table.row(2), None);
    }

    #[test]
    fn a_row_with_another_number_of_values_is_refused_with_its_line() {
        let error = |text: &str| from_csv(text, b',').unwrap_err();
        assert_eq!(
            error("name,age\na,1\nb\n"),
            "line 3: 1 value, but the header names 2 columns: check the separators and quotes"
        );
        assert_eq!(
            error("name\na,1\n"),
            "line 2: 2 values, but the header names 1 column: check the separators and quotes"
        );
        // A quote that is not closed.
        let open = error("name,age\n\"a,1\nb,2\n");
        assert!(open.starts_with("line 2: 1 value, "), "{open}");
    }

    #[test]
    fn a_header_that_would_lose_columns_is_refused_with_its_line() {
        let check = |text: &str, separator, words: &[&str]| {
            let error = from_csv(text, separator).unwrap_err();
            for word in words {
                assert!(error.contains(word), "{text:?}: {error}");
            }
        };
        let spaced = ["line 1", "column 2", "\" age\"", "space"];
        check("name, age\na, 3\n", b',', &spaced);
        let other = ["line 1", "the only column", "separator: \";\""];
        check("name;age\na;3\n", b',', &other);
        check("name\tage\na\t3\n", b',', &["line 1", r#"separator: "\t""#]);
        check("name,age\na,3\n", b';', &["line 1", r#"separator: ",""#]);
        check(
            "name,age,name\na,3,b\n",
            b',',
            &["line 1", "columns 1 and 3", "\"name\""],
        );
        check("name,,age\n", b',', &["line 1", "column 2 has no name"]);
        check("", b',', &["line 1", "empty"]);
        check("name\n", b',', &["no rows"]);
        assert_eq!(from_csv("name\nann\n", b',').unwrap().len(), 1);
    }

    #[test]
    fn rows_of_a_json_file_are_its_elements() {
        let table = from_json(r#"[{"a":1}, [2], "x"]"#).unwrap();
        assert_eq!(
            (table.row(0), table.row(2)),
            (Some(r#"{"a":1}"#), Some(r#""x""#))
        );
        assert_eq!(from_json("{}").unwrap_err(), "it must be an array");
        assert!(from_json("[1,").unwrap_err().starts_with("not JSON"));
    }
}
