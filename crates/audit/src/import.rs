//! Results of tools, recognised by what is in the file and not by its name.

mod artillery;
mod autocannon;
mod csv_table;
mod hey;
mod jmeter;
mod k6;
mod k6_lines;
mod locust;
mod oha;
mod oha_text;
mod ours;
mod pieces;
mod samples;
mod vegeta;
mod vegeta_text;
mod wrk;

use serde_json::Value;

use crate::{Results, read_form};

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// Nobody's format.
    #[error(
        "{file}: not recognised. Known are run.json of headcount, k6 (summary, JSON lines), Locust CSV, Artillery JSON, \
         JMeter JTL as CSV, oha, wrk, wrk2, hey, vegeta, autocannon, and audit.toml (`headcount audit --new`)"
    )]
    Unknown {
        /// What it is called.
        file: String,
    },
    /// A known format with something missing.
    #[error("{file}: looks like {form}, but {why}")]
    Broken {
        /// What it is called.
        file: String,
        /// Which format it looks like.
        form: &'static str,
        /// What is missing or wrong.
        why: String,
    },
    /// A mistake in an `audit.toml`.
    #[error("{file}:{line}: {why}")]
    Form {
        /// What it is called.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
}

/// One file's text and what it is called.
#[derive(Clone, Copy, Debug)]
struct Source<'a> {
    text: &'a str,
    name: &'a str,
}

impl Source<'_> {
    fn broken(self, form: &'static str, why: impl Into<String>) -> ImportError {
        let file = self.name.to_owned();
        ImportError::Broken {
            file,
            form,
            why: why.into(),
        }
    }

    fn unknown(self) -> ImportError {
        ImportError::Unknown {
            file: self.name.to_owned(),
        }
    }

    fn results(self, form: &'static str) -> Results {
        Results {
            source: self.name.to_owned(),
            form,
            ..Results::default()
        }
    }
}

/// Reads files that belong together: each by itself, but for the CSV files of Locust, which are one result. The names
/// are what the findings call them.
pub fn read(files: &[(String, String)]) -> Result<Vec<Results>, ImportError> {
    let sources: Vec<Source<'_>> = files
        .iter()
        .map(|(name, text)| Source {
            name,
            text: text.trim_start_matches('\u{feff}'),
        })
        .collect();
    let (locust, others): (Vec<Source<'_>>, Vec<Source<'_>>) = sources
        .into_iter()
        .partition(|source| locust::is(source.text));
    let mut all = Vec::new();
    for source in others {
        all.push(read_one(source)?);
    }
    all.extend(locust::read(&locust)?);
    Ok(all)
}

fn read_one(source: Source<'_>) -> Result<Results, ImportError> {
    let text = source.text.trim_start();
    if text.starts_with('{') {
        return match serde_json::from_str::<Value>(text) {
            Ok(value) => read_json(source, &value),
            Err(_) if k6_lines::is(text) => k6_lines::read(source),
            Err(why) => Err(source.broken("JSON", why.to_string())),
        };
    }
    if jmeter::is(text) {
        return jmeter::read(source);
    }
    if hey::is(text) {
        return hey::read(source);
    }
    if wrk::is(text) {
        return wrk::read(source);
    }
    if vegeta_text::is(text) {
        return Ok(vegeta_text::read(source));
    }
    if oha_text::is_hey(text) {
        return Ok(oha_text::read(source, "hey text"));
    }
    if oha_text::is(text) {
        return Ok(oha_text::read(source, "oha text"));
    }
    // A form begins with a comment, a table or a key, and nothing else does.
    if text.lines().any(|line| line.trim_start().starts_with("[[")) || text.contains(" = ") {
        return read_form(source.text, source.name);
    }
    Err(source.unknown())
}

fn read_json(source: Source<'_>, value: &Value) -> Result<Results, ImportError> {
    let has = |key: &str| value.get(key).is_some();
    if value["kind"] == record::KIND {
        ours::read(source)
    } else if has("metrics") && (has("root_group") || value["metrics"]["iterations"].is_object()) {
        k6::read(source, value)
    } else if k6_lines::is(source.text) {
        k6_lines::read(source)
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
