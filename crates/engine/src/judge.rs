//! From measurements to verdicts: was the level measured soundly, and did the thresholds hold?

use model::{Nanos, Verdict};
use plan::Threshold;
use record::{Level, Run, ThresholdResult};

use crate::observe::{Missing, observe};

/// Every threshold in every level.
pub(crate) fn thresholds(thresholds: &[Threshold], levels: &[Level]) -> Vec<ThresholdResult> {
    let each = levels.iter().flat_map(|level| {
        thresholds
            .iter()
            .filter(|threshold| is_promised(threshold, level))
            .map(move |threshold| result(threshold, level))
    });
    each.collect()
}

/// Whether the level lies within the load up to which it is promised.
pub(crate) fn is_promised(threshold: &Threshold, level: &Level) -> bool {
    let load = &level.load;
    threshold
        .reach
        .is_none_or(|reach| reach.covers(load.users, load.groups, load.rate_per_s))
}

/// One verdict over all levels. Without thresholds a run passes unless in a level nothing succeeded, or the
/// script itself failed: nobody asked for that.
pub(crate) fn verdict(run: &Run) -> Verdict {
    let failed_in = |level: &Level| {
        let broken = run
            .thresholds
            .iter()
            .any(|result| result.level == level.index && result.held == Some(false));
        broken || run.thresholds.is_empty() && nothing_succeeded(level)
    };
    // A script that fails by itself is no question of how well the target was measured.
    let script = |level: &Level| run.thresholds.is_empty() && level.measured.script_failed();
    if run
        .levels
        .iter()
        .any(|level| script(level) || level.sound && failed_in(level))
    {
        return Verdict::Failed;
    }
    let unmeasured = run.thresholds.iter().any(|result| result.held.is_none());
    if run.levels.is_empty() || unmeasured || run.levels.iter().any(|level| !level.sound) {
        return Verdict::Inconclusive;
    }
    Verdict::Passed
}

fn nothing_succeeded(level: &Level) -> bool {
    let iterations = &level.measured.iterations;
    iterations.succeeded + iterations.unfinished == 0 || level.measured.only_failures().is_some()
}

fn result(threshold: &Threshold, level: &Level) -> ThresholdResult {
    let observed = observe(threshold, level);
    let (observed_text, held) = match observed {
        Ok(value) => (
            show(threshold.limit.unit, value),
            Some(threshold.holds(value)),
        ),
        // What timed out counts as longer than everything else.
        Err(Missing::TimedOut) => ("timed out".to_owned(), Some(threshold.holds(f64::INFINITY))),
        Err(Missing::TooFew { have, need }) => {
            (format!("too few samples ({have} of {need})"), None)
        }
        Err(Missing::Unmeasured) => ("not measured".to_owned(), None),
    };
    ThresholdResult {
        level: level.index,
        metric: threshold.subject.to_string(),
        condition: threshold.source.clone(),
        observed: observed.ok(),
        observed_text,
        held,
    }
}

/// An observed value as people write it.
fn show(unit: plan::Unit, value: f64) -> String {
    match unit {
        plan::Unit::Nanos => Nanos::from_secs_f64(value / 1e9).to_string(),
        plan::Unit::Bytes => format!("{:.1} MB", value / 1e6),
        plan::Unit::Ratio => format!("{:.3} %", value * 100.0),
        plan::Unit::PerSecond => format!("{value:.1}/s"),
        plan::Unit::Count | plan::Unit::Plain => format!("{value}"),
    }
}
