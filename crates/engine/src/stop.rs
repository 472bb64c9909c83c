use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// The number of times that the user has requested a stop. The first request ends the run early but in order, the
/// second one ends it at once.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicU8>);

impl Stop {
    /// Adds a request to stop.
    pub fn ask(&self) {
        let _ = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |asked| {
                Some(asked.saturating_add(1))
            });
    }

    /// The number of requests to stop.
    pub fn asked(&self) -> u8 {
        self.0.load(Ordering::Relaxed)
    }
}
