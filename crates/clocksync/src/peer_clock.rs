use model::Nanos;

use crate::drift::Drift;
use crate::interval::OffsetInterval;

/// What is known of a peer's clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PeerClock {
    /// The time on the local clock to which `interval` belongs.
    pub reference: Nanos,
    /// The possible offsets at `reference`.
    pub interval: OffsetInterval,
    /// How the offset changes from there, in both directions.
    pub drift: Drift,
}

impl PeerClock {
    /// The possible offsets at a time on the local clock. The interval grows with the distance from `reference`.
    pub fn offset_at(&self, local: Nanos) -> OffsetInterval {
        let (least, most) = self.drift.change(self.reference, local);
        self.interval.moved(least, most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offset::ClockOffset;

    fn clock(offset: i64, bound: i64, drift: Drift) -> PeerClock {
        let interval =
            OffsetInterval::new(ClockOffset(offset - bound), ClockOffset(offset + bound));
        PeerClock {
            reference: Nanos::from_secs(10),
            interval: interval.unwrap(),
            drift,
        }
    }

    const FAST: Drift = Drift {
        rate: 50e-6,
        uncertainty: 20e-6,
    };

    #[test]
    fn the_bound_grows_before_the_reference_too() {
        let clock = clock(0, 100, FAST);
        assert_eq!(
            clock.offset_at(Nanos::from_secs(9)).bound(),
            Nanos(100 + 20_000)
        );
        assert_eq!(
            clock.offset_at(Nanos::from_secs(9)).offset(),
            ClockOffset(-50_000)
        );
    }
}
