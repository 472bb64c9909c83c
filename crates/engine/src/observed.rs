//! Compares a number or a percentile with its limit, even if the value is not exactly known.

use plan::{Op, Threshold};
use record::{Counted, Inconclusive, Outcome};

use crate::percentile::{Messages, Percentile};

/// The value that a threshold limits, in the base unit of the limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Observed {
    /// A number between two bounds, which are equal if everything is known.
    Number {
        /// The lower bound.
        low: f64,
        /// The upper bound; may be infinite.
        high: f64,
        /// The reason why the bounds differ.
        why: Inconclusive,
    },
    /// A percentile, with the number of values on either side of the limit.
    Percentile(Percentile),
}

impl Observed {
    /// The counts of a percentile that has too few samples to be stated.
    pub(crate) fn counted(&self) -> Option<Counted> {
        match self {
            Self::Number { .. } => None,
            Self::Percentile(percentile) => percentile.counted(),
        }
    }

    /// Whether the threshold holds.
    pub(crate) fn outcome(&self, threshold: &Threshold) -> Outcome {
        let (low, high, why) = match self {
            Self::Number { low, high, why } => (*low, *high, *why),
            Self::Percentile(percentile) => return percentile.outcome(threshold),
        };
        let limit = threshold.limit.value;
        let between = (low..=high).contains(&limit);
        match (threshold.holds(low), threshold.holds(high)) {
            (true, true) if !(threshold.op == Op::Unequal && between) => Outcome::Held,
            (false, false) if !(threshold.op == Op::Equal && between) => Outcome::Broken,
            _ => Outcome::Inconclusive(why),
        }
    }
}

/// A number whose exact value is known.
pub(crate) fn exactly(value: f64) -> Observed {
    Observed::Number {
        low: value,
        high: value,
        why: Inconclusive::NoData,
    }
}

/// The reason for a result that is unknown because `open` operations are in flight.
pub(crate) fn in_flight(open: u64) -> Inconclusive {
    Inconclusive::InFlight { open }
}

/// Adds the per-message counts to a percentile of deliveries.
pub(crate) fn by_message(seen: Observed, messages: Messages) -> Observed {
    match seen {
        Observed::Percentile(percentile) => Observed::Percentile(Percentile {
            messages: Some(messages),
            ..percentile
        }),
        number @ Observed::Number { .. } => number,
    }
}
