use std::sync::Arc;

use super::config::{EngineConfig, EngineKind};
use super::pocketsphinx::PocketSphinx;
use super::recogniser::{Engine, StartError};
use super::remote::Remote;
use super::simulated::Simulated;

/// Starts the configured engine.
pub(crate) async fn open(config: &EngineConfig) -> Result<Arc<dyn Engine>, StartError> {
    Ok(match config.engine {
        EngineKind::Simulated => Arc::new(Simulated::new(config)),
        EngineKind::Pocketsphinx => Arc::new(PocketSphinx::start(config).await?),
        EngineKind::Remote => Arc::new(Remote::new(config)?),
    })
}
