//! Tails of the binomial distribution, by exact summation.

/// The ranks `(low, high)` that enclose `Binomial(n, q)`, except with a probability of at most `tail` on each side.
/// `low` is the largest rank with `P(B < low) <= tail`, `high` the smallest with `P(B >= high) <= tail`.
///
/// The sum starts at the mode, where the probabilities are largest, and goes outwards until they are negligible. The
/// number of steps is proportional to `sqrt(n)`.
pub(crate) fn central_ranks(n: u64, q: f64, tail: f64) -> (u64, u64) {
    let mode = mode(n, q);
    let odds = q / (1.0 - q);
    let below = (0..mode).rev();
    let below = weights(below.map(|k| (k + 1) as f64 / ((n - k) as f64 * odds)));
    let above = weights((mode..n).map(|k| (n - k) as f64 * odds / (k + 1) as f64));
    let limit = tail * (1.0 + below.iter().sum::<f64>() + above.iter().sum::<f64>());
    let low = mode + 1 - steps_to_tail(&below, limit);
    let high = mode + steps_to_tail(&above, limit);
    (low, high)
}

/// The probabilities of the values next to the mode, relative to the mode's probability. `ratios` are the quotients of
/// consecutive probabilities.
fn weights(ratios: impl Iterator<Item = f64>) -> Vec<f64> {
    const NEGLIGIBLE: f64 = 1e-20;
    let mut weight = 1.0;
    let weights = ratios.map(|ratio| {
        weight *= ratio;
        weight
    });
    weights.take_while(|weight| *weight > NEGLIGIBLE).collect()
}

/// The mode (the most likely value), or the value below it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and n by construction"
)]
fn mode(n: u64, q: f64) -> u64 {
    (n as f64 * q) as u64
}

/// The distance from the mode to the tail whose weight is at most `limit`; at least 1. `weights[i]` belongs to the
/// value at distance `i + 1` from the mode.
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
