//! Trades at an arrival rate: the maximum rate, its cause, and the number of people that it corresponds to.

use minijinja::context;
use minijinja::value::Value;
use record::{Level, Run};

use super::field::THINK_S;
use super::figures::{PROMISE_MS, levels, others, time};
use crate::figures::{cpu, per_s};

/// CPU use from which a core is full. The kernel's own work uses the rest of the core.
const FULL_PERCENT: f64 = 93.0;

/// Returns why a level does not show that its thresholds hold. Empty if it does.
fn misses(level: &Level) -> Vec<Value> {
    let all = &level.measured.iterations;
    let mut reasons = Vec::new();
    if level.is_invalid() {
        reasons.push(context! { kind => "invalid" });
    }
    let counts = [
        ("failed", all.failed),
        ("unfinished", all.unfinished),
        ("dropped", all.dropped),
    ];
    let found = counts.into_iter().filter(|(_, count)| *count > 0);
    reasons.extend(found.map(|(kind, count)| context! { kind, count }));
    match others(level).response_at(0.95).value() {
        Some(p95) if p95.as_millis_f64() < PROMISE_MS => {}
        Some(p95) => reasons.push(context! { kind => "p95", p95 => time(p95) }),
        None => reasons.push(context! { kind => "no_p95" }),
    }
    reasons
}

/// Returns the last level whose thresholds held, and the level after it that did not show this.
pub(super) fn ceiling(run: Option<&Run>) -> (Option<&Level>, Option<&Level>) {
    let mut held = None;
    for level in levels(run) {
        if !misses(level).is_empty() {
            return (held, Some(level));
        }
        held = Some(level);
    }
    (held, None)
}

/// Returns the number of completed trades per second.
pub(super) fn completed_per_s(level: &Level) -> f64 {
    level.measured.iterations.succeeded as f64 / level.phases.duration_s.max(f64::MIN_POSITIVE)
}

/// The figures of a level: why it missed its thresholds, and which resources were full.
pub(super) fn figures(level: &Level) -> Value {
    let target = level.target.as_ref();
    let cores = target.and_then(|target| target.cores.as_ref());
    let cores = cores.map_or(1, Vec::len);
    let thread = target.and_then(|target| target.busiest_thread.as_ref());
    let used = target.and_then(|target| target.cpu_percent);
    context! {
        rate => level.load.rate_per_s.unwrap_or_default(),
        valid => !level.is_invalid(),
        planned => level.measured.iterations.planned,
        reasons => misses(level),
        resources_known => target.is_some(),
        cpu => cpu(level),
        cores,
        cores_full => used.is_some_and(|used| used >= FULL_PERCENT * cores as f64),
        thread => thread.map(|thread| thread.name.as_str()),
        thread_percent => thread.map(|thread| thread.cpu_percent),
        thread_full => thread.is_some_and(|thread| thread.cpu_percent >= FULL_PERCENT),
    }
}

/// Converts the maximum rate to a number of people, and states the model and its arithmetic.
pub(super) fn people(run: Option<&Run>) -> Option<Value> {
    let level = ceiling(run).0?;
    let requests_per_s = per_s(level);
    let mean_s = others(level).mean()?.as_secs_f64();
    let [few, many] = THINK_S.map(|think| requests_per_s * (mean_s + think));
    Some(context! {
        rate => level.load.rate_per_s.unwrap_or_default(),
        requests_per_s,
        mean_s,
        few,
        many,
    })
}
