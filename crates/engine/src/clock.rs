use std::time::{Duration, Instant, SystemTime};

use model::Nanos;

/// The run's monotonic clock, the same for all threads. Nothing else reads time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    origin: Instant,
    wall_origin: SystemTime,
    wall: jiff::Timestamp,
}

/// Both clocks at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Both {
    /// The run's.
    pub(crate) now: Nanos,
    /// By how many nanoseconds more the machine's wall clock has moved since the start; `None` where the thread lost
    /// its CPU between the two.
    pub(crate) wall_ahead: Option<i64>,
    /// What passed between the two: so much more it may be.
    pub(crate) apart: Nanos,
}

/// Two looks at clocks lie no further apart, unless the thread lost its CPU.
const AT_ONCE: Nanos = Nanos::from_micros(5);

impl Clock {
    /// Zero is now.
    #[expect(clippy::disallowed_methods, reason = "this is the one place")]
    pub fn start() -> Self {
        Self {
            origin: Instant::now(),
            wall_origin: SystemTime::now(),
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

    /// A moment of the machine's wall clock, when that is so many nanoseconds ahead of its course since the start;
    /// `None` before the start.
    pub(crate) fn moment_of(&self, wall: SystemTime, wall_ahead: i64) -> Option<Nanos> {
        let moment = self.since_start(wall).checked_sub(wall_ahead)?;
        u64::try_from(moment).ok().map(Nanos)
    }

    fn since_start(&self, wall: SystemTime) -> i64 {
        let nanos = |passed: Duration| i64::try_from(passed.as_nanos()).unwrap_or(i64::MAX);
        match wall.duration_since(self.wall_origin) {
            Ok(passed) => nanos(passed),
            Err(ahead) => nanos(ahead.duration()).saturating_neg(),
        }
    }

    /// Both clocks, the wall clock first: by what passes in between it seems to be less ahead, and a moment of it later.
    pub(crate) fn read(&self) -> Both {
        let before = self.now();
        let wall = self.since_start(SystemTime::now());
        let now = self.now();
        let run = i64::try_from(now.0).unwrap_or(i64::MAX);
        Both {
            now,
            wall_ahead: (now - before < AT_ONCE).then(|| wall.saturating_sub(run)),
            apart: now - before,
        }
    }

    /// Time since the start.
    pub fn now(&self) -> Nanos {
        Nanos::from(self.origin.elapsed())
    }
}
