use std::time::{Instant, SystemTime};

use model::Nanos;

/// The run's monotonic clock, the same for all threads. Nothing else reads time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    origin: Instant,
    wall: jiff::Timestamp,
}

impl Clock {
    /// Zero is now.
    #[expect(clippy::disallowed_methods, reason = "this is the one place")]
    pub fn start() -> Self {
        Self {
            origin: Instant::now(),
            wall: jiff::Timestamp::now(),
        }
    }

    /// The wall-clock time of the start, as RFC 3339.
    pub fn started_at(&self) -> String {
        self.wall.to_string()
    }

    /// The wall-clock time now, as RFC 3339: the start and the monotonic time since, so that it never jumps.
    pub fn date(&self) -> String {
        let since = std::time::Duration::from(self.now());
        (self.wall + since).to_string()
    }

    /// Time since a moment that the kernel stamped by its wall clock; `None` if that lies ahead.
    pub fn since(&self, stamp: SystemTime) -> Option<Nanos> {
        let passed = SystemTime::now().duration_since(stamp).ok()?;
        Some(Nanos::from(passed))
    }

    /// Time since the start.
    pub fn now(&self) -> Nanos {
        Nanos::from(self.origin.elapsed())
    }
}
