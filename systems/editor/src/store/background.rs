//! Work on whole documents, which takes milliseconds.

use std::num::NonZeroUsize;
use std::sync::LazyLock;
use std::thread::available_parallelism;

use rustix::process::setpriority_process;
use tokio::sync::Semaphore;
use tokio::task::{JoinError, spawn_blocking};

/// Niceness of the threads, so that threads that respond run first.
const NICE: i32 = 10;

/// One piece of work per core. Beside more threads, those that respond would wait longer.
static CORES: LazyLock<Semaphore> =
    LazyLock::new(|| Semaphore::new(available_parallelism().map_or(1, NonZeroUsize::get)));

/// Does the work on a blocking thread. Fails if it panics.
pub(super) async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, JoinError> {
    let _core = CORES.acquire().await; // an error means a closed semaphore, and nobody closes it
    let work = move || {
        if let Err(error) = setpriority_process(None, NICE) {
            tracing::debug!(%error, "cannot lower the priority of a thread that works on documents");
        }
        work()
    };
    spawn_blocking(work).await
}
