use model::Nanos;

use crate::drift::Drift;
use crate::exchange::Exchange;
use crate::interval::{Contradiction, OffsetInterval};
use crate::peer_clock::PeerClock;

/// Exchanges with one peer within a short time, such as 100 in a row, or those of 30 seconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    exchanges: Vec<Exchange>,
}

impl Window {
    /// Adds an exchange. The order does not matter.
    pub fn add(&mut self, exchange: Exchange) {
        self.exchanges.push(exchange);
    }

    /// Adds exchanges.
    pub fn extend(&mut self, exchanges: &[Exchange]) {
        self.exchanges.extend_from_slice(exchanges);
    }

    /// Forgets the exchanges that were sent before a time on the local clock.
    pub fn forget_before(&mut self, time: Nanos) {
        self.exchanges.retain(|exchange| time <= exchange.sent);
    }

    /// The number of exchanges.
    pub fn len(&self) -> usize {
        self.exchanges.len()
    }

    /// Whether there are no exchanges.
    pub fn is_empty(&self) -> bool {
        self.exchanges.is_empty()
    }

    /// When the latest reply arrived, on the local clock.
    pub fn newest(&self) -> Option<Nanos> {
        self.exchanges.iter().map(|one| one.returned).max()
    }

    /// The measured drift, or [`Drift::UNKNOWN`] if the exchanges are too few, or too close to each other.
    pub fn drift(&self) -> Drift {
        Drift::measure(&self.exchanges)
    }

    /// The peer's clock after the newest exchange. The offset of an empty window is unknown.
    pub fn peer_clock(&self, drift: Drift) -> Result<PeerClock, Contradiction> {
        let reference = self.newest().unwrap_or_default();
        Ok(PeerClock {
            reference,
            interval: self.interval_at(reference, drift)?,
            drift,
        })
    }

    /// The possible offsets at a time on the local clock.
    ///
    /// The fastest question gives the upper end and the fastest reply the lower end. They need not be of the same
    /// exchange. The bounds of each exchange grow with its distance from `time`, so that a fast exchange long ago does
    /// not outweigh a recent one.
    pub fn interval_at(&self, time: Nanos, drift: Drift) -> Result<OffsetInterval, Contradiction> {
        let upper = self.exchanges.iter().map(|exchange| {
            let (_, most) = drift.change(exchange.sent, time);
            exchange.upper_bound().plus_ceil(most)
        });
        let lower = self.exchanges.iter().map(|exchange| {
            let (least, _) = drift.change(exchange.returned, time);
            exchange.lower_bound().plus_floor(least)
        });
        let unknown = OffsetInterval::UNKNOWN;
        OffsetInterval::new(
            lower.max().unwrap_or(unknown.low()),
            upper.min().unwrap_or(unknown.high()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offset::ClockOffset;

    const NONE: Drift = Drift {
        rate: 0.0,
        uncertainty: 0.0,
    };

    fn exchange(sent: u64, received: u64, replied: u64, returned: u64) -> Exchange {
        Exchange {
            sent: Nanos(sent),
            received: Nanos(received),
            replied: Nanos(replied),
            returned: Nanos(returned),
        }
    }

    fn window(exchanges: &[Exchange]) -> Window {
        Window {
            exchanges: exchanges.to_vec(),
        }
    }

    #[test]
    fn the_fastest_question_and_the_fastest_reply_may_be_of_different_exchanges() {
        // The offset is 1,000. The first question is fast, the second reply.
        let window = window(&[
            exchange(0, 1_002, 1_002, 90),
            exchange(100, 1_180, 1_180, 183),
        ]);
        let interval = window.interval_at(Nanos(200), NONE).unwrap();
        assert_eq!(interval.low(), ClockOffset(997));
        assert_eq!(interval.high(), ClockOffset(1_002));
    }

    #[test]
    fn bounds_grow_with_the_age_of_their_exchange() {
        let window = window(&[exchange(0, 1_000_010, 1_000_010, 20)]);
        let drift = Drift {
            rate: 30e-6,
            uncertainty: 20e-6,
        };
        let later = window.interval_at(Nanos(1_000_020), drift).unwrap();
        // 10 ns after 1 ms at the least rate, and 50 ns (50.001 rounded up) at the highest.
        assert_eq!(later.low(), ClockOffset(999_990 + 10));
        assert_eq!(later.high(), ClockOffset(1_000_010 + 51));
    }

    #[test]
    fn an_empty_window_knows_nothing() {
        let clock = Window::default().peer_clock(Drift::UNKNOWN).unwrap();
        assert_eq!(clock.interval, OffsetInterval::UNKNOWN);
    }

    #[test]
    fn a_clock_that_was_set_contradicts_itself() {
        let window = window(&[
            exchange(0, 1_010, 1_010, 20),
            exchange(50, 5_060, 5_060, 70),
        ]);
        assert!(window.interval_at(Nanos(70), NONE).is_err());
    }

    #[test]
    fn old_exchanges_can_be_forgotten() {
        let mut window = window(&[exchange(0, 10, 10, 20), exchange(50, 60, 60, 70)]);
        window.forget_before(Nanos(50));
        assert_eq!((window.len(), window.newest()), (1, Some(Nanos(70))));
        window.forget_before(Nanos(51));
        assert!(window.is_empty());
    }
}
