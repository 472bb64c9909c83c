use model::Nanos;
use serde::{Deserialize, Serialize};

use crate::drift::Drift;
use crate::interval::{Contradiction, OffsetInterval};
use crate::offset::ClockOffset;

/// What is known of a peer's clock. It converts times between the two clocks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeerClock {
    /// The time on the local clock to which `interval` belongs.
    pub reference: Nanos,
    /// The possible offsets at `reference`.
    pub interval: OffsetInterval,
    /// How the offset changes from there, in both directions.
    pub drift: Drift,
}

/// A time that was converted to another clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConvertedTime {
    /// The best estimate.
    pub time: Nanos,
    /// The largest possible error of `time`.
    pub bound: Nanos,
}

impl PeerClock {
    /// The possible offsets at a time on the local clock. The interval grows with the distance from `reference`.
    pub fn offset_at(&self, local: Nanos) -> OffsetInterval {
        let (least, most) = self.drift.change(self.reference, local);
        self.interval.moved(least, most)
    }

    /// The possible offsets at a time between two measurements, which both must allow.
    pub fn offset_between(
        &self,
        later: &Self,
        local: Nanos,
    ) -> Result<OffsetInterval, Contradiction> {
        self.offset_at(local).intersect(later.offset_at(local))
    }

    /// Converts a time of the local clock to the peer's clock. `None` if the peer's clock started later.
    pub fn to_peer(&self, local: Nanos) -> Option<ConvertedTime> {
        let interval = self.offset_at(local);
        convert(local, interval.offset(), interval.bound())
    }

    /// Converts a time of the peer's clock to the local clock. `None` if the local clock started later.
    pub fn to_local(&self, peer: Nanos) -> Option<ConvertedTime> {
        // The offset depends on the local time, which is not known yet. Each step multiplies the error by the drift, which
        // is less than 1e-4: an offset that has changed by 1 ms is known to 100 ns, and then to 10 ps.
        let first = (-self.interval.offset()).ahead_of(peer)?;
        let second = (-self.offset_at(first).offset()).ahead_of(peer)?;
        let interval = self.offset_at(second);
        convert(peer, -interval.offset(), interval.bound())
    }
}

fn convert(time: Nanos, offset: ClockOffset, bound: Nanos) -> Option<ConvertedTime> {
    let time = offset.ahead_of(time)?;
    Some(ConvertedTime { time, bound })
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_time_is_converted_with_the_offset_of_its_moment() {
        // Powers of two, so that all results are exact.
        let drift = Drift {
            rate: 1.0 / 16_384.0,
            uncertainty: 1.0 / 65_536.0,
        };
        let clock = clock(3_000_000_000, 7_000, drift);
        let local = clock.reference + Nanos(1 << 31);
        let there = clock.to_peer(local).unwrap();
        assert_eq!(there.time, local + Nanos(3_000_000_000 + (1 << 17)));
        assert_eq!(there.bound, Nanos(7_000 + (1 << 15)));
        // On the way back, the ends of the interval are rounded to whole nanoseconds.
        let back = clock.to_local(there.time).unwrap();
        assert!(back.time.0.abs_diff(local.0) <= 1, "{back:?}");
        assert!(back.bound.0.abs_diff(there.bound.0) <= 1, "{back:?}");
    }

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

    #[test]
    fn a_time_before_the_start_of_a_clock_is_none() {
        let behind = clock(-5_000_000_000, 100, FAST);
        assert_eq!(behind.to_peer(Nanos::from_secs(4)), None);
        let ahead = clock(5_000_000_000, 100, FAST);
        assert_eq!(ahead.to_local(Nanos::from_secs(4)), None);
    }

    #[test]
    fn two_measurements_must_agree() {
        let early = clock(0, 100, FAST);
        let mut late = clock(150, 100, FAST);
        let both = early.offset_between(&late, early.reference).unwrap();
        assert_eq!(both.bound(), Nanos(25));
        late.interval = late.interval.moved(1_000.0, 1_000.0);
        assert!(early.offset_between(&late, early.reference).is_err());
    }
}
