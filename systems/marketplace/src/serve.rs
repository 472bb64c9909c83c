use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use hyper::service::service_fn;
use kit::database::Database;
use kit::fault::Faults;
use kit::network::Peer;
use kit::serve::{Connections, Server, listen, stop_signal};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tower::ServiceExt;

use crate::account::ensure_admin;
use crate::config::{Config, ConfigError};
use crate::door::{Door, DoorError};
use crate::hash::Hashing;
use crate::health::Watch;
use crate::http::router;
use crate::hub::Hub;
use crate::market::Market;
use crate::metrics::Counters;
use crate::push::Sender;
use crate::store::{Store, StoreError};
use crate::sweep;

/// The default port, as in the field report.
pub const PORT: u16 = 5001;

/// Reason why the marketplace does not run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The configuration contradicts itself.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The access configuration is invalid.
    #[error("{0}")]
    Door(String),
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The hashing threads cannot be started.
    #[error("cannot start password hashing: {0}")]
    Hash(String),
    /// The operating system refused a request, for example to bind the address.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl ServeError {
    /// Whether the configuration caused the error, rather than the environment (store, address, threads).
    #[must_use]
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Config(_) | Self::Door(_))
    }
}

impl From<DoorError> for ServeError {
    fn from(error: DoorError) -> Self {
        Self::Door(error.to_string())
    }
}

/// Runs the marketplace until SIGTERM or SIGINT. Calls `announce` with the URL once the server listens.
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
    let stop = stop_signal()?;
    let sender = Sender::new(&config.push, config.door.cors_origins.first());
    let sender = sender.map_err(ConfigError::from)?;
    let database = Database::of(config.store.store.as_deref(), "marketplace", "trades")?;
    let market = open(config, &database.url).await?;
    let (connections, watch) = (
        Connections::within_descriptors(config.serve.max_connections),
        Watch::default(),
    );
    let router = router(&market, config, &connections, &watch)?;
    let (listener, url) = listen(config.serve.address(PORT))?;
    tracing::info!(%url, threads = config.serve.threads, store = market.store.kind(), "the marketplace is running");
    let tasks = start(&market, config, sender, watch);
    announce(&url)?;

    let server = Server {
        service: move |peer| {
            let router = router.clone();
            service_fn(move |request| answer(router.clone(), peer, request))
        },
        connections,
        stop_limit: config.serve.stop_limit,
    };
    let hub = market.clone();
    let stopping = async move {
        stop.await;
        hub.hub.close();
    };
    let left = server.run(listener, stopping).await;
    if timeout(left, market.hub.closed()).await.is_err() {
        tracing::warn!(
            open = market.hub.streams(),
            "stop limit reached with open streams"
        );
    }
    for task in tasks {
        task.abort();
    }
    market.store.close().await;
    drop(database);
    tracing::info!("the marketplace has stopped");
    Ok(())
}

/// Opens the state that all requests share, and creates the first admin.
async fn open(config: &Config, database: &str) -> Result<Arc<Market>, ServeError> {
    let counters = Counters::default();
    let hashing = Hashing::start(&config.hash, counters.hash.clone());
    let hashing = hashing.map_err(|error| ServeError::Hash(error.to_string()))?;
    let market = Market {
        store: Store::open(database, &config.store).await?,
        hashing,
        door: Door::new(&config.door),
        hub: Hub::new(config.push.max_streams),
        terms: config.terms(),
        faults: Faults::ordered(&config.serve.faults),
        counters,
    };
    if market.terms.lose_accepted {
        tracing::warn!("injected fault: selected sellers get no notification");
    }
    let admin = ensure_admin(&market, &config.accounts).await;
    admin.map_err(ConfigError::from)?;
    Ok(Arc::new(market))
}

/// Starts the background tasks: expiry, health checks and sending notifications.
fn start(
    market: &Arc<Market>,
    config: &Config,
    sender: Option<Sender>,
    watch: Watch,
) -> Vec<JoinHandle<()>> {
    let mut tasks = vec![
        tokio::spawn(sweep::run(market.clone(), config.trades.sweep)),
        tokio::spawn(watch.run(market.clone())),
    ];
    tasks.extend(sender.map(|sender| tokio::spawn(sender.run(market.clone()))));
    tasks
}

async fn answer(
    router: Router,
    peer: SocketAddr,
    request: hyper::Request<hyper::body::Incoming>,
) -> Result<axum::response::Response, std::convert::Infallible> {
    let mut request = request.map(Body::new);
    request.extensions_mut().insert(Peer(peer));
    router.oneshot(request).await
}
