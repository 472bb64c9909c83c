use crate::student::NORMAL;

/// Wilson's 95 % interval for the true share when `hits` of `trials` were seen; `None` without trials.
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

/// The largest failure share that `trials` without a single failure leave possible at 95 % confidence: 3/n, the
/// rule of three. `None` without trials.
pub fn zero_failures_bound(trials: u64) -> Option<f64> {
    (trials > 0).then(|| (3.0 / trials as f64).min(1.0))
}
