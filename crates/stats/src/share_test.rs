//! An exact test of whether a share is below or above a limit. It is valid for any number of samples.

use crate::pass_rate::beta;

/// The maximum probability that a one-sided statement is wrong.
const TAIL: f64 = 0.05;

/// The position of the true share relative to a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShareTest {
    /// The true share is at or below the limit, with 95 % confidence.
    Below,
    /// The true share is at or above the limit, with 95 % confidence.
    Above,
    /// The samples cannot decide between the two.
    Open,
}

/// Compares the true share with `limit`, after `hits` hits in `trials` independent samples. Each side is tested
/// separately at 95 % confidence.
///
/// The result is `Below` if the one-sided upper Clopper-Pearson bound is at most the limit: if the share were larger,
/// so few hits would have a probability of at most 5 %. `Above` is decided the same way, with the lower bound.
pub fn test_share(hits: u64, trials: u64, limit: f64) -> ShareTest {
    if at_most(hits, trials, limit) <= TAIL {
        ShareTest::Below
    } else if at_least(hits, trials, limit) <= TAIL {
        ShareTest::Above
    } else {
        ShareTest::Open
    }
}

/// The minimum number of samples without any hit that prove a share below `limit`: 59 for a limit of 5 %.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positive; `as` from a float saturates"
)]
pub fn least_trials(limit: f64) -> u64 {
    if limit <= 0.0 || limit.is_nan() {
        return u64::MAX;
    }
    (TAIL.ln() / (-limit).ln_1p()).ceil().max(1.0) as u64
}

/// The approximate number of samples that would decide the test if the share of hits stayed the same. The result is
/// greater than `trials`, and at most `most` or `trials + 1`, whichever is greater.
pub fn trials_to_decide(hits: u64, trials: u64, limit: f64, most: u64) -> u64 {
    let decides = |n: u64| {
        let expected = u128::from(hits) * u128::from(n);
        let hits = expected.div_ceil(u128::from(trials.max(1)));
        let hits = u64::try_from(hits).unwrap_or(u64::MAX).min(n);
        test_share(hits, n, limit) != ShareTest::Open
    };
    let (mut low, mut high) = (trials, most.max(trials + 1));
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if decides(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// The probability of at most `hits` hits.
fn at_most(hits: u64, trials: u64, share: f64) -> f64 {
    if hits >= trials {
        return 1.0;
    }
    beta(1.0 - share, (trials - hits) as f64, hits as f64 + 1.0)
}

/// The probability of at least `hits` hits.
fn at_least(hits: u64, trials: u64, share: f64) -> f64 {
    if hits == 0 || hits > trials {
        return 1.0;
    }
    beta(share, hits as f64, (trials - hits) as f64 + 1.0)
}
