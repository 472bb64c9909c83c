use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::response::IntoResponse;
use hyper::service::service_fn;
use kit::database::Database;
use kit::fault::Faults;
use kit::network::Peer;
use kit::origin::Origins;
use kit::serve::{Connections, Server, listen, stop_signal};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tower::ServiceExt;

use crate::backend::Backend;
use crate::config::{Config, ConfigError};
use crate::embedded::Embedded;
use crate::http::router;
use crate::mailbox::End;
use crate::metrics::Counters;
use crate::refusal::Refusal;
use crate::registry::Registry;
use crate::shared::{Shared, SharedError};
use crate::store::{Store, StoreError};
use crate::sweep;
use crate::tenant::Tenants;

/// The default port. The field report names no port of the registry itself.
pub const PORT: u16 = 4100;

/// Reason why the registry does not run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The configuration is not valid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The database of the embedded backend cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The registrations cannot be loaded.
    #[error("cannot load the registrations: {0}")]
    Load(String),
    /// Redis or NATS cannot be used.
    #[error(transparent)]
    Shared(#[from] SharedError),
    /// The operating system refused a request, for example to bind the address.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl ServeError {
    /// Whether the configuration caused the error, rather than the environment.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Config(_) | Self::Store(StoreError::Kind))
    }
}

/// Runs the registry until SIGTERM or SIGINT. Calls `announce` with the URL once the server listens. Messages accepted
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
    let stop = stop_signal()?;
    let database = database(config)?;
    let registry = open(config, database.as_ref()).await?;
    let connections = Connections::within_descriptors(config.serve.max_connections);
    let router = router(&registry, &connections);
    let (listener, url) = listen(config.serve.address(PORT))?;
    let backend = registry.backend.kind();
    tracing::info!(%url, threads = config.serve.threads, backend, "the registry is running");
    let tasks = start(&registry);
    announce(&url)?;

    let origins = Origins::new(&config.allow_origin);
    let server = Server {
        service: move |peer| {
            let (router, origins) = (router.clone(), origins.clone());
            service_fn(move |request| answer(router.clone(), origins.clone(), peer, request))
        },
        connections,
        stop_limit: config.serve.stop_limit,
    };
    let stopped = registry.clone();
    let stopping = async move {
        stop.await;
        stopped.stop();
        for tenant in stopped.tenants.values() {
            tenant.hub.close_all(End::Stopping);
        }
    };
    let left = server.run(listener, stopping).await;
    close(&registry, left).await;
    for task in tasks {
        task.abort();
    }
    if let Backend::Embedded(embedded) = &*registry.backend {
        embedded.close().await;
    }
    drop(database);
    tracing::info!("the registry has stopped");
    Ok(())
}

/// The database of the embedded backend. `None` with the shared backend.
fn database(config: &Config) -> io::Result<Option<Database>> {
    if config.shared().is_some() {
        return Ok(None);
    }
    let configured = config.backend.store.as_deref();
    Database::of(configured, "registry", "registrations").map(Some)
}

/// Opens the state that all requests share.
async fn open(config: &Config, database: Option<&Database>) -> Result<Arc<Registry>, ServeError> {
    let (tenants, counters) = (config.tenants()?, Counters::default());
    let backend = backend(config, database, &tenants, &counters).await?;
    let faults = Faults::ordered(&config.serve.faults);
    let delivery = config.delivery.clone();
    let registry = Registry::new(tenants, Arc::new(backend), faults, counters, delivery)?;
    Ok(Arc::new(registry))
}

async fn backend(
    config: &Config,
    database: Option<&Database>,
    tenants: &Tenants,
    counters: &Counters,
) -> Result<Backend, ServeError> {
    if let Some(shared) = config.shared() {
        let shared = Shared::start(&shared, tenants).await?;
        return Ok(Backend::Shared(shared));
    }
    let url = database.map_or("", |database| database.url.as_str());
    let store = Store::open(url, config.backend.sync, counters.clone()).await?;
    let embedded = Embedded::start(store, tenants).await;
    let embedded = embedded.map_err(|error| ServeError::Load(error.to_string()))?;
    Ok(Backend::Embedded(embedded))
}

/// Starts the background tasks.
fn start(registry: &Arc<Registry>) -> Vec<JoinHandle<()>> {
    vec![
        tokio::spawn(sweep::expire(registry.clone())),
        tokio::spawn(sweep::tidy(registry.clone())),
        tokio::spawn(sweep::check(registry.clone())),
    ]
}

/// Waits up to `left` until all inboxes have sent their queues and closed.
async fn close(registry: &Registry, left: Duration) {
    let closed = async {
        for tenant in registry.tenants.values() {
            tenant.closed().await;
        }
    };
    if timeout(left, closed).await.is_err() {
        let tenants = registry.tenants.values();
        let open: usize = tenants.map(|tenant| tenant.receivers()).sum();
        tracing::warn!(open, "stop limit reached with open inboxes");
    }
}

async fn answer(
    router: Router,
    origins: Origins,
    peer: SocketAddr,
    request: hyper::Request<hyper::body::Incoming>,
) -> Result<axum::response::Response, std::convert::Infallible> {
    if !origins.admit(request.headers()) {
        return Ok(Refusal::ForeignOrigin.into_response());
    }
    let mut request = request.map(Body::new);
    request.extensions_mut().insert(Peer(peer));
    router.oneshot(request).await
}
