use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::StatusCode;
use hyper::service::service_fn;
use kit::network::Peer;
use kit::origin::Origins;
use kit::serve::{Connections, Server, listen, stop_signal};
use tokio::sync::oneshot;
use tokio::time::timeout;
use tower::ServiceExt;

use crate::answer::detail;
use crate::config::{Config, ConfigError};
use crate::http::router;
use crate::service::{Service, StartError};
use crate::sessions::sweep;

/// Default port, as in the field report.
pub const PORT: u16 = 8000;

/// Time limit for leaving the shared session table.
const LEAVING: Duration = Duration::from_secs(2);

/// Reason why the service cannot run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The configuration is not valid, or its engine cannot start.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Redis, which has the session table of all workers, cannot be reached or refuses the connection.
    #[error("cannot connect to Redis: {0}")]
    Redis(redis::RedisError),
    /// The operating system refused a request, for example to bind the address.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl From<StartError> for ServeError {
    fn from(error: StartError) -> Self {
        match error {
            StartError::Config(error) => Self::Config(error),
            StartError::Redis(error) => Self::Redis(error),
        }
    }
}

impl ServeError {
    /// Whether the configuration caused the error, rather than the environment.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Config(_))
    }
}

/// Returns the service as a router, without a listener. Idle sessions end, and a shared session table is kept up to
/// date, only while [`serve`] runs.
pub async fn app(config: &Config) -> Result<Router, ServeError> {
    let (service, _) = Service::start(config).await?;
    let connections = Connections::new(config.serve.max_connections);
    Ok(router(&service, &connections))
}

/// Runs the service until SIGTERM or SIGINT. Calls `announce` with the URL once it is listening. Audio accepted before
/// the stop is recognised and its results are sent before this function returns, unless the time limit passes.
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
    let (service, beat) = Service::start(config).await?;
    let stop = stop_signal()?;
    let (listener, url) = listen(config.serve.address(PORT))?;
    tracing::info!(
        %url,
        engine = ?config.engine.engine,
        max_sessions = service.sessions.limit(),
        worker = service.worker,
        threads = config.serve.threads,
        "the transcription service is listening"
    );
    announce(&url)?;
    let (beating, stopped_beating) = oneshot::channel();
    let beat = beat.map(|beat| tokio::spawn(beat.run(stopped_beating)));
    let sweeper = tokio::spawn(sweep(
        service.sessions.clone(),
        config.times.clone(),
        service.counters.expired.clone(),
    ));

    let connections = Connections::within_descriptors(config.serve.max_connections)
        .with_send_buffer(config.slow.send_buffer);
    let router = router(&service, &connections);
    let origins = Origins::new(&config.allow_origin);
    let server = Server {
        service: move |peer| {
            let (router, origins) = (router.clone(), origins.clone());
            service_fn(move |request| answer(router.clone(), origins.clone(), peer, request))
        },
        connections,
        stop_limit: config.serve.stop_limit,
    };
    let stopped = service.clone();
    let stopping = async move {
        stop.await;
        stopped.sessions.stop();
    };
    let left = server.run(listener, stopping).await;
    close_sockets(&service, left).await;
    sweeper.abort();
    drop(beating);
    if let Some(beat) = beat {
        // A table that does not respond must not hold up the stop: the lease ends by itself.
        let _ = timeout(LEAVING, beat).await;
    }
    tracing::info!("the transcription service has stopped");
    Ok(())
}

/// Waits up to `left` for every WebSocket to send its replies and close. The remaining ones are disconnected.
async fn close_sockets(service: &Service, left: Duration) {
    if timeout(left, service.sockets.closed()).await.is_err() {
        let open = service.sockets.receiver_count();
        tracing::warn!(open, "stopped before all WebSockets were closed");
    }
}

async fn answer(
    router: Router,
    origins: Origins,
    peer: SocketAddr,
    request: hyper::Request<hyper::body::Incoming>,
) -> Result<axum::response::Response, std::convert::Infallible> {
    if !origins.admit(request.headers()) {
        let text = "Requests from this origin are not allowed: add it to --allow-origin";
        return Ok(detail(StatusCode::FORBIDDEN, text));
    }
    let mut request = request.map(Body::new);
    request.extensions_mut().insert(Peer(peer));
    router.oneshot(request).await
}
