/// Reason why an update was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UpdateError {
    /// The bytes are not a Yjs update.
    #[error("not a Yjs update")]
    Malformed,
    /// Values or shared types are nested too deeply.
    #[error("the Yjs update is nested too deeply")]
    TooNested,
    /// The update contains far more concurrent edits at one position than users make.
    #[error("the Yjs update has too many edits at one place")]
    TooCostly,
    /// The document would have more blocks than its limit.
    #[error("the Yjs document has too many blocks")]
    TooManyBlocks,
}
