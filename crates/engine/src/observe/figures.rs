//! Computes the figures that several subjects have in common: counts, shares and times.

use model::Nanos;
use plan::{Aggregate, Op};
use record::Inconclusive;
use stats::{Estimate, Histogram};

use super::{Asked, NO_DATA, Seen};
use crate::observed::{Observed, in_flight};
use crate::percentile::{Percentile, Sides};

impl Asked<'_> {
    /// The mean, the minimum or the maximum. An operation in flight takes longer than its age. An operation that timed
    /// out ranks as slower than all others.
    pub(super) fn of_times(self, times: &Histogram, open: &Histogram, timed_out: u64) -> Seen {
        if times.count() + open.count() + timed_out == 0 {
            return Err(NO_DATA);
        }
        let why = in_flight(open.count());
        let endless = timed_out > 0;
        let floor = |a: Option<Nanos>, b: Option<Nanos>| {
            a.into_iter().chain(b).min().map_or(f64::INFINITY, nanos)
        };
        let most = times.max().max(open.max()).map_or(0.0, nanos);
        let (low, ended) = match self.aggregate {
            Aggregate::Min => (floor(times.min(), open.min()), floor(times.min(), None)),
            _ if endless => (f64::INFINITY, f64::INFINITY),
            Aggregate::Max => (most, most),
            _ => {
                let all = (times.count() + open.count()) as f64;
                let mean = (nanos(times.sum()) + nanos(open.sum())) / all;
                (mean, mean)
            }
        };
        let is_min = self.aggregate == Aggregate::Min;
        let high = if open.is_empty() || is_min {
            ended
        } else {
            f64::INFINITY
        };
        Ok(Observed::Number { low, high, why })
    }

    /// Operations that timed out rank as slower than all others.
    pub(super) fn sides(self, times: &Histogram, open: &Histogram, timed_out: u64) -> Sides {
        let holds = |value| self.threshold.holds(value);
        let mut sides = Sides::of(times, holds);
        if holds(f64::INFINITY) {
            sides.within += timed_out;
        } else {
            sides.beyond += timed_out;
        }
        let ages = Sides::of(open, holds);
        // An operation in flight takes longer than its age.
        if matches!(self.threshold.op, Op::More | Op::AtLeast) {
            sides.within += ages.within;
            sides.unknown += ages.beyond;
        } else {
            sides.beyond += ages.beyond;
            sides.unknown += ages.within;
        }
        sides
    }

    pub(super) fn percentile(self, q: f64, estimate: Estimate, sides: Sides) -> Observed {
        let (stated, at_least) = match estimate {
            Estimate::Value { value, .. } => (Some(nanos(value)), None),
            Estimate::Beyond { at_least: None } => (Some(f64::INFINITY), None),
            Estimate::Beyond { at_least } => (None, at_least.map(nanos)),
            Estimate::Unavailable { .. } => (None, None),
        };
        Observed::Percentile(Percentile {
            q,
            stated,
            at_least,
            sides,
            messages: None,
            dropped: self.dropped,
        })
    }

    /// A number, or a number per second. Zero breaks a lower limit, but is not evidence that an upper limit held.
    pub(super) fn amount(self, count: u64, open: u64) -> Seen {
        let per = if self.aggregate == Aggregate::Rate {
            self.duration_s
        } else {
            1.0
        };
        if per <= 0.0 || count + open == 0 && self.threshold.holds(0.0) {
            return Err(NO_DATA);
        }
        Ok(Observed::Number {
            low: count as f64 / per,
            high: (count + open) as f64 / per,
            why: in_flight(open),
        })
    }

    /// A number, or its share of `of`. `why` contains the number of items whose result is unknown. If `of` is 0, there
    /// is no share.
    pub(super) fn part(self, count: u64, of: u64, why: Inconclusive) -> Seen {
        if of == 0 && (count == 0 || self.share) {
            return Err(NO_DATA);
        }
        let open = match why {
            Inconclusive::InFlight { open } => open,
            Inconclusive::GroupsUnknown { groups } => groups,
            Inconclusive::DeliveriesOpen { deliveries } => deliveries,
            Inconclusive::OwnFailures { operations } => operations,
            _ => 0,
        };
        let whole = if self.share { of as f64 } else { 1.0 };
        Ok(Observed::Number {
            low: count as f64 / whole,
            high: (count + open) as f64 / whole,
            why,
        })
    }
}

fn nanos(nanos: Nanos) -> f64 {
    nanos.0 as f64
}
