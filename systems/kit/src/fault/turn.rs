use std::num::NonZeroU64;
use std::time::Duration;

use super::spec::{FaultSpec, Stall};

/// The fault of one delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// No fault: the delivery is sent.
    Pass,
    /// The delivery is left out.
    Drop,
    /// The delivery is sent twice.
    Duplicate,
    /// The delivery waits for its successor and is sent after it.
    Swap,
    /// The delivery is sent, and a listener in a wrong room also receives it.
    Stray,
}

impl FaultSpec {
    /// The fault of the delivery with this number, counted from 1.
    #[must_use]
    pub fn turn(&self, number: u64) -> Turn {
        let falls =
            |every: Option<NonZeroU64>| every.is_some_and(|n| number.is_multiple_of(n.get()));
        if falls(self.drop) {
            Turn::Drop
        } else if falls(self.duplicate) {
            Turn::Duplicate
        } else if falls(self.swap) {
            Turn::Swap
        } else if falls(self.stray) {
            Turn::Stray
        } else {
            Turn::Pass
        }
    }

    /// Whether any configured fault applies to single deliveries. If not, deliveries need no numbers.
    #[must_use]
    pub fn touches_deliveries(&self) -> bool {
        self.drop
            .or(self.duplicate)
            .or(self.swap)
            .or(self.stray)
            .is_some()
    }
}

impl Stall {
    /// Returns the remaining time of the stall in progress at `at`, which counts from the start. `None` if no stall is
    /// in progress.
    #[must_use]
    pub fn remaining(&self, at: Duration) -> Option<Duration> {
        let phase = Duration::from_nanos_u128(at.as_nanos() % self.every.as_nanos());
        if at < self.every || phase >= self.lasts {
            return None;
        }
        Some(self.lasts.saturating_sub(phase))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(order: &str, deliveries: u64) -> Vec<Turn> {
        let spec: FaultSpec = order.parse().unwrap();
        (1..=deliveries).map(|n| spec.turn(n)).collect()
    }

    #[test]
    fn every_nth_delivery_has_its_turn() {
        use Turn::{Drop, Pass};
        assert_eq!(
            turns("drop=3", 7),
            [Pass, Pass, Drop, Pass, Pass, Drop, Pass]
        );
    }

    #[test]
    fn on_the_same_number_the_first_of_the_precedence_wins() {
        use Turn::{Drop, Duplicate, Stray, Swap};
        let all = turns("stray=1,swap=2,duplicate=4,drop=8", 8);
        assert_eq!(
            all,
            [Stray, Swap, Stray, Duplicate, Stray, Swap, Stray, Drop]
        );
    }

    #[test]
    fn a_stall_begins_after_one_period_and_lasts_as_ordered() {
        let stall = Stall {
            lasts: Duration::from_secs(1),
            every: Duration::from_secs(10),
        };
        let remaining = |ms| stall.remaining(Duration::from_millis(ms));
        assert_eq!(remaining(500), None);
        assert_eq!(remaining(10_000), Some(Duration::from_secs(1)));
        assert_eq!(remaining(20_900), Some(Duration::from_millis(100)));
        assert_eq!(remaining(21_000), None);
    }
}
