use std::io;
use std::time::Duration;

use hyper::service::service_fn;
use kit::fault::Faults;
use kit::serve::{Connections, Server, bind, block_on, stop_signal};
use kit::token::Token;
use tokio::time::timeout;

use crate::bus::{BusError, NatsLine};
use crate::config::{Config, ConfigError};
use crate::editor::Editor;
use crate::http::Front;
use crate::line::STOPPING;
use crate::store::{Log, StoreError};

/// Where the report's editor listened.
pub const PORT: u16 = 5000;

/// Why the editor does not run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The configuration makes no sense.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The other nodes cannot be reached.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// The system refused something, for example the address.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Runs the editor until SIGTERM or SIGINT. `announce` gets its address once it listens.
pub fn serve(
    config: Config,
    announce: impl FnOnce(&str) -> io::Result<()>,
) -> Result<(), ServeError> {
    config.check()?;
    if let Err(error) = kit::log::init(&config.log) {
        tracing::debug!(%error, "logging stays as it is");
    }
    block_on(config.serve.threads, run(config, announce))?
}

async fn run(
    config: Config,
    announce: impl FnOnce(&str) -> io::Result<()>,
) -> Result<(), ServeError> {
    let stop = stop_signal()?;
    let log = Log::open(&config.store).await?;
    let editor = Editor::new(
        &config,
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
            "everybody who reaches this address may run programs here, in sandboxes: `--run-code false` switches it off"
        );
    }
    let listener = bind(address)?;
    let url = format!("http://{}", listener.local_addr()?);
    tracing::info!(%url, threads = config.serve.threads, "the editor is open");
    announce(&url)?;

    let connections = Connections::within_descriptors(config.serve.max_connections);
    let front = Front::new(&editor, &config, &connections);
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
        // An open poll would hold up the stop, as long as nothing is there for it.
        stopped.stop();
    };
    let left = server.run(listener, stop).await;
    close_lines(&editor, left).await;
    if timeout(config.serve.stop_limit, editor.saved())
        .await
        .is_err()
    {
        tracing::error!("stopped before everything was saved; nothing of it was acknowledged");
    }
    tracing::info!("the editor is closed");
    Ok(())
}

/// Where the numbers of visits begin, so that those of two nodes are not the same.
fn first_visit() -> io::Result<u64> {
    let token = Token::random()?.to_string();
    Ok(u64::from_str_radix(&token[..15], 16).unwrap_or_default())
}

/// Each client gets what waits for it and is closed; what is not done in time is cut off.
async fn close_lines(editor: &Editor, left: Duration) {
    editor.lines.close(STOPPING);
    if timeout(left, editor.lines.over()).await.is_err() {
        tracing::warn!(
            open = editor.lines.count(),
            "stopped before every line was closed"
        );
    }
}
