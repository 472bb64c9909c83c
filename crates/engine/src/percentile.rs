//! Compares a percentile with its limit, by counting the values on either side of the limit.
//!
//! `p95 < 100ms` means that at most 5 % of the values exceed 100 ms. If there are enough samples to state the
//! percentile, its rank decides, so outcome and figure always agree. With fewer samples, an exact binomial bound on
//! the share decides, or the outcome is inconclusive.

use plan::{Op, Threshold};
use record::{Counted, CountedKind, Inconclusive, Outcome, Shortfall};
use stats::{Histogram, ShareTest, needed_samples, rank_of, test_share, trials_to_decide};

/// The number of values on each side of a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sides {
    /// Number of values that meet the condition.
    pub(crate) within: u64,
    /// Number of values that do not meet the condition.
    pub(crate) beyond: u64,
    /// Number of values that are unknown because an operation is in flight, or that are not numbers.
    pub(crate) unknown: u64,
}

/// Counts of messages. The deliveries of one message form a cluster of values that are not independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Messages {
    /// Number of messages that somebody received.
    pub(crate) all: u64,
    /// Upper bound of the number of messages with any delivery beyond the limit. Their share of all messages is at
    /// least the share of deliveries beyond the limit.
    pub(crate) any_beyond: u64,
    /// Lower bound of the number of messages with all deliveries beyond the limit. Their share of all messages is at
    /// most the share of deliveries beyond the limit.
    pub(crate) all_beyond: u64,
}

/// A percentile, of which only bounds may be known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Percentile {
    /// The quantile, between 0 and 1.
    pub(crate) q: f64,
    /// The percentile's value, if there are enough samples to state it; infinite if its rank falls among timeouts.
    pub(crate) stated: Option<f64>,
    /// The percentile's lower bound, if its rank falls among operations in flight.
    pub(crate) at_least: Option<f64>,
    pub(crate) sides: Sides,
    /// Counts by message; only for deliveries.
    pub(crate) messages: Option<Messages>,
    /// The numbers of dropped and of planned starts. Their ratio is about the share of missing values.
    pub(crate) dropped: (u64, u64),
}

impl Sides {
    /// Counts the values of a histogram on each side of the limit. Each value is compared as a report would show it.
    pub(crate) fn of(times: &Histogram, holds: impl Fn(f64) -> bool) -> Self {
        let (Some(min), Some(max)) = (times.min(), times.max()) else {
            return Self::default();
        };
        let beyond = times.bins();
        let beyond = beyond.filter(|(value, _)| !holds((*value).clamp(min, max).0 as f64));
        let beyond = beyond.map(|(_, count)| count).sum();
        Self {
            within: times.count() - beyond,
            beyond,
            unknown: 0,
        }
    }

    pub(crate) fn all(self) -> u64 {
        self.within + self.beyond + self.unknown
    }
}

impl Percentile {
    /// Whether the threshold holds.
    pub(crate) fn outcome(&self, threshold: &Threshold) -> Outcome {
        let all = self.sides.all();
        if all == 0 {
            return Outcome::Inconclusive(Inconclusive::NoData);
        }
        match threshold.op {
            Op::Equal | Op::Unequal => match self.stated {
                Some(value) if threshold.holds(value) => Outcome::Held,
                Some(_) => Outcome::Broken,
                None => self.too_few(threshold.op),
            },
            op if self.is_stated() => self.by_rank(op),
            op => self.by_bound(op),
        }
    }

    /// The counts, if the percentile itself is not stated.
    pub(crate) fn counted(&self) -> Option<Counted> {
        if self.is_stated() || self.sides.all() == 0 {
            return None;
        }
        Some(match self.messages {
            Some(messages) => Counted {
                beyond: messages.any_beyond,
                of: messages.all,
                what: CountedKind::Messages,
            },
            None => Counted {
                beyond: self.sides.beyond,
                of: self.sides.all(),
                what: CountedKind::Values,
            },
        })
    }

    fn is_stated(&self) -> bool {
        self.stated.is_some()
            || self.messages.is_none() && self.sides.all() >= needed_samples(self.q)
    }

    /// The outcome according to the rank of the percentile. Requires enough samples.
    fn by_rank(&self, op: Op) -> Outcome {
        let Sides {
            beyond, unknown, ..
        } = self.sides;
        let (all, missing) = (self.sides.all(), self.missing());
        if beyond > self.may_be_beyond(op, all) {
            Outcome::Broken
        } else if beyond + unknown > self.may_be_beyond(op, all) {
            Outcome::Inconclusive(Inconclusive::InFlight { open: unknown })
        } else if beyond + unknown + missing > self.may_be_beyond(op, all + missing) {
            // The limit must hold even if all dropped starts would have been slow.
            self.less_load()
        } else {
            Outcome::Held
        }
    }

    /// The number of values, out of `all`, that may be beyond the limit.
    fn may_be_beyond(&self, op: Op, all: u64) -> u64 {
        let rank = rank_of(all, self.q);
        match op {
            Op::More | Op::AtLeast => rank.saturating_sub(1),
            _ => all - rank,
        }
    }

    /// The share of the values that may be beyond the limit.
    fn share(&self, op: Op) -> f64 {
        match op {
            Op::More | Op::AtLeast => self.q,
            _ => 1.0 - self.q,
        }
    }

    fn by_bound(&self, op: Op) -> Outcome {
        let Sides {
            beyond, unknown, ..
        } = self.sides;
        let (all, missing, share) = (self.sides.all(), self.missing(), self.share(op));
        let clusters = self.clusters();
        let (most, least) = (clusters.any_beyond + unknown, clusters.all_beyond);
        let of = clusters.all;
        // Messages may have different numbers of recipients, so the share of deliveries has to agree.
        let few = beyond as f64 <= share * all as f64;
        let below = |most: u64, of: u64| test_share(most, of, share) == ShareTest::Below;
        if below(most, of) && few {
            return if below(most + missing, of + missing) {
                Outcome::Held
            } else {
                self.less_load()
            };
        }
        if test_share(least, of, share) == ShareTest::Above && !few {
            return Outcome::Broken;
        }
        if unknown > 0 && below(clusters.any_beyond, of) {
            return Outcome::Inconclusive(Inconclusive::InFlight { open: unknown });
        }
        self.too_few(op)
    }

    /// Returns the counts by message. Each value that is not a delivery counts as one message.
    fn clusters(&self) -> Messages {
        self.messages.unwrap_or(Messages {
            all: self.sides.all(),
            any_beyond: self.sides.beyond,
            all_beyond: self.sides.beyond,
        })
    }

    fn too_few(&self, op: Op) -> Outcome {
        let clusters = self.clusters();
        // The number of messages that is needed to state the percentile.
        let each = self.sides.all() as f64 / clusters.all.max(1) as f64;
        let stated = (needed_samples(self.q) as f64 / each).ceil();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "positive; `as` from a float saturates"
        )]
        let most = stated as u64;
        let need = match op {
            Op::Equal | Op::Unequal => most,
            _ => trials_to_decide(clusters.any_beyond, clusters.all, self.share(op), most),
        };
        Outcome::Inconclusive(Inconclusive::TooFewSamples {
            have: clusters.all,
            need,
        })
    }

    /// Estimates the number of values that the dropped starts would have had.
    fn missing(&self) -> u64 {
        let (dropped, planned) = self.dropped;
        let started = u128::from(planned.saturating_sub(dropped).max(1));
        let missing = (u128::from(self.clusters().all) * u128::from(dropped)).div_ceil(started);
        u64::try_from(missing).unwrap_or(u64::MAX)
    }

    fn less_load(&self) -> Outcome {
        let (dropped, planned) = self.dropped;
        let shortfall = Shortfall::StartsDropped { dropped, planned };
        Outcome::Inconclusive(Inconclusive::LessLoad { shortfall })
    }
}
