//! Is a share below a limit, or above it? Exact, for three samples as for a million.

use crate::pass_rate::beta;

/// How often such a statement may be wrong.
const TAIL: f64 = 0.05;

/// Where the true share lies, as far as the samples show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShareTest {
    /// At or below the limit, with 95 % confidence.
    Below,
    /// At or above it, with 95 % confidence.
    Above,
    /// The samples do not show it.
    Open,
}

/// Tests the share behind `hits` of `trials` independent samples against `limit`, each side by itself at 95 % confidence.
///
/// `Below` where the upper Clopper-Pearson bound (one-sided) is at most the limit: so few hits would come up in at most
/// 5 % of trials if the share were larger. `Above` is the mirror image.
pub fn test_share(hits: u64, trials: u64, limit: f64) -> ShareTest {
    if at_most(hits, trials, limit) <= TAIL {
        ShareTest::Below
    } else if at_least(hits, trials, limit) <= TAIL {
        ShareTest::Above
    } else {
        ShareTest::Open
    }
}

/// The fewest samples that can show a share to be below `limit`: so many without a single hit. 59 for 5 %.
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

/// About how many samples decide, if the share of hits stays what it is: more than `trials`, at most `most`.
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

/// The probability of at most so many hits.
fn at_most(hits: u64, trials: u64, share: f64) -> f64 {
    if hits >= trials {
        return 1.0;
    }
    beta(1.0 - share, (trials - hits) as f64, hits as f64 + 1.0)
}

/// The probability of at least so many hits.
fn at_least(hits: u64, trials: u64, share: f64) -> f64 {
    if hits == 0 || hits > trials {
        return 1.0;
    }
    beta(share, hits as f64, (trials - hits) as f64 + 1.0)
}
