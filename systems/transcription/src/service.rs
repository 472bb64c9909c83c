use std::sync::Arc;
use std::time::Duration;

use kit::fault::Faults;
use kit::token::Token;
use redis::RedisError;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::config::{Config, ConfigError};
use crate::engine::{self, Engine};
use crate::metrics::Counters;
use crate::sessions::{Beat, Full, Seat, Sessions, Shared};

/// The state that all requests and connections share.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) config: Config,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) faults: Option<Arc<Faults>>,
    pub(crate) counters: Counters,
    pub(crate) worker: String,
    pub(crate) started: Instant,
    /// Each WebSocket holds a receiver of this channel, so that shutdown can wait for the last one to close.
    pub(crate) sockets: watch::Sender<()>,
}

/// Reason why the service cannot start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Redis(#[from] RedisError),
}

impl Service {
    /// Checks the configuration and starts the engine.
    pub(crate) async fn start(config: &Config) -> Result<(Arc<Self>, Option<Beat>), StartError> {
        config.check()?;
        let engine = engine::open(&config.engine).await;
        let engine = engine.map_err(|error| ConfigError::Engine(error.to_string()))?;
        let limit = config.limits.max_sessions;
        // An engine with a pool follows only so many streams, so further sessions are refused when they begin.
        let limit = engine
            .capacity()
            .map_or(limit, |capacity| capacity.min(limit));
        let recovery = Duration::from_secs_f64(config.times.recovery);
        let random = Token::random().map_err(|error| ConfigError::Engine(error.to_string()))?;
        let random = random.to_string();
        let named = config.times.worker_id.clone();
        let worker = named.unwrap_or_else(|| random[..8].to_owned());
        // Two workers with one name must not share their sessions.
        let unique = format!("{worker}:{random}");
        let (shared, ended) = Shared::open(&config.shared, unique).await?.unzip();
        let shared = shared.map(Arc::new);
        let sessions = Sessions::new(limit, recovery).sharing(shared.clone());
        let sessions = Arc::new(sessions);
        let beat = shared.zip(ended);
        let beat = beat.map(|table| Beat::new(table, sessions.clone(), recovery));
        let service = Arc::new(Self {
            config: config.clone(),
            sessions,
            engine,
            faults: Faults::ordered(&config.serve.faults),
            counters: Counters::default(),
            worker,
            started: Instant::now(),
            sockets: watch::Sender::new(()),
        });
        Ok((service, beat))
    }

    /// Creates a session and counts it, or counts the refusal.
    pub(crate) async fn open_session(&self, now: Instant) -> Result<Seat, Full> {
        let opened = self.sessions.admit(now).await;
        let counter = match &opened {
            Ok(_) => &self.counters.sessions,
            Err(_) => &self.counters.refused,
        };
        counter.inc();
        opened
    }
}
