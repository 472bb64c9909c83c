use std::borrow::Cow;

use model::Nanos;

use crate::blocks::Blocks;
use crate::estimate::Estimate;
use crate::histogram::Histogram;
use crate::quantile::{needed_samples, rank_of};

/// Samples, some of which are censored: only a lower bound of their value is known.
///
/// An operation that is in flight after 3 s takes longer than 3 s, by an unknown amount. Leaving such operations out
/// would measure only the faster ones.
#[derive(Clone, Copy, Debug)]
pub struct Samples<'a> {
    /// The known values.
    pub times: &'a Histogram,
    /// Lower bounds of the censored values, such as the ages of operations in flight.
    pub open: &'a Histogram,
    /// The number of timeouts. They rank above all other samples.
    pub endless: u64,
}

/// The numbers of samples within a limit and beyond it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shares {
    /// Samples that are known to be at most the limit.
    pub within: u64,
    /// Samples that are known to be greater than the limit: measured, timed out, or in flight for longer than the
    /// limit.
    pub beyond: u64,
    /// Samples in flight for at most the limit, which may still end within or beyond it.
    pub unknown: u64,
}

impl Shares {
    /// The number of all samples.
    pub fn all(self) -> u64 {
        self.within + self.beyond + self.unknown
    }

    /// Adds the counts of another instance.
    pub fn merge(&mut self, other: Self) {
        self.within += other.within;
        self.beyond += other.beyond;
        self.unknown += other.unknown;
    }
}

impl Samples<'_> {
    /// The number of all samples, including censored ones and timeouts.
    pub fn count(&self) -> u64 {
        self.times.count() + self.open.count() + self.endless
    }

    /// The numbers of samples within `limit`, beyond it, and undecided, to the precision of a histogram.
    pub fn shares(&self, limit: Nanos) -> Shares {
        let late = self.times.count_above(limit);
        let old = self.open.count_above(limit);
        Shares {
            within: self.times.count() - late,
            beyond: late + old + self.endless,
            unknown: self.open.count() - old,
        }
    }

    /// Quantile `q`, without an interval. The result assumes that no censored sample ever ends. If the quantile then
    /// has no known value, the result is a lower bound, for which every censored sample ends at its own lower bound.
    pub fn at(&self, q: f64) -> Estimate {
        self.at_in(&Blocks::default(), q)
    }

    /// Quantile `q` with its confidence interval, based on the `blocks` of the samples. The lower end of the interval
    /// assumes that every censored sample ends at its lower bound.
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

    /// Standard error of the logarithm of quantile `q`, as the `blocks` of the samples show it. Unlike the interval, it has
    /// no margin for the uncertainty of this estimate itself. It is therefore for the mean over several runs, not for one
    /// run. `None` if the samples show neither the quantile nor its error.
    pub fn log_error_in(&self, blocks: &Blocks, q: f64) -> Option<f64> {
        let count = self.count();
        if count < needed_samples(q) {
            return None;
        }
        let value = self.times.at_rank(rank_of(count, q))?;
        let effect = blocks.likely_design_effect_at(value)?;
        // Quantiles are as uncertain as the share of samples below them (Woodruff, 1952).
        let share = (q * (1.0 - q) * effect / count as f64).sqrt();
        let at = |q: f64| self.times.at_rank(rank_of(count, q));
        let (low, high) = (at(q - share)?, at(q + share)?);
        Some((high.0.max(1) as f64 / low.0.max(1) as f64).ln() / 2.0)
    }

    /// All samples except timeouts, as if each censored sample had ended at its lower bound.
    fn at_their_bounds(&self) -> Cow<'_, Histogram> {
        if self.open.is_empty() {
            return Cow::Borrowed(self.times);
        }
        let mut all = self.times.clone();
        all.merge(self.open);
        Cow::Owned(all)
    }
}

/// Quantile `q` of `times` together with `endless` samples that timed out. Timeouts rank as the largest samples, so
/// that percentiles also cover operations that never ended. There is no interval, because the correlation is unknown.
pub fn estimate(times: &Histogram, endless: u64, q: f64) -> Estimate {
    all_ended(times, endless).at(q)
}

/// Like [`estimate`], but with an interval, whose width depends on the correlation of the samples. Samples that are
/// close in time or belong to one message are correlated, and `blocks` show how much.
pub fn estimate_in_blocks(times: &Histogram, endless: u64, blocks: &Blocks, q: f64) -> Estimate {
    all_ended(times, endless).at_in(blocks, q)
}

fn all_ended(times: &Histogram, endless: u64) -> Samples<'_> {
    Samples {
        times,
        open: Histogram::NONE,
        endless,
    }
}
