use std::future::Future;
use std::io;

use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

use crate::log::{self, LogConfig};

/// Sets up logs, then runs `system` on `threads` threads. Logs that are already set up stay as they are.
pub fn start<F: Future>(config: &LogConfig, threads: u16, system: F) -> io::Result<F::Output> {
    if let Err(error) = log::init(config) {
        tracing::debug!(%error, "keeping the existing log configuration");
    }
    block_on(threads, system)
}

/// Runs `future` on `threads` threads. With one thread, tasks never move between threads.
fn block_on<F: Future>(threads: u16, future: F) -> io::Result<F::Output> {
    let runtime = if threads == 1 {
        Builder::new_current_thread().enable_all().build()?
    } else {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(usize::from(threads));
        builder.enable_all().build()?
    };
    Ok(runtime.block_on(future))
}

/// Returns a future that resolves at SIGTERM or SIGINT. The handlers are installed before the function returns.
pub fn stop_signal() -> io::Result<impl Future<Output = ()> + Send> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => tracing::info!("stopping: received SIGTERM"),
            _ = interrupt.recv() => tracing::info!("stopping: received SIGINT"),
        }
    })
}
