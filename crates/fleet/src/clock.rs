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

/// Measures the offset of an agent's clock. `None` if it does not answer, or if its clock was changed meanwhile.
pub(crate) async fn measure(client: &Client, clock: Clock, agent: &str) -> Option<OffsetInterval> {
    let subject = protocol::clock(agent);
    let mut offset = OffsetInterval::UNKNOWN;
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
        offset = offset.intersect(bounds).ok()?;
        sleep(PAUSE).await;
    }
    Some(offset)
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

    #[test]
    fn the_record_has_the_middle_and_half_of_the_width() {
        let offset = OffsetInterval::new(ClockOffset(-3_000_000), ClockOffset(-1_000_000));
        let clock = to_record(offset.unwrap());
        assert!((clock.offset_ms + 2.0).abs() < 1e-9, "{clock:?}");
        assert!((clock.error_ms - 1.0).abs() < 1e-9, "{clock:?}");
    }
}
