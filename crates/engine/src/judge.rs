//! From measurements to verdicts: was the level measured soundly, and did the thresholds hold?

use model::{Nanos, Verdict};
use plan::{Aggregate, SubjectKind, Threshold};
use record::{Deliveries, Level, Run, ThresholdResult, Timings};
use stats::Histogram;

/// A worker that is busier than this could not have kept up with more: the generator may be the limit.
const BUSY_LIMIT_PERCENT: f64 = 95.0;
/// Planned starts that are later than this at the 99th percentile are not the planned load.
const START_LAG_LIMIT: Nanos = Nanos::from_millis(10);

/// Why a level's numbers are not the target's; empty for a sound level.
pub(crate) fn unsound_reasons(level: &Level) -> Vec<String> {
    if level.phases.hold_s <= 0.0 {
        return vec!["it ended before anything was measured".to_owned()];
    }
    let mut reasons = Vec::new();
    if let Some(busy) = level
        .generator
        .busiest_worker_percent
        .filter(|&busy| busy > BUSY_LIMIT_PERCENT)
    {
        reasons.push(format!(
            "the busiest worker was at work for {busy:.0} % of the hold (limit {BUSY_LIMIT_PERCENT:.0} %): \
             use more workers or cores, or less load"
        ));
    }
    let lag = level
        .generator
        .start_lag
        .quantile(0.99)
        .filter(|&lag| lag > START_LAG_LIMIT);
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

/// One verdict over all levels. Without thresholds a run passes unless a level has nothing that succeeded.
pub(crate) fn verdict(run: &Run) -> Verdict {
    let failed_in = |level: &Level| {
        let broken = run
            .thresholds
            .iter()
            .any(|result| result.level == level.index && result.held == Some(false));
        broken || run.thresholds.is_empty() && nothing_succeeded(level)
    };
    if run
        .levels
        .iter()
        .any(|level| level.sound && failed_in(level))
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
    let observed = observe(threshold, level).filter(|value| value.is_finite());
    ThresholdResult {
        level: level.index,
        metric: threshold.subject.to_string(),
        condition: threshold.source.clone(),
        observed,
        observed_text: observed.map_or("not measured".to_owned(), |value| {
            show(threshold.limit.unit, value)
        }),
        held: observed.map(|value| threshold.holds(value)),
    }
}

/// The value that a threshold looks at, in its limit's base unit. `None`: not measured.
fn observe(threshold: &Threshold, level: &Level) -> Option<f64> {
    let name = threshold.subject.name.as_deref();
    let measured = &level.measured;
    let hold = level.phases.hold_s;
    let share = threshold.limit.unit == plan::Unit::Ratio;
    let timed = |map| {
        of_timings(
            &pooled(map, name, Timings::merge)?,
            threshold.aggregate,
            share,
            hold,
        )
    };
    match threshold.subject.kind {
        SubjectKind::Request => timed(&measured.requests),
        SubjectKind::Exchange => timed(&measured.exchanges),
        SubjectKind::Step => timed(&measured.steps),
        SubjectKind::Connection => timed(&measured.connections),
        SubjectKind::Delivery => {
            let deliveries = pooled(&measured.deliveries, name, Deliveries::merge)?;
            of_deliveries(&deliveries, threshold.aggregate, share, hold)
        }
        SubjectKind::Iteration => {
            let iterations = &measured.iterations;
            let ended = iterations.succeeded + iterations.failed;
            match threshold.aggregate {
                Aggregate::Failed => part(iterations.failed, ended, share),
                Aggregate::Count => Some(ended as f64),
                Aggregate::Rate => rate(ended, hold),
                aggregate => of_times(&iterations.time, aggregate),
            }
        }
        SubjectKind::Check => {
            let checks = measured
                .checks
                .iter()
                .filter(|(known, _)| name.is_none_or(|name| name == *known));
            let (passed, failed) = checks.fold((0, 0), |sum, (_, check)| {
                (sum.0 + check.passed, sum.1 + check.failed)
            });
            match threshold.aggregate {
                Aggregate::Failed => part(failed, passed + failed, share),
                Aggregate::Count => Some((passed + failed) as f64),
                Aggregate::Rate => rate(passed + failed, hold),
                _ => None,
            }
        }
        SubjectKind::Metric => of_metric(measured.metrics.get(name?)?, threshold.aggregate, hold),
        SubjectKind::Target => {
            let target = level.target.as_ref()?;
            match threshold.aggregate {
                Aggregate::Cpu => target.cpu_percent.map(|percent| percent / 100.0),
                Aggregate::Memory => target.memory_mb_max.map(|megabytes| megabytes * 1e6),
                _ => None,
            }
        }
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

/// One name, or all names together.
fn pooled<T: Clone>(
    map: &std::collections::BTreeMap<String, T>,
    name: Option<&str>,
    join: fn(&mut T, &T),
) -> Option<T> {
    if let Some(name) = name {
        return map.get(name).cloned();
    }
    map.values().cloned().reduce(|mut all, one| {
        join(&mut all, &one);
        all
    })
}

fn of_timings(timings: &Timings, aggregate: Aggregate, share: bool, hold: f64) -> Option<f64> {
    match aggregate {
        Aggregate::Failed => part(timings.failed, timings.count, share),
        Aggregate::Count => Some(timings.count as f64),
        Aggregate::Rate => rate(timings.count, hold),
        Aggregate::Percentile(percent) => reported(&timings.response_at(percent / 100.0)),
        Aggregate::Max => timings.longest().map(nanos),
        aggregate => of_times(&timings.response, aggregate),
    }
}

fn of_deliveries(
    deliveries: &Deliveries,
    aggregate: Aggregate,
    share: bool,
    hold: f64,
) -> Option<f64> {
    let expected = deliveries.expected;
    match aggregate {
        Aggregate::Delivered => part(deliveries.delivered, expected, share),
        Aggregate::Late => part(deliveries.late, expected, share),
        Aggregate::Lost => part(deliveries.lost_count(), expected, share),
        Aggregate::Duplicated => part(deliveries.duplicated, expected, share),
        Aggregate::Reordered => part(deliveries.reordered, expected, share),
        Aggregate::Strayed => part(deliveries.strayed_count(), expected, share),
        Aggregate::Count => Some(deliveries.received() as f64),
        Aggregate::Rate => rate(deliveries.received(), hold),
        Aggregate::Percentile(percent) => reported(&deliveries.latency_at(percent / 100.0)),
        aggregate => of_times(&deliveries.latency, aggregate),
    }
}

fn of_times(times: &Histogram, aggregate: Aggregate) -> Option<f64> {
    match aggregate {
        Aggregate::Percentile(percent) => reported(&stats::estimate(times, 0, percent / 100.0)),
        Aggregate::Mean => times.mean().map(nanos),
        Aggregate::Min => times.min().map(nanos),
        Aggregate::Max => times.max().map(nanos),
        _ => None,
    }
}

fn of_metric(metric: &record::Metric, aggregate: Aggregate, hold: f64) -> Option<f64> {
    let counter = metric.kind == record::MetricKind::Counter;
    match aggregate {
        Aggregate::Count if counter => Some(metric.sum),
        Aggregate::Count => Some(metric.count as f64),
        Aggregate::Rate => (hold > 0.0).then(|| if counter { metric.sum } else { metric.count as f64 } / hold),
        Aggregate::Mean => (metric.count > 0).then(|| metric.sum / metric.count as f64),
        Aggregate::Min => metric.min,
        Aggregate::Max => metric.max,
        Aggregate::Percentile(percent) => metric.values.as_ref()?.quantile(percent / 100.0),
        _ => None,
    }
}

/// A percentile, if there are samples enough for it.
fn reported(estimate: &stats::Estimate) -> Option<f64> {
    estimate.value().map(nanos)
}

fn nanos(nanos: Nanos) -> f64 {
    nanos.0 as f64
}

fn rate(count: u64, hold: f64) -> Option<f64> {
    (hold > 0.0).then(|| count as f64 / hold)
}

/// A share of all, or a number. Of nothing there is no share.
fn part(count: u64, of: u64, share: bool) -> Option<f64> {
    if !share {
        return Some(count as f64);
    }
    (of > 0).then(|| count as f64 / of as f64)
}
