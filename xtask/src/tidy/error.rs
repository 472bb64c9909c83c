use std::io;
use std::path::PathBuf;

/// Why a repository could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A file of the tree cannot be read or written.
    #[error("cannot read or write {path}: {source}")]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// `cargo metadata` failed.
    #[error("cargo metadata failed: {0}")]
    Metadata(String),
}
