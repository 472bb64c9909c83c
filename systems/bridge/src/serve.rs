use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::service::service_fn;
use kit::fault::Faults;
use kit::network::Peer;
use kit::origin::Origins;
use kit::serve::{Connections, Server, listen, stop_signal};
use tokio::time::{Instant, interval, timeout};

use crate::agent::Agent;
use crate::bridge::Bridge;
use crate::config::{Config, ConfigError};
use crate::http::{Front, router};

/// Default port, as in the field report.
pub const PORT: u16 = 4004;

/// Reason why the bridge cannot run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The configuration is not valid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The operating system refused a request, for example to bind the address.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl ServeError {
    /// Whether the configuration caused the error, rather than the environment.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Config(_))
    }
}

/// Returns the bridge as a router, without a listener. Idle sessions expire only while [`serve`] runs.
pub fn app(config: &Config) -> Result<Router, ConfigError> {
    let bridge = build(config)?;
    let connections = Connections::new(config.serve.max_connections);
    Ok(router(&bridge, &connections))
}

/// Runs the bridge until SIGTERM or SIGINT. Calls `announce` with the URL once it is listening. Messages accepted
/// before the stop are delivered before this function returns, unless the time limit passes.
pub fn serve(
    config: &Config,
    announce: impl FnOnce(&str) -> io::Result<()>,
) -> Result<(), ServeError> {
    config.check()?;
    kit::serve::start(&config.log, config.serve.threads, run(config, announce))?
}

async fn run(
    config: &Config,
    announce: impl FnOnce(&str) -> io::Result<()>,
) -> Result<(), ServeError> {
    let bridge = build(config)?;
    let stop = stop_signal()?;
    let (listener, url) = listen(config.serve.address(PORT))?;
    tracing::info!(%url, threads = config.serve.threads, "the bridge is listening");
    announce(&url)?;
    let sweeper = tokio::spawn(sweep(bridge.clone()));

    let connections = Connections::within_descriptors(config.serve.max_connections);
    let front = Front {
        router: router(&bridge, &connections),
        bridge: bridge.clone(),
        origins: Origins::new(&config.allow_origin),
    };
    let server = Server {
        service: move |peer| {
            let front = front.clone();
            service_fn(move |request| front.clone().answer(Peer(peer), request))
        },
        connections,
        stop_limit: config.serve.stop_limit,
    };
    let left = server.run(listener, stop).await;
    close_sockets(&bridge, left).await;
    sweeper.abort();
    tracing::info!("the bridge has stopped");
    Ok(())
}

fn build(config: &Config) -> Result<Arc<Bridge>, ConfigError> {
    config.check()?;
    let agent = Agent::new(&config.agent);
    let agent = agent.map_err(|error| ConfigError::Agent(error.to_string()))?;
    let faults = Faults::ordered(&config.serve.faults);
    Ok(Arc::new(Bridge::new(config, agent, faults)))
}

/// Waits up to `left` for every WebSocket to send its queue and close. The remaining ones are disconnected.
async fn close_sockets(bridge: &Bridge, left: Duration) {
    bridge.house().close();
    if timeout(left, bridge.sockets.closed()).await.is_err() {
        let open = bridge.sockets.receiver_count();
        tracing::warn!(open, "stopped before all WebSockets were closed");
    }
}

/// Ends idle sessions. The check runs four times per idle timeout, at intervals of 10 ms to 5 s.
async fn sweep(bridge: Arc<Bridge>) {
    let idle = bridge.times.idle_timeout;
    let pause = (idle / 4).clamp(Duration::from_millis(10), Duration::from_secs(5));
    let mut ticks = interval(pause);
    loop {
        ticks.tick().await;
        let ended = bridge.house().sweep(idle, Instant::now());
        if ended > 0 {
            tracing::debug!(ended, "idle sessions ended");
        }
    }
}
