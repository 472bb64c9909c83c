//! The share of iterations that succeeded, with its confidence interval, for levels that run each iteration once.

use format::{count, number};
use record::{Level, Run};
use stats::clopper_pearson;

/// Explanation of the column.
pub(crate) const ABOUT: &str = "succeeded: share of all iterations, with the exact 95 % interval (Clopper-Pearson), \
                                which assumes independent failures; each level ran once, so a difference between \
                                levels may be due to chance";

fn counts(level: &Level) -> (u64, u64) {
    let iterations = &level.measured.iterations;
    (iterations.succeeded, iterations.started)
}

fn is_told(level: &Level) -> bool {
    level.load.once && level.measured.iterations.started > 0
}

/// Whether any level of the run has a pass rate.
pub(crate) fn any(run: &Run) -> bool {
    !run.is_bench() && run.levels.iter().any(is_told)
}

/// Formats the pass rate of a level: `16 of 16 (≥ 79.4 %)`, `15 of 16 (69.8–99.8 %)`. `None` if the level does not run
/// each iteration once.
pub(crate) fn succeeded(level: &Level) -> Option<String> {
    let (succeeded, started) = counts(level);
    let (low, high) = clopper_pearson(succeeded, started).filter(|_| is_told(level))?;
    let sure = match (succeeded, started - succeeded) {
        (_, 0) => format!("≥ {} %", bound(low)),
        (0, _) => format!("≤ {} %", bound(high)),
        _ => format!("{}–{} %", bound(low), bound(high)),
    };
    Some(format!(
        "{} of {} ({sure})",
        count(succeeded),
        count(started)
    ))
}

/// Formats a bound in percent. A bound below 100 % is never rounded up to 100 %.
fn bound(share: f64) -> String {
    if (0.9995..1.0).contains(&share) {
        return "99.9".to_owned();
    }
    number(share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(levels: &[(u64, u64)]) -> Run {
        let level = |(index, &(succeeded, started)): (usize, &(u64, u64))| {
            let mut level = Level {
                index,
                ..Level::default()
            };
            level.load.once = true;
            level.measured.iterations.started = started;
            level.measured.iterations.succeeded = succeeded;
            level
        };
        Run {
            levels: levels.iter().enumerate().map(level).collect(),
            ..Run::default()
        }
    }

    #[test]
    fn a_pass_rate_is_told_with_its_exact_bounds() {
        let told: Vec<_> = run(&[(16, 16), (15, 16), (0, 16), (99_999, 100_000)])
            .levels
            .iter()
            .filter_map(succeeded)
            .collect();
        assert_eq!(
            told,
            [
                "16 of 16 (≥ 79.4 %)",
                "15 of 16 (69.8–99.8 %)",
                "0 of 16 (≤ 20.6 %)",
                "99,999 of 100,000 (99.9–99.9 %)"
            ]
        );
    }
}
