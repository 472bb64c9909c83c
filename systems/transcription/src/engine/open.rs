use std::sync::Arc;

use super::config::{EngineConfig, EngineKind};
use super::pocketsphinx::PocketSphinx;
use super::recogniser::Engine;
use super::remote::Remote;
use super::simulated::Simulated;

/// Reason why an engine cannot start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum StartError {
    /// The URL of the endpoint is missing or not valid.
    #[error("`--remote-url` is not valid: {0}")]
    Url(String),
    /// The recogniser does not start.
    #[error("{0}")]
    Recogniser(String),
}

/// Starts the configured engine.
pub(crate) async fn open(config: &EngineConfig) -> Result<Arc<dyn Engine>, StartError> {
    Ok(match config.engine {
        EngineKind::Simulated => Arc::new(Simulated::new(config)),
        EngineKind::Pocketsphinx => Arc::new(PocketSphinx::start(config).await?),
        EngineKind::Remote => Arc::new(Remote::new(config)?),
    })
}
