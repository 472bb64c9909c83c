use crate::binomial::central_ranks;

/// How many samples must lie beyond a percentile before it is stated.
pub const SAMPLES_BEYOND: u64 = 10;

/// One of the percentiles that reports list: the quantile and how it is spelled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percentile {
    /// Between 0 and 1.
    pub q: f64,
    /// For people and JSON keys: `p99.9`.
    pub name: &'static str,
}

/// The percentiles that reports list, ascending.
pub const REPORTED: [Percentile; 7] = [
    Percentile {
        q: 0.5,
        name: "p50",
    },
    Percentile {
        q: 0.75,
        name: "p75",
    },
    Percentile {
        q: 0.9,
        name: "p90",
    },
    Percentile {
        q: 0.95,
        name: "p95",
    },
    Percentile {
        q: 0.99,
        name: "p99",
    },
    Percentile {
        q: 0.999,
        name: "p99.9",
    },
    Percentile {
        q: 0.9999,
        name: "p99.99",
    },
];

/// Keeps a product that should be whole, but for the binary fraction, from being rounded up.
const ROUNDING: f64 = 1e-6;

/// How many samples quantile `q` needs: ten beyond it on its thinner side, so 20 for the median and 1,000 for
/// p99. `u64::MAX` for 0 and 1, which no number of samples carries (the smallest and the largest are values of
/// their own).
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positive; `as` from a float saturates"
)]
pub fn needed_samples(q: f64) -> u64 {
    let beyond = q.min(1.0 - q);
    if beyond <= 0.0 || beyond.is_nan() {
        return u64::MAX;
    }
    (SAMPLES_BEYOND as f64 / beyond - ROUNDING).ceil() as u64
}

/// The rank of quantile `q` among `count` ascending samples, counted from 1: the smallest rank that has at least
/// the share `q` at or below it. 0 when there are no samples.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and count by construction"
)]
pub fn rank_of(count: u64, q: f64) -> u64 {
    let rank = (q.clamp(0.0, 1.0) * count as f64 - ROUNDING).ceil() as u64;
    rank.clamp(count.min(1), count)
}

/// The ranks, counted from 1, of the two samples between which the true quantile lies with 95 % confidence,
/// whatever the distribution (order statistics, binomial). `None` when the samples are too few for one of the ends.
pub fn interval_ranks(count: u64, q: f64) -> Option<(u64, u64)> {
    const TAIL: f64 = 0.025;
    if !(0.0..1.0).contains(&q) {
        return None;
    }
    let (low, high) = central_ranks(count, q, TAIL);
    (low >= 1 && high <= count).then_some((low, high))
}
