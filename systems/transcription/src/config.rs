use clap::Args;
use kit::config::ServeConfig;
use kit::log::LogConfig;

use crate::engine::{EngineConfig, EngineKind};
use crate::limits::{Limits, SlowClients, Times, VoiceConfig};
use crate::sessions::SharedConfig;

/// The configuration of the service, set by flags or environment variables.
#[derive(Clone, Debug, Args)]
pub struct Config {
    /// Address, threads, connections, shutdown and faults.
    #[command(flatten)]
    pub serve: ServeConfig,
    /// Logs.
    #[command(flatten)]
    pub log: LogConfig,
    /// The engine that turns speech into text.
    #[command(flatten)]
    pub engine: EngineConfig,
    /// Voice activity.
    #[command(flatten)]
    pub voice: VoiceConfig,
    /// Limits.
    #[command(flatten)]
    pub limits: Limits,
    /// Clients that do not read.
    #[command(flatten)]
    pub slow: SlowClients,
    /// Sessions.
    #[command(flatten)]
    pub times: Times,
    /// The session table of several workers.
    #[command(flatten)]
    pub shared: SharedConfig,
    /// Origins whose web pages may connect, for example `http://localhost:3000`, or `*` for all. This server's own
    /// pages are always allowed if they are opened by IP address or as `localhost`. Clients that are not
    /// browsers send no origin and are not checked
    #[arg(long, value_name = "ORIGIN", env = "ASR_ALLOW_ORIGIN", value_delimiter = ',',
          value_parser = kit::origin::parse, help_heading = "Serving")]
    pub allow_origin: Vec<String>,
}

/// Values that are valid by themselves but contradict each other.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The remote engine has no endpoint.
    #[error("`--engine remote` needs `--remote-url`")]
    NoEndpoint,
    /// Only the simulated engine can be made serial.
    #[error("`--serial` needs `--engine simulated`")]
    SerialEngine,
    /// The URL of Redis is not valid, or asks for TLS.
    #[error(
        "`--redis` needs a URL such as redis://127.0.0.1:6379; TLS (rediss://) is not supported"
    )]
    RedisUrl,
    /// The URL of the endpoint is not valid, or another setting of the engine.
    #[error("{0}")]
    Engine(String),
}

impl Config {
    /// Rejects values that contradict each other.
    pub fn check(&self) -> Result<(), ConfigError> {
        let engine = &self.engine;
        if engine.engine == EngineKind::Remote && engine.remote_url.is_none() {
            return Err(ConfigError::NoEndpoint);
        }
        if engine.engine != EngineKind::Simulated && engine.serial {
            return Err(ConfigError::SerialEngine);
        }
        if !self.shared.has_valid_url() {
            return Err(ConfigError::RedisUrl);
        }
        Ok(())
    }
}
