use crate::binomial::central_ranks;

/// Minimum number of samples beyond a percentile. With fewer, the percentile is not reported.
pub const SAMPLES_BEYOND: u64 = 10;

/// A percentile that appears in reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percentile {
    /// The quantile, between 0 and 1.
    pub q: f64,
    /// The name in reports and JSON keys, such as `p99.9`.
    pub name: &'static str,
}

/// The percentiles that appear in reports, in ascending order.
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

/// Tolerance for binary rounding errors. Without it, a product slightly above a whole number would be rounded up.
const ROUNDING: f64 = 1e-6;

/// The number of samples that quantile `q` needs: enough for 10 samples beyond it on the smaller side, so 20 for the
/// median and 1,000 for p99. The result is `u64::MAX` for 0 and 1, which no number of samples supports. (Minimum and
/// maximum are reported separately.)
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

/// The rank of quantile `q` among `count` ascending samples, counted from 1. It is the smallest rank with at least the
/// share `q` of the samples at or below it. Returns 0 if there are no samples.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and count by construction"
)]
pub fn rank_of(count: u64, q: f64) -> u64 {
    let rank = (q.clamp(0.0, 1.0) * count as f64 - ROUNDING).ceil() as u64;
    rank.clamp(count.min(1), count)
}

/// The ranks, counted from 1, of the two samples between which the true quantile lies with 95 % confidence. These
/// binomial order statistics are valid for every distribution of independent samples. `None` if there are too few
/// samples for one of the ends.
pub fn interval_ranks(count: u64, q: f64) -> Option<(u64, u64)> {
    const TAIL: f64 = 0.025;
    if !(0.0..1.0).contains(&q) {
        return None;
    }
    let (low, high) = central_ranks(count, q, TAIL);
    (low >= 1 && high <= count).then_some((low, high))
}
