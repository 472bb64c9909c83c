use crate::student::NORMAL;

/// Wilson's 95 % confidence interval of the true share, after `hits` hits in `trials` trials. `None` without trials.
pub fn wilson(hits: u64, trials: u64) -> Option<(f64, f64)> {
    if trials == 0 {
        return None;
    }
    let n = trials as f64;
    let share = hits.min(trials) as f64 / n;
    let scale = 1.0 + NORMAL * NORMAL / n;
    let middle = (share + NORMAL * NORMAL / (2.0 * n)) / scale;
    let half =
        NORMAL * (share * (1.0 - share) / n + NORMAL * NORMAL / (4.0 * n * n)).sqrt() / scale;
    let low = if hits == 0 { 0.0 } else { middle - half };
    let high = if hits >= trials { 1.0 } else { middle + half };
    Some((low.max(0.0), high.min(1.0)))
}

/// The upper bound of the failure share, with 95 % confidence, after `trials` trials without a failure: 3/n (rule of
/// three). `None` without trials.
pub fn zero_failures_bound(trials: u64) -> Option<f64> {
    (trials > 0).then(|| (3.0 / trials as f64).min(1.0))
}
