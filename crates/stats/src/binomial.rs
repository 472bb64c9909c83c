//! The binomial distribution, summed exactly.

/// The ranks `(low, high)` between which `Binomial(n, q)` lies but for at most `tail` on each side:
/// `low` is the largest with `P(B < low) <= tail`, `high` the smallest with `P(B >= high) <= tail`.
///
/// The probabilities are walked outwards from the mode, where they are largest, until they no longer
/// count; that takes a multiple of `sqrt(n)` steps.
pub(crate) fn central_ranks(n: u64, q: f64, tail: f64) -> (u64, u64) {
    const NEGLIGIBLE: f64 = 1e-20;
    let mode = mode(n, q);
    let odds = q / (1.0 - q);
    let mut below = Vec::new();
    let (mut k, mut weight) = (mode, 1.0);
    while k > 0 && weight > NEGLIGIBLE {
        weight *= k as f64 / ((n - k + 1) as f64 * odds);
        k -= 1;
        below.push(weight);
    }
    let mut above = Vec::new();
    let (mut k, mut weight) = (mode, 1.0);
    while k < n && weight > NEGLIGIBLE {
        weight *= (n - k) as f64 * odds / (k + 1) as f64;
        k += 1;
        above.push(weight);
    }
    let limit = tail * (1.0 + below.iter().sum::<f64>() + above.iter().sum::<f64>());
    let low = mode + 1 - steps_to_tail(&below, limit);
    let high = mode + steps_to_tail(&above, limit);
    (low, high)
}

/// The most likely value.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and n by construction"
)]
fn mode(n: u64, q: f64) -> u64 {
    (((n + 1) as f64 * q).floor() as u64).min(n)
}

/// How far from the mode the tail begins that weighs at most `limit`: at least one step. `weights[i]` belongs to
/// the value `i + 1` away from the mode.
fn steps_to_tail(weights: &[f64], limit: f64) -> u64 {
    let mut sum = 0.0;
    for (index, weight) in weights.iter().enumerate().rev() {
        sum += weight;
        if sum > limit {
            return index as u64 + 2;
        }
    }
    1
}
