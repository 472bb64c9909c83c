//! The offsets of the agents' clocks from the coordinator's, by round trips over NATS.
//!
//! Each round trip bounds the offset from both sides, whatever the ways take. The lowest upper bound and the highest
//! lower bound of many round trips come from different messages, namely those that were fastest in their direction.

use std::time::Duration;

use async_nats::Client;
use clocksync::{Exchange, OffsetInterval};
use engine::Clock;
use record::AgentClock;
use tokio::time::{sleep, timeout};

use crate::protocol::{self, Reading, decode};

/// Number of round trips of a measurement, and the pause between them.
const ROUND_TRIPS: u32 = 60;
const PAUSE: Duration = Duration::from_millis(2);
/// Time limit of a round trip.
const LIMIT: Duration = Duration::from_secs(1);

/// Measures the offset of an agent's clock. `None` if it does not answer.
pub(crate) async fn measure(client: &Client, clock: Clock, agent: &str) -> Option<OffsetInterval> {
    let subject = protocol::clock(agent);
    let mut measured = Narrowed::default();
    for _ in 0..ROUND_TRIPS {
        let sent = clock.now();
        let request = client.request(subject.clone(), bytes::Bytes::new());
        let answer = timeout(LIMIT, request).await.ok()?.ok()?;
        let returned = clock.now();
        let Reading { received, replied } = decode(&answer.payload).ok()?;
        let exchange = Exchange {
            sent,
            received,
            replied,
            returned,
        };
        let bounds = OffsetInterval::new(exchange.lower_bound(), exchange.upper_bound()).ok()?;
        measured.narrow(bounds);
        sleep(PAUSE).await;
    }
    Some(measured.offset())
}

/// The offset that all round trips allow. If two contradict each other, a clock has moved meanwhile: its machine slept, for
/// example. The offset can then be any from before to after, and the larger error makes thresholds inconclusive.
#[derive(Debug)]
struct Narrowed {
    latest: OffsetInterval,
    before: Option<OffsetInterval>,
}

impl Default for Narrowed {
    fn default() -> Self {
        Self {
            latest: OffsetInterval::UNKNOWN,
            before: None,
        }
    }
}

impl Narrowed {
    fn narrow(&mut self, bounds: OffsetInterval) {
        self.latest = self.latest.intersect(bounds).unwrap_or_else(|_| {
            self.before = Some(self.offset());
            bounds
        });
    }

    fn offset(&self) -> OffsetInterval {
        self.before
            .map_or(self.latest, |before| before.hull(self.latest))
    }
}

/// The clock of an agent, for the record.
pub(crate) fn to_record(offset: OffsetInterval) -> AgentClock {
    AgentClock {
        offset_ms: offset.offset().0 as f64 / 1e6,
        error_ms: offset.bound().as_millis_f64(),
    }
}

#[cfg(test)]
mod tests {
    use clocksync::ClockOffset;

    use super::*;

    fn between(low: i64, high: i64) -> OffsetInterval {
        OffsetInterval::new(ClockOffset(low), ClockOffset(high)).unwrap()
    }

    #[test]
    fn round_trips_narrow_the_offset() {
        let mut measured = Narrowed::default();
        for bounds in [between(0, 900), between(300, 1200), between(200, 700)] {
            measured.narrow(bounds);
        }
        assert_eq!(measured.offset(), between(300, 700));
    }

    #[test]
    fn a_clock_that_moved_has_an_error_as_large_as_its_move() {
        let mut measured = Narrowed::default();
        let slept = 5_000_000;
        for bounds in [
            between(0, 900),
            between(slept, slept + 800),
            between(slept + 100, slept + 900),
        ] {
            measured.narrow(bounds);
        }
        assert_eq!(measured.offset(), between(0, slept + 800));
    }

    #[test]
    fn the_record_has_the_middle_and_half_of_the_width() {
        let offset = OffsetInterval::new(ClockOffset(-3_000_000), ClockOffset(-1_000_000));
        let clock = to_record(offset.unwrap());
        assert!((clock.offset_ms + 2.0).abs() < 1e-9, "{clock:?}");
        assert!((clock.error_ms - 1.0).abs() < 1e-9, "{clock:?}");
    }
}
