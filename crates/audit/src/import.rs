//! Reads the results of load-testing tools. The content of a file decides its format, not the file's name.

mod artillery;
mod autocannon;
mod csv_table;
mod hey;
mod jmeter;
mod k6;
mod k6_lines;
mod locust;
mod moment;
mod oha;
mod oha_text;
mod ours;
mod pieces;
mod samples;
mod source;
mod vegeta;
mod vegeta_text;
mod wrk;

use std::fmt;
use std::io::BufRead;

use serde_json::Value;

use crate::form::read_form;
use crate::import_error::ImportError;
use crate::results::Results;
use source::Source;

/// The content of a file, in memory or as a reader.
pub enum Text {
    /// The whole text.
    Whole(String),
    /// A reader for a file of any size whose first line satisfies [`by_lines`]. The first buffer must contain the whole
    /// first line.
    Lines(Box<dyn BufRead>),
}

impl fmt::Debug for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Whole(_) => "Whole",
            Self::Lines(_) => "Lines",
        })
    }
}

/// Whether a file that begins with this line contains individual samples. Files with samples are read line by line, so
/// memory use does not grow with the file.
pub fn by_lines(first: &str) -> bool {
    let first = first.trim_start_matches('\u{feff}');
    k6_lines::is(first) || jmeter::is(first) || hey::is(first)
}

/// Reads texts. Each text becomes one result, except for Locust: the CSV files of one run become one result together.
/// The names appear in findings.
pub fn read(files: &[(String, String)]) -> Result<Vec<Results>, ImportError> {
    let whole = |(name, text): &(String, String)| (name.clone(), Text::Whole(text.clone()));
    read_files(files.iter().map(whole).collect())
}

/// Like [`read`], but for files that may be large.
pub fn read_files(files: Vec<(String, Text)>) -> Result<Vec<Results>, ImportError> {
    let mut all = Vec::new();
    let mut locust = Vec::new();
    for (name, text) in files {
        match text {
            Text::Lines(mut lines) => all.push(read_lines(&name, lines.as_mut())?),
            Text::Whole(text) if locust::is(plain(&text)) => locust.push((name, text)),
            Text::Whole(text) => {
                let text = plain(&text);
                all.push(read_one(Source { name: &name, text })?);
            }
        }
    }
    let sources: Vec<Source<'_>> = locust
        .iter()
        .map(|(name, text)| Source {
            name,
            text: plain(text),
        })
        .collect();
    all.extend(locust::read(&sources)?);
    Ok(all)
}

/// Removes the byte order mark from the text.
fn plain(text: &str) -> &str {
    text.trim_start_matches('\u{feff}')
}

fn read_lines(name: &str, text: &mut dyn BufRead) -> Result<Results, ImportError> {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    let source = Source { name, text: "" };
    let ahead = |why: std::io::Error| source.broken("samples", why.to_string());
    if text.fill_buf().map_err(ahead)?.starts_with(MARK) {
        text.consume(MARK.len());
    }
    let ahead = text.fill_buf().map_err(ahead)?;
    let line = ahead
        .split(|&byte| byte == b'\n')
        .next()
        .unwrap_or_default();
    let first = String::from_utf8_lossy(line).into_owned();
    let results = if k6_lines::is(&first) {
        k6_lines::read(source, text)?
    } else if jmeter::is(&first) {
        jmeter::read(source, text)?
    } else if hey::is(&first) {
        hey::read(source, text)?
    } else {
        return Err(source.unknown());
    };
    full(source, results)
}

fn read_one(source: Source<'_>) -> Result<Results, ImportError> {
    let text = source.text.trim_start();
    if text.contains('\0') {
        return Err(source.broken("text", "it contains zero bytes: convert it to UTF-8"));
    }
    if text.is_empty() {
        let file = source.name.to_owned();
        return Err(ImportError::Empty { file });
    }
    if by_lines(text.lines().next().unwrap_or_default()) {
        return read_lines(source.name, &mut text.as_bytes());
    }
    let results = if text.starts_with('{') {
        match serde_json::from_str::<Value>(text) {
            Ok(value) => read_json(source, &value)?,
            Err(why) => return Err(source.broken("JSON", why.to_string())),
        }
    } else {
        read_text(source)?
    };
    full(source, results)
}

/// Refuses results without figures, for which "nothing found" would look like praise.
fn full(source: Source<'_>, results: Results) -> Result<Results, ImportError> {
    if results.is_empty() {
        return Err(source.broken(results.form, "it contains no figures"));
    }
    Ok(results)
}

fn read_text(whole: Source<'_>) -> Result<Results, ImportError> {
    // Tools end every line with a newline. A last line without a newline was truncated, so `3.1 m` could be `3.1 ms` or
    // 3.1 minutes.
    let end = whole.text.rfind('\n').map_or(0, |at| at + 1);
    let source = Source {
        text: &whole.text[..end],
        ..whole
    };
    let text = source.text;
    if wrk::is(text) {
        wrk::read(source)
    } else if vegeta_text::is(text) {
        Ok(vegeta_text::read(source))
    } else if oha_text::is(text) {
        Ok(oha_text::read(source, "oha text"))
    } else if oha_text::is_hey(text) {
        Ok(oha_text::read(source, "hey text"))
    } else if is_form(whole.text) {
        read_form(whole.text, whole.name)
    } else {
        Err(relative(whole).unwrap_or_else(|| whole.unknown()))
    }
}

/// Whether the text looks like an `audit.toml`: it has level or claim tables, or one of the keys at the top of a form.
fn is_form(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start();
        let key = line.split_once('=').map(|(key, _)| key.trim_end());
        ["[[level", "[[claim", "[level]", "[claim]"]
            .iter()
            .any(|start| line.starts_with(start))
            || matches!(key, Some("title" | "source" | "unit"))
    })
}

/// Returns an error for files that are related to a supported format but cannot be read.
fn relative(source: Source<'_>) -> Option<ImportError> {
    let has = |words: &str| source.text.contains(words);
    if has("<testResults") {
        let why = "only CSV is supported (set jmeter.save.saveservice.output_format=csv)";
        return Some(source.broken("a JMeter XML log", why));
    }
    if has("http_req_duration") {
        let why = "only k6's JSON is supported (k6 run --summary-export FILE)";
        return Some(source.broken("k6's terminal output", why));
    }
    if jmeter::is_sample(source.text.lines().next().unwrap_or_default()) {
        let why = "its first line is not a header: add one (`timeStamp,elapsed,label,responseCode,…`), \
                   or set jmeter.save.saveservice.print_field_names=true";
        return Some(source.broken("a JMeter log", why));
    }
    None
}

fn read_json(source: Source<'_>, value: &Value) -> Result<Results, ImportError> {
    let has = |key: &str| value.get(key).is_some();
    if value["kind"] == record::KIND {
        ours::read(source)
    } else if has("metrics") && (has("root_group") || value["metrics"]["iterations"].is_object()) {
        k6::read(source, value)
    } else if value["results"]["metrics"].is_array() {
        k6::read_listed(source, value)
    } else if has("aggregate") {
        artillery::read(source, value)
    } else if has("latencies") && has("requests") {
        vegeta::read(source, value)
    } else if has("latencyPercentiles") && has("summary") {
        oha::read(source, value)
    } else if has("connections") && has("latency") && has("requests") {
        autocannon::read(source, value)
    } else {
        Err(source.unknown())
    }
}
