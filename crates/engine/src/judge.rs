//! From measurements to verdicts: was the level measured soundly, and did the thresholds hold?

use model::{Nanos, Verdict};
use plan::Threshold;
use record::{Level, Run, ThresholdResult};

use crate::observe::{Missing, observe};

/// A worker that is busier than this, the time included in which it had work and no CPU, could not have kept
/// up with more: the generator may be the limit.
const BUSY_LIMIT_PERCENT: f64 = 95.0;
/// Planned starts that are later than this at the 99th percentile are not the planned load.
const START_LAG_LIMIT: Nanos = Nanos::from_millis(10);

/// Why a level's numbers are not the target's; empty for a sound level.
pub(crate) fn unsound_reasons(level: &Level) -> Vec<String> {
    if level.phases.hold_s <= 0.0 {
        return vec!["it ended before anything was measured".to_owned()];
    }
    let mut reasons = Vec::new();
    let generator = &level.generator;
    let busy = generator.busiest_worker_percent.unwrap_or(0.0);
    let waited = generator.cpu_wait_percent.unwrap_or(0.0);
    if busy + waited > BUSY_LIMIT_PERCENT {
        let waiting = if waited < 1.0 {
            String::new()
        } else {
            format!(" and waited for a CPU for {waited:.0} %")
        };
        reasons.push(format!(
            "the busiest worker was at work for {busy:.0} % of the hold{waiting} (limit {BUSY_LIMIT_PERCENT:.0} %): \
             use more workers or cores, or less load"
        ));
    }
    // A handful of starts has no 99th percentile, and the few at the beginning of a level come together.
    let lag = stats::estimate(&level.generator.start_lag, 0, 0.99);
    let lag = lag.value().filter(|&lag| lag > START_LAG_LIMIT);
    if let Some(lag) = lag {
        reasons.push(format!(
            "planned starts came {lag} late at p99 (limit {START_LAG_LIMIT}): the planned load was not made"
        ));
    }
    reasons
}

/// Every threshold in every level.
pub(crate) fn thresholds(thresholds: &[Threshold], levels: &[Level]) -> Vec<ThresholdResult> {
    let each = levels.iter().flat_map(|level| {
        thresholds
            .iter()
            .map(move |threshold| result(threshold, level))
    });
    each.collect()
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
        return Verdict::NotSound;
    }
    Verdict::Passed
}

fn nothing_succeeded(level: &Level) -> bool {
    let measured = &level.measured;
    let iterations = &measured.iterations;
    let requests: u64 = measured
        .requests
        .values()
        .map(|timings| timings.count)
        .sum();
    let refused: u64 = measured
        .requests
        .values()
        .map(|timings| timings.failed)
        .sum();
    iterations.succeeded + iterations.unfinished == 0 || requests > 0 && refused == requests
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
