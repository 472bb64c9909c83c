//! How many iterations of a level succeeded where each ran once, how sure that is, and whether two levels differ.

use record::{Level, Run};
use stats::{clopper_pearson, fisher};

use crate::format::{count, number};

/// Above this a difference may be chance.
const LIMIT: f64 = 0.05;

/// What the two columns mean.
pub(crate) const ABOUT: &str = "succeeded: of all iterations, with the exact 95 % interval (Clopper-Pearson); \
    unlike the first: Fisher's exact test, p times the levels compared";

fn counts(level: &Level) -> (u64, u64) {
    let iterations = &level.measured.iterations;
    (iterations.succeeded, iterations.started)
}

fn is_told(level: &Level) -> bool {
    level.load.once && level.measured.iterations.started > 0
}

/// Whether any level of the run has a pass rate.
pub(crate) fn any(run: &Run) -> bool {
    run.levels.iter().any(is_told)
}

/// `16 of 16 (≥ 79.4 %)`, `15 of 16 (69.8–99.8 %)`: of levels that run each iteration once.
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

/// In percent; less than all is never rounded up to all.
fn bound(share: f64) -> String {
    if (0.9995..1.0).contains(&share) {
        return "99.9".to_owned();
    }
    number(share * 100.0)
}

/// `no (p = 0.48)`, `yes (p = 0.003)`: whether the level's pass rate is another than that of the first. Of many
/// comparisons one in twenty would be called different by chance, so each p counts as often as there are (Bonferroni).
pub(crate) fn unlike_the_first(run: &Run, level: &Level) -> Option<String> {
    let mut told = run.levels.iter().filter(|level| is_told(level));
    let first = told.next()?;
    let comparisons = told.count();
    if first.index == level.index || !is_told(level) {
        return None;
    }
    let p = (fisher(counts(first), counts(level)) * comparisons as f64).min(1.0);
    let differs = if p < LIMIT { "yes" } else { "no" };
    let p = if p < 0.0005 {
        "p < 0.001".to_owned()
    } else {
        format!("p = {p:.3}")
    };
    Some(format!("{differs} ({p})"))
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

    fn differ(levels: &[(u64, u64)]) -> Vec<Option<String>> {
        let run = run(levels);
        let each = run.levels.iter();
        each.map(|level| unlike_the_first(&run, level)).collect()
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

    #[test]
    fn fifteen_of_sixteen_is_not_called_different_from_all_of_sixteen() {
        let no = Some("no (p = 1.000)".to_owned());
        assert_eq!(differ(&[(16, 16), (15, 16)]), [None, no]);
        let yes = Some("yes (p < 0.001)".to_owned());
        assert_eq!(differ(&[(20, 20), (10, 20)]), [None, yes]);
    }

    #[test]
    fn one_in_many_comparisons_that_chance_makes_is_not_called_different() {
        // 8 of 10 and 1 of 6 differ by themselves (p = 0.035), and do not among three comparisons.
        assert_eq!(
            differ(&[(8, 10), (1, 6)])[1].as_deref(),
            Some("yes (p = 0.035)")
        );
        let many = differ(&[(8, 10), (8, 10), (7, 10), (1, 6)]);
        assert_eq!(many[3].as_deref(), Some("no (p = 0.105)"));
    }
}
