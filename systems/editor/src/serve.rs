use std::io;
use std::time::Duration;

use hyper::service::service_fn;
use kit::database::Database;
use kit::fault::Faults;
use kit::serve::{Connections, Server, listen, stop_signal};
use kit::token::Token;
use tokio::time::timeout;

use crate::bus::{BusError, NatsLine};
use crate::config::{Config, ConfigError};
use crate::editor::Editor;
use crate::http::Front;
use crate::line::STOPPING;
use crate::store::{Log, StoreError};

/// Reason why the editor could not start or run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The configuration contradicts itself.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The other nodes cannot be reached.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// The operating system reported an error, for example an address in use.
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

/// Runs the editor until SIGTERM or SIGINT. Calls `announce` with the URL once the editor listens.
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
    let database = Database::of(config.store.as_deref(), "editor", "documents")?;
    let log = Log::open(&database.url).await?;
    let editor = Editor::new(
        config,
        Faults::ordered(&config.serve.faults),
        log,
        first_visit()?,
    );
    if let Some(url) = &config.nats_url {
        editor.connect(NatsLine::open(url).await?).await?;
    }
    let address = config.serve.address(config.server_port);
    if config.run.run_code && !address.ip().is_loopback() {
        tracing::warn!(
            %address,
            "anybody who can reach this address can run programs here, in sandboxes; disable this with `--run-code false`"
        );
    }
    let (listener, url) = listen(address)?;
    tracing::info!(%url, threads = config.serve.threads, "the editor is listening");
    announce(&url)?;

    let connections = Connections::within_descriptors(config.serve.max_connections);
    let front = Front::new(&editor, config, &connections);
    let stopped = front.clone();
    let server = Server {
        service: move |_| {
            let front = front.clone();
            service_fn(move |request| front.clone().answer(request))
        },
        connections,
        stop_limit: config.serve.stop_limit,
    };
    let stop = async move {
        stop.await;
        // End open polls, which would otherwise delay the shutdown until their responses are due.
        stopped.stop();
    };
    let left = server.run(listener, stop).await;
    close_lines(&editor, left).await;
    if timeout(config.serve.stop_limit, editor.saved())
        .await
        .is_err()
    {
        tracing::error!("stopped before all edits were saved; unsaved edits were not acknowledged");
    }
    drop(database);
    tracing::info!("the editor has stopped");
    Ok(())
}

/// Returns a random 60-bit number for the first session, so that the session numbers of two nodes do not overlap.
fn first_visit() -> io::Result<u64> {
    let token = Token::random()?.to_string();
    Ok(u64::from_str_radix(&token[..15], 16).unwrap_or_default())
}

/// Sends each client its queued messages and closes its WebSocket. Drops the connections that take longer than `left`.
async fn close_lines(editor: &Editor, left: Duration) {
    editor.lines.close(STOPPING);
    if timeout(left, editor.lines.over()).await.is_err() {
        tracing::warn!(
            open = editor.lines.count(),
            "stopped before every WebSocket was closed"
        );
    }
}
