/// What tells a saved run from other JSON.
pub const KIND: &str = "headcount-run";

/// The version that is written. Versions 1 and 2 are read too; fields that they did not have are empty.
pub const VERSION: u32 = 3;

/// Why a saved run could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Not JSON at all.
    #[error("not JSON: {0}")]
    NotJson(serde_json::Error),
    /// JSON of something else.
    #[error("not a saved run: `kind` is {found}, not \"{KIND}\"")]
    OtherKind {
        /// What `kind` holds, as JSON, or `missing`.
        found: String,
    },
    /// Written by a later headcount.
    #[error(
        "saved run of version {found}, this headcount reads up to version {VERSION}: use a newer headcount"
    )]
    Newer {
        /// The version in the file.
        found: u64,
    },
    /// A version that never was.
    #[error(
        "saved run of version {found}, which does not exist; this headcount reads up to version {VERSION}"
    )]
    Unknown {
        /// What `version` holds, as JSON, or `missing`.
        found: String,
    },
    /// The right kind and version, but a part is missing or of another shape.
    #[error("damaged run of version {version}: {why}")]
    Damaged {
        /// The version in the file.
        version: u64,
        /// What is wrong.
        why: serde_json::Error,
    },
}
