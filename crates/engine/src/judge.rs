//! Computes the outcome of each threshold, as far as the level supports it, and the verdict of the run.

use model::Verdict;
use plan::{Aggregate, Figure, Threshold};
use record::{Inconclusive, Level, Limits, Outcome, Run, ThresholdResult};

use crate::evidence::as_far_as_it_carries;
use crate::observe::decide;
use crate::observed::Observed;
use crate::refused::refused_all;

/// The result of every threshold in every level.
pub(crate) fn thresholds(thresholds: &[Threshold], levels: &[Level]) -> Vec<ThresholdResult> {
    let each = levels.iter().flat_map(|level| of_level(thresholds, level));
    let out_of_reach = levels.first().map(|first| {
        let unmet = |threshold: &&Threshold| !levels.iter().any(|level| applies(threshold, level));
        let unmet = thresholds.iter().filter(unmet);
        unmet.map(|threshold| nowhere(threshold, first))
    });
    each.chain(out_of_reach.into_iter().flatten()).collect()
}

/// The results of the thresholds that apply to this level.
pub(crate) fn of_level<'a>(
    thresholds: &'a [Threshold],
    level: &'a Level,
) -> impl Iterator<Item = ThresholdResult> + 'a {
    let these = thresholds
        .iter()
        .filter(move |threshold| applies(threshold, level));
    these.map(move |threshold| result(threshold, level))
}

/// The result of a threshold whose scope includes no level of the run.
fn nowhere(threshold: &Threshold, first: &Level) -> ThresholdResult {
    ThresholdResult {
        level: first.index,
        metric: threshold.subject.to_string(),
        condition: threshold.source.clone(),
        limits: Some(limits(threshold)),
        inconclusive: Some(Inconclusive::OutOfReach),
        ..ThresholdResult::default()
    }
}

fn limits(threshold: &Threshold) -> Limits {
    match threshold.aggregate {
        _ if threshold.figure == Some(Figure::RealTimeFactor) => Limits::Other,
        Aggregate::Percentile(_) | Aggregate::Mean | Aggregate::Min | Aggregate::Max => {
            Limits::Latency
        }
        Aggregate::Failed => Limits::Failures,
        Aggregate::Lost | Aggregate::Delivered => Limits::Losses,
        _ => Limits::Other,
    }
}

/// Whether the level's load is within the scope of the threshold.
pub(crate) fn applies(threshold: &Threshold, level: &Level) -> bool {
    let load = &level.load;
    threshold
        .reach
        .is_none_or(|reach| reach.covers(load.users, load.groups, load.rate_per_s))
}

/// One verdict over all levels. Thresholds decide, and each result states whether its level supports it. A run has
/// not passed if `setup` or `teardown` failed, or if something failed that no threshold covers.
pub(crate) fn verdict(run: &Run) -> Verdict {
    if run.failed_around() {
        return Verdict::Failed;
    }
    if run.thresholds.is_empty() {
        return without_thresholds(run);
    }
    let results = || run.thresholds.iter();
    let unasked = || run.levels.iter().filter_map(|level| unasked(run, level));
    if results().any(|result| result.held == Some(false))
        || unasked().any(|verdict| verdict == Verdict::Failed)
    {
        Verdict::Failed
    } else if results().all(|result| result.held == Some(true)) && unasked().next().is_none() {
        Verdict::Passed
    } else {
        Verdict::Inconclusive
    }
}

/// The verdict on failures that no threshold limits: the script itself failed, or nothing succeeded. `None` if there are
/// no such failures. The run is inconclusive if the generator may be the cause, because the level is invalid or a limit
/// of headcount was reached, or if iterations in flight may still succeed.
fn unasked(run: &Run, level: &Level) -> Option<Verdict> {
    let is_about = |subject: &str| {
        let mut results = run.thresholds.iter();
        results.any(|one| one.metric.starts_with(subject) && one.limits == Some(Limits::Failures))
    };
    let measured = &level.measured;
    let iterations = &measured.iterations;
    let of_iterations = !is_about("iterations");
    if of_iterations && measured.script_failed() {
        return Some(Verdict::Failed);
    }
    let no_iteration = of_iterations && iterations.failed > 0 && iterations.succeeded == 0;
    let operations = ["requests", "roundTrips", "connections"];
    let no_operation = measured.only_failures().is_some() && !operations.into_iter().any(is_about);
    if !no_iteration && !no_operation {
        return None;
    }
    let may_succeed = !no_operation && iterations.unfinished > 0;
    Some(if may_be_ours(level) || may_succeed {
        Verdict::Inconclusive
    } else {
        Verdict::Failed
    })
}

/// Whether the generator may have caused the level's failures.
fn may_be_ours(level: &Level) -> bool {
    level.is_invalid() && !refused_all(level) || level.measured.only_own_failures()
}

/// Without thresholds, a run passes unless the script itself failed, or nothing succeeded in a level.
fn without_thresholds(run: &Run) -> Verdict {
    let levels = || run.levels.iter();
    // A fault of the script also counts in an invalid level, because it does not depend on how well the target was
    // measured.
    let failed = |level: &Level| {
        level.measured.script_failed() || !may_be_ours(level) && nothing_succeeded(level)
    };
    if levels().any(failed) {
        Verdict::Failed
    } else if run.levels.is_empty()
        || levels().any(|level| level.is_invalid() || nothing_succeeded(level))
        || levels().any(|level| nothing_known(level) || asked_in_vain(run, level))
    {
        Verdict::Inconclusive
    } else {
        Verdict::Passed
    }
}

/// Whether nothing succeeded, and no operation in flight could still succeed.
fn nothing_succeeded(level: &Level) -> bool {
    let iterations = &level.measured.iterations;
    iterations.succeeded + iterations.unfinished == 0 || level.measured.only_failures().is_some()
}

/// Whether nothing has succeeded so far. Unlike in [`nothing_succeeded`], operations in flight may still succeed.
fn nothing_known(level: &Level) -> bool {
    let iterations = &level.measured.iterations;
    iterations.succeeded == 0 || level.measured.only_failures_so_far()
}

/// Whether no request or message of a `bench` ended in the measured time, for example because every user has been
/// waiting since the warm-up. The target's performance is then unknown.
fn asked_in_vain(run: &Run, level: &Level) -> bool {
    let measured = &level.measured;
    let families = [&measured.requests, &measured.round_trips];
    let mut all = families.iter().flat_map(|family| family.values());
    run.is_bench() && all.all(|one| one.count == 0)
}

fn result(threshold: &Threshold, level: &Level) -> ThresholdResult {
    let (found, seen) = decide(threshold, level);
    let outcome = as_far_as_it_carries(threshold, level, found);
    let (observed, counted) = match &seen {
        Err(_) => (None, None),
        Ok(observed) => (figure(threshold, observed), observed.counted()),
    };
    ThresholdResult {
        level: level.index,
        metric: threshold.subject.to_string(),
        condition: threshold.source.clone(),
        limits: Some(limits(threshold)),
        observed,
        held: match outcome {
            Outcome::Held => Some(true),
            Outcome::Broken => Some(false),
            Outcome::Inconclusive(_) => None,
        },
        inconclusive: match outcome {
            Outcome::Inconclusive(why) => Some(why),
            Outcome::Held | Outcome::Broken => None,
        },
        counted,
    }
}

fn figure(threshold: &Threshold, seen: &Observed) -> Option<record::Observed> {
    let unit = threshold.limit.unit;
    let (low, high) = match seen {
        Observed::Number { low, high, .. } => (*low, *high),
        Observed::Percentile(percentile) => match (percentile.stated, percentile.at_least) {
            (Some(value), _) => (value, value),
            (None, Some(least)) => (least, f64::INFINITY),
            (None, None) => return None,
        },
    };
    Some(record::Observed::between(low, high, unit))
}

#[cfg(test)]
mod tests;
