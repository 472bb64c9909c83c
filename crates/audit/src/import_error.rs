/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The format is not known.
    #[error(
        "{file}: unknown format. Supported formats: headcount run.json, k6 (summary, JSON lines), Locust CSV, \
         Artillery JSON, JMeter JTL as CSV, oha, wrk, wrk2, hey, vegeta, autocannon, and audit.toml (`headcount audit \
         --new`)"
    )]
    Unknown {
        /// Name of the file.
        file: String,
    },
    /// The file has no content.
    #[error("{file}: the file is empty")]
    Empty {
        /// Name of the file.
        file: String,
    },
    /// The format is known, but the file is damaged or incomplete.
    #[error("{file}: looks like {form}, but {why}")]
    Broken {
        /// Name of the file.
        file: String,
        /// The format that the content suggests.
        form: &'static str,
        /// The missing or invalid part.
        why: String,
    },
    /// An `audit.toml` contains a mistake.
    #[error("{file}:{line}: {why}")]
    Form {
        /// Name of the file.
        file: String,
        /// The line number, from 1.
        line: usize,
        /// The mistake.
        why: String,
    },
}
