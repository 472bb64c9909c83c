//! The offsets of the agents' clocks from the coordinator's, by round trips over NATS, and over UDP where it passes.
//!
//! Each round trip bounds the offset from both sides, whatever the ways take. The lowest upper bound and the highest
//! lower bound of many round trips come from different messages, namely those that were fastest in their direction.

mod tracked;
mod udp;

use std::time::Duration;

use async_nats::Client;
use clocksync::{Drift, Exchange, OffsetInterval, Window};
use engine::Clock;
use futures_util::future::join_all;
use tokio::time::{sleep, timeout};

pub(crate) use tracked::TrackedClock;
pub(crate) use udp::{answer, any_address};

use crate::protocol::{self, Member, Reading, decode};

/// Number of round trips on each way, before and after a level.
pub(crate) const MANY: u32 = 60;
/// The pause between two questions.
const PAUSE: Duration = Duration::from_millis(2);
/// Time limit of a round trip over NATS.
const LIMIT: Duration = Duration::from_secs(1);

/// The round trips of one measurement, in the order in which they began. Empty if the agent does not answer.
pub(crate) async fn measure(
    client: &Client,
    clock: Clock,
    agent: &Member,
    questions: u32,
) -> Vec<Exchange> {
    let over_nats = ask(client, clock, &agent.name, questions);
    let over_udp = udp::ask(agent, clock, questions);
    let (mut exchanges, direct) = tokio::join!(over_nats, over_udp);
    exchanges.extend(direct);
    exchanges.sort_by_key(|exchange| exchange.sent);
    exchanges
}

/// Asks an agent for the time over NATS. The questions do not wait for each other's replies.
async fn ask(client: &Client, clock: Clock, agent: &str, questions: u32) -> Vec<Exchange> {
    let subject = protocol::clock(agent);
    let round_trips = (0..questions).map(|question| {
        let subject = subject.clone();
        async move {
            sleep(PAUSE * question).await;
            let sent = clock.now();
            let request = client.request(subject, bytes::Bytes::new());
            let answer = timeout(LIMIT, request).await.ok()?.ok()?;
            let returned = clock.now();
            let Reading { received, replied } = decode(&answer.payload).ok()?;
            Some(Exchange {
                sent,
                received,
                replied,
                returned,
            })
        }
    });
    join_all(round_trips).await.into_iter().flatten().collect()
}

/// The offset that all round trips of a measurement allow. If two contradict each other, a clock has moved meanwhile: its
/// machine slept, for example. The offset can then be any from before to after, and the larger error makes thresholds
/// inconclusive. `None` without round trips.
pub(crate) fn offset(exchanges: &[Exchange]) -> Option<OffsetInterval> {
    let mut window = Window::default();
    window.extend(exchanges);
    let together = window.interval_at(window.newest()?, Drift::UNKNOWN);
    let each = exchanges.iter().filter_map(|exchange| {
        OffsetInterval::new(exchange.lower_bound(), exchange.upper_bound()).ok()
    });
    together.ok().or_else(|| each.reduce(OffsetInterval::hull))
}

#[cfg(test)]
mod tests {
    use model::Nanos;

    use super::*;

    /// A round trip of 100 ns in each direction, of an agent whose clock is ahead by this number of nanoseconds.
    pub(super) fn round_trip(at: u64, ahead: u64) -> Exchange {
        let there = Nanos(at + ahead + 100);
        Exchange {
            sent: Nanos(at),
            received: there,
            replied: there,
            returned: Nanos(at + 200),
        }
    }

    #[test]
    fn without_round_trips_the_offset_is_unknown() {
        assert_eq!(offset(&[]), None);
    }

    #[test]
    fn the_fastest_messages_of_all_round_trips_narrow_the_offset() {
        let slow_there = Exchange {
            received: Nanos(5_900),
            ..round_trip(0, 5_000)
        };
        let offset = offset(&[slow_there, round_trip(500, 5_000)]).unwrap();
        // The drift within a microsecond is less than a nanosecond.
        assert!((99..=101).contains(&offset.bound().0), "{offset:?}");
        assert!((offset.offset().0 - 5_000).abs() <= 1, "{offset:?}");
    }

    #[test]
    fn a_clock_that_moved_has_an_error_as_large_as_its_move() {
        let slept = 5_000_000;
        let offset = offset(&[round_trip(0, 0), round_trip(500, slept)]).unwrap();
        assert_eq!((offset.low().0, offset.high().0), (-100, 5_000_100));
    }
}
