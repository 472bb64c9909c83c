use std::sync::Arc;
use std::time::Duration;

use kit::fault::Faults;
use kit::token::Token;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::config::{Config, ConfigError};
use crate::engine::{self, Engine};
use crate::metrics::Counters;
use crate::sessions::{Full, Seat, Sessions};

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

impl Service {
    /// Checks the configuration and starts the engine.
    pub(crate) async fn start(config: &Config) -> Result<Arc<Self>, ConfigError> {
        config.check()?;
        let engine = engine::open(&config.engine).await;
        let engine = engine.map_err(|error| ConfigError::Engine(error.to_string()))?;
        let limit = config.limits.max_sessions;
        // An engine with a pool follows only so many streams, so further sessions are refused when they begin.
        let limit = engine
            .capacity()
            .map_or(limit, |capacity| capacity.min(limit));
        let recovery = Duration::from_secs_f64(config.times.recovery);
        let named = config.times.worker_id.clone();
        let worker = if let Some(named) = named {
            named
        } else {
            let random = Token::random().map_err(|error| ConfigError::Engine(error.to_string()))?;
            random.to_string()[..8].to_owned()
        };
        Ok(Arc::new(Self {
            config: config.clone(),
            sessions: Arc::new(Sessions::new(limit, recovery)),
            engine,
            faults: Faults::ordered(&config.serve.faults),
            counters: Counters::default(),
            worker,
            started: Instant::now(),
            sockets: watch::Sender::new(()),
        }))
    }

    /// Creates a session and counts it, or counts the refusal.
    pub(crate) fn open_session(&self, now: Instant) -> Result<Seat, Full> {
        let opened = self.sessions.open(now);
        let counter = match &opened {
            Ok(_) => &self.counters.sessions,
            Err(_) => &self.counters.refused,
        };
        counter.inc();
        opened
    }
}
