use std::borrow::Cow;

use model::Nanos;

use crate::estimate::Estimate;
use crate::quantile::{needed_samples, rank_of};
use crate::{Blocks, Histogram};

/// Samples of which some are censored: only a lower bound of their value is known.
///
/// An operation that is still in flight after 3 s takes longer than 3 s, however long that may be. To leave it out
/// would be to measure the survivors.
#[derive(Clone, Copy, Debug)]
pub struct Samples<'a> {
    /// The values that are known.
    pub times: &'a Histogram,
    /// Lower bounds of the censored ones, such as the ages of operations in flight.
    pub open: &'a Histogram,
    /// Time-outs: they rank above all others.
    pub endless: u64,
}

/// How many samples lie within a limit and how many beyond it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shares {
    /// Known to be at most the limit.
    pub within: u64,
    /// Known to be greater than the limit: measured, timed out, or in flight for longer than that.
    pub beyond: u64,
    /// In flight for less than the limit: they may end on either side of it.
    pub unknown: u64,
}

impl Shares {
    /// All samples.
    pub fn all(self) -> u64 {
        self.within + self.beyond + self.unknown
    }

    /// Adds what was counted elsewhere.
    pub fn merge(&mut self, other: Self) {
        self.within += other.within;
        self.beyond += other.beyond;
        self.unknown += other.unknown;
    }
}

impl Samples<'_> {
    /// How many there are, censored ones and time-outs included.
    pub fn count(&self) -> u64 {
        self.times.count() + self.open.count() + self.endless
    }

    /// How many lie within `limit`, beyond it, or on a side that is not known, to the precision of a histogram.
    pub fn shares(&self, limit: Nanos) -> Shares {
        let late = self.times.count_above(limit);
        let old = self.open.count_above(limit);
        Shares {
            within: self.times.count() - late,
            beyond: late + old + self.endless,
            unknown: self.open.count() - old,
        }
    }

    /// Quantile `q`, without an interval. It lies between two readings: that every censored sample ends at its lower
    /// bound, and that none ever ends. A value is stated where the second is known; elsewhere only the first is, as a
    /// lower bound.
    pub fn at(&self, q: f64) -> Estimate {
        self.at_in(&Blocks::default(), q)
    }

    /// The same with its interval, from the `blocks` in which the samples came. It reaches down to the first reading.
    pub fn at_in(&self, blocks: &Blocks, q: f64) -> Estimate {
        let (have, need) = (self.count(), needed_samples(q));
        if have < need {
            return Estimate::Unavailable { have, need };
        }
        let rank = rank_of(have, q);
        let Some(value) = self.times.at_rank(rank) else {
            let at_least = self.at_their_bounds().at_rank(rank);
            return Estimate::Beyond { at_least };
        };
        let interval = blocks.interval_ranks(have, q).and_then(|(low, high)| {
            let low = self.at_their_bounds().at_rank(low)?;
            Some((low, self.times.at_rank(high)?))
        });
        Estimate::Value { value, interval }
    }

    /// All but the time-outs, as if each censored sample had ended at its lower bound.
    fn at_their_bounds(&self) -> Cow<'_, Histogram> {
        if self.open.is_empty() {
            return Cow::Borrowed(self.times);
        }
        let mut all = self.times.clone();
        all.merge(self.open);
        Cow::Owned(all)
    }
}
