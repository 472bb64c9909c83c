//! The offsets of the agents' clocks from the coordinator's, by round trips over NATS.
//!
//! Each round trip bounds the offset from both sides, whatever the ways take. The lowest upper bound and the highest
//! lower bound of many round trips come from different messages, namely those that were fastest in their direction.

use std::time::Duration;

use async_nats::Client;
use engine::Clock;
use model::Nanos;
use record::AgentClock;
use tokio::time::{sleep, timeout};

use crate::protocol::{self, Reading, decode};

/// Number of round trips of a measurement, and the pause between them.
const ROUND_TRIPS: u32 = 60;
const PAUSE: Duration = Duration::from_millis(2);
/// Time limit of a round trip.
const LIMIT: Duration = Duration::from_secs(1);

/// An interval that contains the offset of a clock: what it shows minus what the coordinator's shows, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Offset {
    lower: i64,
    upper: i64,
}

impl Offset {
    /// What a round trip shows: the request was received after it was sent, and the answer was sent before it arrived.
    fn of(sent: Nanos, reading: Reading, returned: Nanos) -> Self {
        Self {
            lower: difference(reading.replied, returned),
            upper: difference(reading.received, sent),
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            lower: self.lower.max(other.lower),
            upper: self.upper.min(other.upper),
        }
    }

    /// The middle of the interval.
    pub(crate) fn middle(self) -> i64 {
        i64::midpoint(self.lower, self.upper)
    }

    /// The largest possible error of the middle, in nanoseconds.
    pub(crate) fn error(self) -> u64 {
        self.upper.abs_diff(self.lower).div_ceil(2)
    }

    /// The clock, for the record.
    pub(crate) fn to_record(self) -> AgentClock {
        AgentClock {
            offset_ms: self.middle() as f64 / 1e6,
            error_ms: self.error() as f64 / 1e6,
        }
    }
}

fn difference(a: Nanos, b: Nanos) -> i64 {
    let size = i64::try_from(a.0.abs_diff(b.0)).unwrap_or(i64::MAX);
    if a < b { -size } else { size }
}

/// Measures the offset of an agent's clock. `None` if it does not answer.
pub(crate) async fn measure(client: &Client, clock: Clock, agent: &str) -> Option<Offset> {
    let subject = protocol::clock(agent);
    let mut offset: Option<Offset> = None;
    for _ in 0..ROUND_TRIPS {
        let sent = clock.now();
        let request = client.request(subject.clone(), bytes::Bytes::new());
        let answer = timeout(LIMIT, request).await.ok()?.ok()?;
        let returned = clock.now();
        let reading: Reading = decode(&answer.payload).ok()?;
        let one = Offset::of(sent, reading, returned);
        offset = Some(offset.map_or(one, |offset| offset.and(one)));
        sleep(PAUSE).await;
    }
    // Drift can empty the interval of exact bounds; then the last bounds would contradict the first.
    offset.filter(|offset| offset.lower <= offset.upper)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A round trip to a clock that is ahead by `offset`, with these delays.
    fn trip(sent: u64, offset: u64, there: u64, back: u64) -> Offset {
        let received = Nanos(sent + there + offset);
        let reading = Reading {
            received,
            replied: received,
        };
        Offset::of(Nanos(sent), reading, Nanos(sent + there + back))
    }

    #[test]
    fn the_fastest_message_of_each_direction_decides() {
        let offset = trip(1_000, 5_000, 40, 900).and(trip(9_000, 5_000, 700, 60));
        assert_eq!((offset.lower, offset.upper), (4_940, 5_040));
        assert_eq!((offset.middle(), offset.error()), (4_990, 50));
    }

    #[test]
    fn a_clock_that_started_later_is_behind() {
        let reading = Reading {
            received: Nanos(50),
            replied: Nanos(60),
        };
        let offset = Offset::of(Nanos(1_000), reading, Nanos(1_100));
        assert_eq!((offset.lower, offset.upper), (-1_040, -950));
        assert!(offset.to_record().offset_ms < 0.0);
    }
}
