//! The clock of one agent during a run: measured before and after each level, and every few seconds between.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_nats::Client;
use clocksync::{Drift, Exchange, OffsetInterval, Window};
use engine::Clock;
use model::Nanos;
use record::AgentClock;
use tokio::task::AbortHandle;
use tokio::time::sleep;

use super::{measure, offset};
use crate::protocol::Member;

/// Time between two measurements, and their number of round trips on each way.
const EVERY: Duration = Duration::from_secs(5);
const FEW: u32 = 10;
/// The drift is measured from the round trips of this time.
const WINDOW: Nanos = Nanos::from_secs(60);

/// The clock of an agent. It is measured until this is dropped.
#[derive(Debug)]
pub(crate) struct TrackedClock {
    offsets: Arc<Mutex<Offsets>>,
    watching: AbortHandle,
}

/// What is known of a clock.
#[derive(Debug)]
struct Offsets {
    /// The offset when the agent was prepared. Its workers use a clock that is corrected by the middle.
    prepared: OffsetInterval,
    latest: OffsetInterval,
    /// All offsets since the last mark.
    since_mark: OffsetInterval,
    /// All offsets from the mark before to the last one.
    marked: OffsetInterval,
    window: Window,
}

impl Drop for TrackedClock {
    fn drop(&mut self) {
        self.watching.abort();
    }
}

impl TrackedClock {
    /// Begins to measure the clock of a prepared agent again and again, in a runtime.
    pub(crate) fn watch(
        client: Client,
        clock: Clock,
        agent: Member,
        prepared: OffsetInterval,
    ) -> Self {
        let offsets = Arc::new(Mutex::new(Offsets::new(prepared)));
        let watched = Arc::clone(&offsets);
        let watching = tokio::spawn(async move {
            loop {
                sleep(EVERY).await;
                let exchanges = measure(&client, clock, &agent, FEW).await;
                lock(&watched).add(&exchanges);
            }
        });
        Self {
            offsets,
            watching: watching.abort_handle(),
        }
    }

    /// Adds a measurement at the beginning or the end of a level, which marks the end of a period.
    pub(crate) fn mark(&self, exchanges: &[Exchange]) {
        let mut offsets = lock(&self.offsets);
        offsets.add(exchanges);
        offsets.mark();
    }

    /// The largest error of the times of the agent's workers, in the period between the last two marks.
    pub(crate) fn error(&self) -> Nanos {
        lock(&self.offsets).error()
    }

    /// By how many nanoseconds the clock was further ahead at the last measurement than when the agent was prepared.
    pub(crate) fn drifted(&self) -> i64 {
        lock(&self.offsets).drifted()
    }

    /// The clock, for the record.
    pub(crate) fn to_record(&self, started_at: &str) -> AgentClock {
        lock(&self.offsets).to_record(started_at)
    }
}

/// A task that panicked has left offsets that were measured, if not all of them, so they can still be used.
fn lock(offsets: &Mutex<Offsets>) -> MutexGuard<'_, Offsets> {
    offsets.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Offsets {
    fn new(prepared: OffsetInterval) -> Self {
        Self {
            prepared,
            latest: prepared,
            since_mark: prepared,
            marked: prepared,
            window: Window::default(),
        }
    }

    /// Adds a measurement. Without an answer of the agent, what was known stays.
    fn add(&mut self, exchanges: &[Exchange]) {
        let Some(measured) = offset(exchanges) else {
            return;
        };
        // Earlier measurements would narrow it, but only as far as the rate of the clock is known. A daemon may change it.
        self.latest = measured;
        self.since_mark = self.since_mark.hull(measured);
        self.window.extend(exchanges);
        let newest = self.window.newest().unwrap_or_default();
        self.window
            .forget_before(Nanos(newest.0.saturating_sub(WINDOW.0)));
        let has_moved = self
            .window
            .interval_at(newest, self.window.drift())
            .is_err();
        if has_moved {
            self.window = Window::default();
            self.window.extend(exchanges);
        }
    }

    fn mark(&mut self) {
        self.marked = self.since_mark;
        self.since_mark = self.latest;
    }

    fn error(&self) -> Nanos {
        let corrected = self.prepared.offset().0;
        let ends = [self.marked.low().0, self.marked.high().0];
        let [low, high] = ends.map(|offset| Nanos(offset.abs_diff(corrected)));
        low.max(high)
    }

    fn drifted(&self) -> i64 {
        let (before, now) = (self.prepared.offset(), self.latest.offset());
        now.0.saturating_sub(before.0)
    }

    fn to_record(&self, started_at: &str) -> AgentClock {
        let drift = self.window.drift();
        AgentClock {
            offset_ms: self.latest.offset().0 as f64 / 1e6,
            error_ms: self.latest.bound().as_millis_f64(),
            drift_ppm: (drift != Drift::UNKNOWN).then_some(drift.rate_ppm()),
            started_at: started_at.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use clocksync::ClockOffset;

    use super::*;

    fn between(low: i64, high: i64) -> OffsetInterval {
        OffsetInterval::new(ClockOffset(low), ClockOffset(high)).unwrap()
    }

    /// A round trip of an agent whose clock is ahead by 10 s and this number of nanoseconds.
    fn round_trip(at: u64, ahead: u64) -> Exchange {
        super::super::tests::round_trip(at, 10_000_000_000 + ahead)
    }

    /// Whether a figure is what it should be. The drift between round trips of a test adds a nanosecond.
    fn is_about(figure: Nanos, expected: u64) -> bool {
        figure.0.abs_diff(expected) <= 1
    }

    fn prepared() -> Offsets {
        Offsets::new(between(9_999_999_900, 10_000_000_100))
    }

    #[test]
    fn the_error_covers_all_that_was_measured_in_the_period() {
        let mut offsets = prepared();
        offsets.add(&[round_trip(1_000, 0)]);
        offsets.mark();
        offsets.add(&[round_trip(2_000, 7_000)]); // during the level
        offsets.add(&[round_trip(3_000, 50)]);
        offsets.mark();
        assert!(is_about(offsets.error(), 7_100), "{offsets:?}");
        offsets.add(&[round_trip(4_000, 50)]);
        offsets.mark();
        assert!(
            is_about(offsets.error(), 150),
            "the next period begins anew"
        );
    }

    #[test]
    fn the_error_of_a_clock_that_moved_stays() {
        let mut offsets = prepared();
        offsets.add(&[round_trip(1_000, 0)]);
        offsets.add(&[round_trip(2_000, 5_000_000)]); // its machine slept
        offsets.mark();
        assert!(is_about(offsets.error(), 5_000_100), "{offsets:?}");
        offsets.add(&[round_trip(3_000, 5_000_000)]);
        offsets.mark();
        assert!(
            is_about(offsets.error(), 5_000_100),
            "the workers' clock is that from before"
        );
        assert!(is_about(offsets.latest.bound(), 100), "{offsets:?}");
    }

    #[test]
    fn without_an_answer_what_was_known_stays() {
        let mut offsets = prepared();
        offsets.add(&[round_trip(1_000, 40)]);
        offsets.add(&[]);
        assert!((39..=41).contains(&offsets.drifted()), "{offsets:?}");
    }

    #[test]
    fn the_drift_is_measured_over_time() {
        let mut offsets = prepared();
        assert_eq!(offsets.to_record("").drift_ppm, None);
        for tick in 0..60 {
            let at = tick * 1_000_000_000;
            offsets.add(&[round_trip(at, at / 25_000)]);
        }
        let drift = offsets.to_record("").drift_ppm.unwrap();
        assert!((drift - 40.0).abs() < 1.0, "{drift}");
    }

    #[test]
    fn the_record_has_the_middle_and_half_of_the_width() {
        let clock = Offsets::new(between(-3_000_000, -1_000_000)).to_record("now");
        assert!((clock.offset_ms + 2.0).abs() < 1e-9, "{clock:?}");
        assert!((clock.error_ms - 1.0).abs() < 1e-9, "{clock:?}");
        assert_eq!(clock.started_at, "now");
    }
}
