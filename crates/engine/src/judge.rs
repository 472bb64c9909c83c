//! From measurements to verdicts: was the level measured soundly, and did the thresholds hold?

use model::{Nanos, Verdict};
use plan::{Aggregate, Threshold};
use record::{Level, Measured, Run, ThresholdResult};

use crate::observe::{Missing, observe};
use crate::undecided::undecided;

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
    let unmeasured =
        unmeasured || run.thresholds.is_empty() && run.levels.iter().any(nothing_known);
    if run.levels.is_empty() || unmeasured || run.levels.iter().any(|level| !level.sound) {
        return Verdict::Inconclusive;
    }
    Verdict::Passed
}

fn nothing_succeeded(level: &Level) -> bool {
    let iterations = &level.measured.iterations;
    iterations.succeeded + iterations.unfinished == 0 || level.measured.only_failures().is_some()
}

/// Nothing succeeded so far, and what is in flight could still do so.
fn nothing_known(level: &Level) -> bool {
    let iterations = &level.measured.iterations;
    iterations.succeeded == 0 && iterations.unfinished > 0 || level.measured.only_failures_so_far()
}

fn result(threshold: &Threshold, level: &Level) -> ThresholdResult {
    let observed = observe(threshold, level);
    let (observed_text, held) = match observed {
        Ok(value) if undecided(threshold, level) > 0 => {
            let open = undecided(threshold, level);
            let known = show(threshold.limit.unit, value);
            (
                format!("{known}, with {open} deliveries that say nothing of the target"),
                None,
            )
        }
        Ok(value) => (
            show(threshold.limit.unit, value),
            if_all_agree([threshold.holds(value), holds_at_worst(threshold, level)]),
        ),
        Err(Missing::InFlight { at_least }) => (
            format!("> {} (in flight)", show(threshold.limit.unit, at_least)),
            if_all_agree([threshold.holds(at_least), threshold.holds(f64::INFINITY)]),
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

/// Whether it held, where it does so at both ends of what is possible or at neither.
fn if_all_agree([one, other]: [bool; 2]) -> Option<bool> {
    (one == other).then_some(one)
}

/// Whether a share or a number of failures would hold if everything in flight failed.
fn holds_at_worst(threshold: &Threshold, level: &Level) -> bool {
    let mut level = level.clone();
    let Measured {
        iterations,
        scenarios,
        connections,
        requests,
        exchanges,
        steps,
        story,
        ..
    } = &mut level.measured;
    if threshold.aggregate == Aggregate::Failed {
        for all in scenarios.values_mut().chain([iterations]) {
            all.failed += std::mem::take(&mut all.unfinished);
        }
        let families = [connections, requests, exchanges, steps];
        for all in families.into_iter().flat_map(|map| map.values_mut()) {
            let open = std::mem::take(&mut all.unfinished);
            all.count += open;
            all.failed += open;
        }
        for step in &mut story.steps {
            step.timed_out += step.left_open();
        }
    }
    observe(threshold, &level).is_ok_and(|value| threshold.holds(value))
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
