use model::Nanos;
use serde::{Deserialize, Serialize};

use crate::histogram::Histogram;
use crate::quantile::{needed_samples, rank_of};

/// A histogram of numbers without a unit: the values of a trend in a script.
///
/// It has three significant digits and six decimals, from -1.8e13 to 1.8e13. The smallest value, the largest value and
/// the sum are exact. Values that are not finite are only counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Values {
    /// Values from zero up, in millionths.
    positive: Histogram,
    /// Values below zero, in millionths and without their sign.
    negative: Histogram,
    min: Option<f64>,
    max: Option<f64>,
    sum: f64,
    not_finite: u64,
}

const SCALE: f64 = 1e6;

impl Values {
    /// Records one value.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the magnitude is positive; `as` from a float saturates"
    )]
    pub fn record(&mut self, value: f64) {
        if !value.is_finite() {
            self.not_finite += 1;
            return;
        }
        let side = if value < 0.0 {
            &mut self.negative
        } else {
            &mut self.positive
        };
        side.record(Nanos((value.abs() * SCALE).round() as u64));
        self.min = Some(self.min.map_or(value, |min| min.min(value)));
        self.max = Some(self.max.map_or(value, |max| max.max(value)));
        self.sum = (self.sum + value).clamp(f64::MIN, f64::MAX);
    }

    /// Adds all values of another instance.
    pub fn merge(&mut self, other: &Self) {
        self.positive.merge(&other.positive);
        self.negative.merge(&other.negative);
        self.min = pick(self.min, other.min, f64::min);
        self.max = pick(self.max, other.max, f64::max);
        self.sum = (self.sum + other.sum).clamp(f64::MIN, f64::MAX);
        self.not_finite += other.not_finite;
    }

    /// The number of finite values recorded.
    pub fn count(&self) -> u64 {
        self.positive.count() + self.negative.count()
    }

    /// The number of values that were not finite.
    pub fn not_finite(&self) -> u64 {
        self.not_finite
    }

    /// The exact smallest value.
    pub fn min(&self) -> Option<f64> {
        self.min
    }

    /// The exact largest value.
    pub fn max(&self) -> Option<f64> {
        self.max
    }

    /// The sum.
    pub fn sum(&self) -> f64 {
        self.sum
    }

    /// The mean. `None` if empty.
    pub fn mean(&self) -> Option<f64> {
        (self.count() > 0).then(|| self.sum / self.count() as f64)
    }

    /// The value at quantile `q`, without a check that there are enough samples. `None` if empty.
    pub fn quantile(&self, q: f64) -> Option<f64> {
        let below_zero = self.negative.count();
        let rank = rank_of(self.count(), q);
        let value = if rank <= below_zero {
            -(self.negative.at_rank(below_zero + 1 - rank.max(1))?.0 as f64)
        } else {
            self.positive.at_rank(rank - below_zero)?.0 as f64
        };
        Some((value / SCALE).clamp(self.min?, self.max?))
    }

    /// The number of values that satisfy `is`. Values have the precision of [`Self::quantile`].
    pub fn count_where(&self, is: impl Fn(f64) -> bool) -> u64 {
        let (Some(min), Some(max)) = (self.min, self.max) else {
            return 0;
        };
        let of = |side: &Histogram, sign: f64| -> u64 {
            let bins = side.bins();
            let each = bins.map(|(value, count)| (sign * value.0 as f64 / SCALE, count));
            let each = each.filter(|(value, _)| is(value.clamp(min, max)));
            each.map(|(_, count)| count).sum()
        };
        of(&self.negative, -1.0) + of(&self.positive, 1.0)
    }

    /// The value at quantile `q`, if there are enough samples for it.
    pub fn stated(&self, q: f64) -> Option<f64> {
        (self.count() >= needed_samples(q)).then(|| self.quantile(q))?
    }
}

fn pick(ours: Option<f64>, theirs: Option<f64>, of: fn(f64, f64) -> f64) -> Option<f64> {
    match (ours, theirs) {
        (Some(ours), Some(theirs)) => Some(of(ours, theirs)),
        (one, other) => one.or(other),
    }
}
