use std::path::PathBuf;

/// A host directory that the sandbox shows, and its path in the sandbox.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub(super) host: PathBuf,
    pub(super) inside: &'static str,
    pub(super) writable: bool,
}
