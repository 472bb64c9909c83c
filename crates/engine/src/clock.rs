use std::time::Instant;

use model::Nanos;

/// The run's monotonic clock, the same for all threads. Nothing else reads time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    origin: Instant,
}

impl Clock {
    /// Zero is now.
    #[expect(clippy::disallowed_methods, reason = "this is the one place")]
    pub fn start() -> Self {
        Self {
            origin: Instant::now(),
        }
    }

    /// Time since the start.
    pub fn now(&self) -> Nanos {
        Nanos::from(self.origin.elapsed())
    }
}
