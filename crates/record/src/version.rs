/// Value of `kind` that distinguishes a saved run from other JSON.
pub const KIND: &str = "headcount-run";

/// Version that headcount writes. headcount also reads versions 1 and 2, in which newer fields are empty.
pub const VERSION: u32 = 3;

/// Why a saved run could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The text is not JSON.
    #[error("not JSON: {0}")]
    NotJson(serde_json::Error),
    /// The file is JSON, but not a saved run.
    #[error("not a saved run: `kind` is {found}, not \"{KIND}\"")]
    OtherKind {
        /// Value of `kind` as JSON, or `missing`.
        found: String,
    },
    /// A later version of headcount wrote the file.
    #[error(
        "the run was saved in version {found}, but this headcount reads only up to version {VERSION}: use a newer \
         headcount"
    )]
    Newer {
        /// Version of the file.
        found: u64,
    },
    /// The file states a version that never existed.
    #[error(
        "the run states version {found}, which does not exist; this headcount reads up to version {VERSION}"
    )]
    Unknown {
        /// Value of `version` as JSON, or `missing`.
        found: String,
    },
    /// The kind and version are right, but a part is missing or malformed.
    #[error("the run (saved in version {version}) is damaged: {why}")]
    Damaged {
        /// Version of the file.
        version: u64,
        /// The error.
        why: serde_json::Error,
    },
}
