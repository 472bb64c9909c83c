use std::time::{Duration, Instant, SystemTime};

use model::Nanos;

/// The run's monotonic clock, shared by all threads. No other code reads the time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    origin: Instant,
    wall_origin: SystemTime,
    wall: jiff::Timestamp,
}

/// Readings of the run's clock and the wall clock at nearly the same time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Both {
    /// The run's clock.
    pub(crate) now: Nanos,
    /// Nanoseconds by which the machine's wall clock has advanced more than the run's clock since the start. `None`
    /// if the thread lost its CPU between the two readings.
    pub(crate) wall_ahead: Option<i64>,
    /// Time between the two readings. `wall_ahead` may be too small by up to this much.
    pub(crate) apart: Nanos,
}

/// If two readings are further apart than this, the thread lost its CPU between them.
const AT_ONCE: Nanos = Nanos::from_micros(5);

impl Clock {
    /// Starts the clock at zero.
    #[expect(clippy::disallowed_methods, reason = "this is the one place")]
    pub fn start() -> Self {
        Self {
            origin: Instant::now(),
            wall_origin: SystemTime::now(),
            wall: jiff::Timestamp::now(),
        }
    }

    /// A clock that shows this number of nanoseconds less. With the offset of this clock from another one, the result
    /// shows the other one's time.
    #[must_use]
    pub fn behind_by(&self, nanos: i64) -> Option<Self> {
        let by = Duration::from_nanos(nanos.unsigned_abs());
        let (origin, wall_origin) = if nanos < 0 {
            (
                self.origin.checked_sub(by)?,
                self.wall_origin.checked_sub(by)?,
            )
        } else {
            (
                self.origin.checked_add(by)?,
                self.wall_origin.checked_add(by)?,
            )
        };
        Some(Self {
            origin,
            wall_origin,
            wall: self.wall + jiff::SignedDuration::from_nanos(nanos),
        })
    }

    /// This clock, with the zero of a run that has started before, at this time in RFC 3339 format. `None` if the text is
    /// no time of the past.
    #[must_use]
    pub fn since(&self, started_at: &str) -> Option<Self> {
        let started: jiff::Timestamp = started_at.parse().ok()?;
        let passed = self.wall.as_nanosecond() - started.as_nanosecond();
        let passed = i64::try_from(passed).ok().filter(|passed| *passed >= 0)?;
        self.behind_by(-passed)
    }

    /// The wall-clock time of the start, in RFC 3339 format.
    pub fn started_at(&self) -> String {
        self.wall.to_string()
    }

    /// The current wall-clock time, in RFC 3339 format. It is the start plus the monotonic time since then, so it never
    /// jumps.
    pub fn date(&self) -> String {
        let since = std::time::Duration::from(self.now());
        (self.wall + since).to_string()
    }

    /// The wall-clock time of the start.
    pub fn wall_start(&self) -> SystemTime {
        self.wall_origin
    }

    /// Converts a wall-clock time into the run's time. `wall_ahead` comes from [`Both`]. `None` for a time before the
    /// start.
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

    /// Reads both clocks, the wall clock first. The time between the readings makes the wall clock seem less ahead, so
    /// converted times can be too late, but never too early.
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
