//! `PocketSphinx`. Each recogniser is a child process, because the library is C and this workspace contains no unsafe code.

mod child;
mod stream;

use std::num::NonZero;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;

use tokio::time::Instant;

use super::config::EngineConfig;
use super::recogniser::{Engine, EngineError, Job, Recogniser, StartError};
use child::{Child, Program};
use stream::Stream;

/// Recognisers per processor. `PocketSphinx` needs up to 0.38 of a processor for one stream, and with five streams on two
/// processors, they fell behind.
const PER_PROCESSOR: u32 = 2;

/// A pool of recognisers. A stream gets one of its own, and none is shared.
#[derive(Debug)]
pub(super) struct PocketSphinx {
    pool: Arc<Pool>,
}

#[derive(Debug)]
struct Pool {
    size: u32,
    idle: Mutex<Vec<Child>>,
}

impl PocketSphinx {
    /// Starts all recognisers and waits until each has loaded its model.
    pub(super) async fn start(config: &EngineConfig) -> Result<Self, StartError> {
        let program = Program {
            python: config.python.clone(),
            model: config.model.clone(),
        };
        let size = config.recognisers.unwrap_or_else(|| {
            let processors = available_parallelism().map_or(1, NonZero::get);
            u32::try_from(processors).unwrap_or(1) * PER_PROCESSOR
        });
        // The first one reports what is missing, before any other is started.
        let mut idle = vec![Child::start(program.clone()).await?];
        let others: Vec<_> = (1..size)
            .map(|_| tokio::spawn(Child::start(program.clone())))
            .collect();
        for other in others {
            let child = other.await;
            idle.push(child.map_err(|error| StartError::Recogniser(error.to_string()))??);
        }
        let idle = Mutex::new(idle);
        Ok(Self {
            pool: Arc::new(Pool { size, idle }),
        })
    }
}

impl Pool {
    fn take(self: &Arc<Self>) -> Result<Lease, EngineError> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let child = idle.pop().ok_or(EngineError::Busy(self.size))?;
        Ok(Lease {
            pool: self.clone(),
            child: Some(child),
        })
    }
}

/// A recogniser in use. It returns to the pool at the end.
#[derive(Debug)]
struct Lease {
    pool: Arc<Pool>,
    child: Option<Child>,
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(child) = self.child.take() {
            child.reset();
            let mut idle = self
                .pool
                .idle
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            idle.push(child);
        }
    }
}

impl Engine for PocketSphinx {
    fn stream(&self) -> Result<Box<dyn Recogniser>, EngineError> {
        Ok(Box::new(Stream::new(self.pool.take()?)))
    }

    fn whole(&self, samples: Vec<i16>, _: Instant) -> Job {
        let stream = self.pool.take().map(Stream::new);
        Box::pin(async move {
            let mut stream = stream?;
            stream.feed(&samples, true);
            // The lease lasts until the recording is recognised.
            stream.finish(Instant::now()).await
        })
    }

    fn capacity(&self) -> Option<u32> {
        Some(self.pool.size)
    }
}
