use plan::Problems;
use script::ScriptError;
use thiserror::Error;

/// The reason why a run cannot be prepared.
#[derive(Debug, Error)]
pub enum PrepareError {
    /// The scenario cannot be loaded.
    #[error(transparent)]
    Script(#[from] ScriptError),
    /// The options are invalid.
    #[error("{0}")]
    Options(Problems),
    /// There is no target.
    #[error("no target: set `target` in the scenario's options, or use --target http://…")]
    NoTarget,
    /// The options refer to something that cannot be used, such as a file or an address.
    #[error("{0}")]
    Unusable(String),
}
