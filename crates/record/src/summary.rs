//! The stable shape of `--json`, described in `docs/reference/record.md`: every run has the same keys, with `null` for
//! figures that were not measured.

use std::collections::BTreeMap;

use model::Nanos;
use serde_json::{Map, Value, json};
use stats::{Estimate, Histogram, estimate};

use crate::{
    Check, Convergence, Deliveries, Failure, FirstFailure, FunnelStep, GeneratorUse, Iterations,
    Level, Metric, MetricKind, Observed, Run, Streams, TargetUse, ThresholdResult, Timings,
    path_name,
};

/// Version of the summary's shape. Within a version, keys are only added.
const SUMMARY_VERSION: u32 = 1;

/// Returns the summary of a run.
pub fn summary(run: &Run) -> Value {
    json!({
        "kind": "headcount-summary",
        "version": SUMMARY_VERSION,
        "tool": run.tool,
        "started_at": run.started_at,
        "ended_at": run.ended_at,
        "script": { "path": run.script.path, "sha256": run.script.sha256 },
        "target": run.target,
        "target_version": run.target_version,
        "verdict": run.verdict.to_string(),
        "interrupted": run.interrupted,
        "seed": run.seed,
        "notes": run.notes,
        "findings": run.findings,
        "script_faults": run.script_faults.iter().map(failure).collect::<Vec<_>>(),
        "thresholds": run.thresholds.iter().map(threshold).collect::<Vec<_>>(),
        "levels": run.levels.iter().map(level).collect::<Vec<_>>(),
    })
}

fn threshold(result: &ThresholdResult) -> Value {
    json!({
        "level": result.level,
        "metric": result.metric,
        "condition": result.condition,
        "outcome": match result.held {
            Some(true) => "held",
            Some(false) => "broken",
            None => "inconclusive",
        },
        "observed": result.observed.as_ref().and_then(Observed::figure),
        "inconclusive": result.inconclusive,
        "counted": result.counted,
    })
}

fn level(level: &Level) -> Value {
    let duration_s = level.phases.duration_s;
    let measured = &level.measured;
    json!({
        "load": {
            "users": level.load.users,
            "groups": level.load.groups,
            "rate": level.load.rate,
            "rate_per_s": level.load.rate_per_s,
        },
        "validity": level.validity().as_str(),
        "issues": level.issues,
        "iterations": iterations(&measured.iterations),
        "requests": family(&measured.requests, duration_s),
        "round_trips": family(&measured.round_trips, duration_s),
        "streams": by_name(&measured.streams, |one| streams(one, duration_s)),
        "deliveries": channels(&measured.deliveries, duration_s),
        "checks": checks(&measured.checks),
        "metrics": by_name(&measured.metrics, metric),
        "failures": measured.failures.iter().map(failure).collect::<Vec<_>>(),
        "converged": converged(&measured.converged),
        "steps": {
            "by_name": by_name(&measured.steps, |one| timings(one, duration_s)),
            "in_order": measured.funnel.steps.iter().map(step).collect::<Vec<_>>(),
        },
        "first_failures": measured.funnel.first_failures.iter().map(cause).collect::<Vec<_>>(),
        "target": target(level.target.as_ref()),
        "generator": generator(&level.generator),
    })
}

/// Streams with their counts. Percentiles of the real-time factor count from the lowest.
fn streams(streams: &Streams, duration_s: f64) -> Map<String, Value> {
    let factor = &streams.real_time_factor;
    let factors = json!({
        "min": factor.min(),
        "p5": factor.stated(0.05),
        "p50": factor.stated(0.5),
        "mean": factor.mean(),
    });
    object([
        ("count", json!(streams.count)),
        ("cut_off", json!(streams.cut_off)),
        ("failed", json!(streams.failed)),
        ("chunks", json!(streams.chunks)),
        ("answered", json!(streams.answered)),
        ("unanswered", json!(streams.unanswered)),
        ("dropped", json!(streams.dropped)),
        ("reordered", json!(streams.reordered)),
        ("surplus", json!(streams.surplus)),
        ("real_time_factor", factors),
        ("lag", json!(timings(&streams.lag, duration_s))),
        ("first", json!(timings(&streams.first, duration_s))),
        ("final", json!(timings(&streams.last, duration_s))),
    ])
}

fn iterations(iterations: &Iterations) -> Value {
    json!({
        "planned": iterations.planned,
        "started": iterations.started,
        "succeeded": iterations.succeeded,
        "failed": iterations.failed,
        "unfinished": iterations.unfinished,
        "dropped": iterations.dropped,
        "dropped_by_cause": iterations.dropped_by_cause,
    })
}

/// A step with its counts of iterations. Percentiles cover all iterations that began the step, as in
/// `FunnelStep::time_at`.
fn step(step: &FunnelStep) -> Value {
    let mut figures = object([
        ("step", json!(step.name())),
        ("scenario", json!(step.scenario)),
        ("reached", json!(step.reached)),
        ("passed", json!(step.passed)),
        ("passed_with_failures", json!(step.passed_with_failures)),
        ("failed", json!(step.failed)),
        ("unfinished", json!(step.unfinished)),
        ("timed_out", json!(step.timed_out)),
    ]);
    figures.extend(percentiles(|q| step.time_at(q)));
    Value::Object(figures)
}

fn cause(cause: &FirstFailure) -> Value {
    json!({
        "step": cause.step.as_deref().map(path_name),
        "side": cause.side,
        "kind": cause.kind,
        "status": cause.status,
        "what": cause.what,
        "failed": cause.failed,
        "succeeded": cause.succeeded,
    })
}

fn failure(failure: &Failure) -> Value {
    json!({
        "side": failure.side,
        "kind": failure.kind,
        "what": failure.what,
        "count": failure.count,
        "first": {
            "at_s": failure.first.at_s,
            "user": failure.first.user,
            "step": failure.first.step,
            "detail": failure.first.detail,
            "location": failure.first.location,
        },
    })
}

/// A metric of the script. Figures that its kind lacks are `null`.
fn metric(metric: &Metric) -> Map<String, Value> {
    let is = |kind| metric.kind == kind && metric.count > 0;
    let at = |q| metric.values.as_ref().and_then(|values| values.stated(q));
    let spread = |value: Option<f64>| value.filter(|_| metric.kind != MetricKind::Counter);
    object([
        ("kind", json!(metric.kind)),
        ("count", json!(metric.count)),
        ("sum", json!(is(MetricKind::Counter).then_some(metric.sum))),
        ("last", json!(metric.last.filter(|_| is(MetricKind::Gauge)))),
        ("min", json!(spread(metric.min))),
        ("p50", json!(at(0.5))),
        ("p95", json!(at(0.95))),
        ("p99", json!(at(0.99))),
        ("max", json!(spread(metric.max))),
    ])
}

fn by_name<T>(named: &BTreeMap<String, T>, figures: impl Fn(&T) -> Map<String, Value>) -> Value {
    let entries = named.iter();
    Value::Object(
        entries
            .map(|(name, one)| (name.clone(), Value::Object(figures(one))))
            .collect(),
    )
}

fn family(named: &BTreeMap<String, Timings>, duration_s: f64) -> Value {
    let mut all = Timings::default();
    for one in named.values() {
        all.merge(one);
    }
    let mut figures = timings(&all, duration_s);
    if named.is_empty() {
        figures.insert("per_s".to_owned(), Value::Null);
    }
    figures.insert(
        "by_name".to_owned(),
        by_name(named, |one| timings(one, duration_s)),
    );
    Value::Object(figures)
}

fn timings(timings: &Timings, duration_s: f64) -> Map<String, Value> {
    let mut figures = object([
        ("count", json!(timings.count)),
        ("failed", json!(timings.failed)),
        ("timed_out", json!(timings.timed_out)),
        ("unfinished", json!(timings.unfinished)),
        ("repeated", json!(timings.repeated)),
        ("per_s", json!(per_second(timings.count, duration_s))),
        ("mean_ms", json!(timings.mean().map(Nanos::as_millis_f64))),
        ("service_p95_ms", millis(timings.service_at(0.95))),
        ("service_p99_ms", millis(timings.service_at(0.99))),
    ]);
    figures.extend(percentiles(|q| timings.response_at(q)));
    figures.insert("max_ms".to_owned(), json!(longest_ms(timings)));
    let succeeded = timings.succeeded();
    figures.insert("succeeded".to_owned(), json!(succeeded.as_ref().map(times)));
    figures
}

/// The response times of operations that succeeded.
fn times(succeeded: &Timings) -> Map<String, Value> {
    let mut figures = object([
        ("count", json!(succeeded.count)),
        ("mean_ms", json!(succeeded.mean().map(Nanos::as_millis_f64))),
        ("max_ms", json!(longest_ms(succeeded))),
    ]);
    figures.extend(percentiles(|q| succeeded.response_at(q)));
    figures
}

fn longest_ms(timings: &Timings) -> Option<f64> {
    timings.longest().map(Nanos::as_millis_f64)
}

/// Percentiles with keys such as `p50_ms` and `p99_9_ms`. `null` if there are too few samples, or if the percentile
/// lies among timeouts.
fn percentiles(at: impl Fn(f64) -> Estimate) -> impl Iterator<Item = (String, Value)> {
    stats::REPORTED.into_iter().map(move |percentile| {
        let key = format!("{}_ms", percentile.name.replace('.', "_"));
        (key, millis(at(percentile.q)))
    })
}

fn channels(named: &BTreeMap<String, Deliveries>, duration_s: f64) -> Value {
    let mut all = Deliveries::default();
    for one in named.values() {
        all.merge(one);
    }
    let mut figures = deliveries(&all, duration_s);
    if named.is_empty() {
        // Without channels, "nothing was lost" would be an unfounded claim.
        figures
            .values_mut()
            .for_each(|figure| *figure = Value::Null);
    }
    figures.insert(
        "by_name".to_owned(),
        by_name(named, |one| deliveries(one, duration_s)),
    );
    Value::Object(figures)
}

fn deliveries(deliveries: &Deliveries, duration_s: f64) -> Map<String, Value> {
    let mut figures = object([
        ("messages", json!(deliveries.messages)),
        ("expected", json!(deliveries.expected)),
        ("delivered", json!(deliveries.delivered)),
        ("late", json!(deliveries.late)),
        ("lost", json!(deliveries.lost_count())),
        ("lost_by_reason", json!(deliveries.lost)),
        ("cut_off", json!(deliveries.cut_off.count())),
        ("cut_off_by_reason", json!(deliveries.cut_off)),
        ("duplicated", json!(deliveries.duplicated)),
        ("reordered", json!(deliveries.reordered)),
        ("misdelivered", json!(deliveries.misdelivered_count())),
        (
            "per_s",
            json!(per_second(deliveries.received(), duration_s)),
        ),
        (
            "mean_ms",
            json!(deliveries.latency.mean().map(Nanos::as_millis_f64)),
        ),
        (
            "max_ms",
            json!(deliveries.latency.max().map(Nanos::as_millis_f64)),
        ),
        ("last_p95_ms", millis(estimate(&deliveries.last, 0, 0.95))),
    ]);
    figures.extend(percentiles(|q| deliveries.latency_at(q)));
    figures
}

fn checks(named: &BTreeMap<String, Check>) -> Value {
    let mut all = Check::default();
    for one in named.values() {
        all.merge(one);
    }
    let figures =
        |one: &Check| object([("passed", json!(one.passed)), ("failed", json!(one.failed))]);
    let mut total = figures(&all);
    total.insert("by_name".to_owned(), by_name(named, figures));
    Value::Object(total)
}

fn converged(named: &BTreeMap<String, Convergence>) -> Value {
    let mut all = Convergence::default();
    for one in named.values() {
        all.merge(one);
    }
    let figures = |one: &Convergence| {
        let known = one.groups() > 0;
        object([
            ("converged", json!(known.then_some(one.converged))),
            ("diverged", json!(known.then_some(one.diverged))),
            ("unknown", json!(known.then_some(one.unknown))),
        ])
    };
    let mut total = figures(&all);
    total.insert("by_name".to_owned(), by_name(named, figures));
    Value::Object(total)
}

fn target(target: Option<&TargetUse>) -> Value {
    let busiest = target.and_then(|target| target.busiest_thread.as_ref());
    json!({
        "cpu_percent": target.and_then(|target| target.cpu_percent),
        "busiest_thread_percent": busiest.map(|thread| thread.cpu_percent),
        "memory_mb": target.and_then(|target| target.memory_mb_max),
    })
}

fn generator(generator: &GeneratorUse) -> Value {
    let p99 = |times: &Histogram| millis(estimate(times, 0, 0.99));
    json!({
        "cpu_percent": generator.cpu_percent,
        "busiest_worker_percent": generator.busiest_worker_percent,
        "cpu_wait_percent": generator.cpu_wait_percent,
        "throttled_ms": generator.throttled_ms,
        "stolen_percent": generator.stolen_percent,
        "start_lag_p99_ms": p99(&generator.start_lag),
        "read_delay_p99_ms": generator.read_delay.as_ref().map_or(Value::Null, p99),
        "receive_error_p99_ms": generator.receive_error.as_ref().map_or(Value::Null, p99),
    })
}

fn object<const N: usize>(entries: [(&str, Value); N]) -> Map<String, Value> {
    entries
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect()
}

fn millis(estimate: Estimate) -> Value {
    json!(estimate.value().map(Nanos::as_millis_f64))
}

fn per_second(count: u64, duration_s: f64) -> Option<f64> {
    (duration_s > 0.0).then(|| count as f64 / duration_s)
}
