//! The figures of one level.

use format::{count, percent};
use record::{Deliveries, Level, Run, Validity};
use serde::Serialize;

use super::channels::Channel;
use super::legs::Leg;
use super::series::{Heat, Samples, Series};
use super::steps::Step;
use super::times::{Figure, Point, bins, distribution, millis, rounded};
use crate::section::levels::{Lead, LeadTimes, all_operations};
use crate::section::status::Status;
use crate::section::{inconclusive, label, overstated_by, results_of};

/// One level.
#[derive(Serialize)]
pub(super) struct LevelData {
    /// Name of the level: `50 users`, `240/s`.
    label: String,
    /// Users, or planned arrivals per second.
    load: f64,
    status: Status,
    /// The first threshold that was broken or not decided, with its observation.
    why: Option<String>,
    /// Whether the generator was the limit. Thresholds may count nevertheless.
    invalid: bool,
    /// Whether something may have affected the figures, although the level counts.
    questionable: bool,
    /// Seconds since the start of the run.
    started_s: f64,
    /// Start and end of the measurement, in seconds since the start of the level, and the end of the level.
    measured: (f64, f64),
    ends_s: f64,
    /// Operations of the run's main subject that ended, and those without a known time.
    count: u64,
    without_end: u64,
    bins: Vec<(i32, u64)>,
    p50: Figure,
    p95: Figure,
    p99: Figure,
    /// The longest time for readers.
    longest: Option<String>,
    distribution: Vec<Point>,
    /// The maximum by which times may be too long, in milliseconds.
    error_ms: Option<f64>,
    /// The share of failed operations or, if deliveries are the main subject, the number of lost ones. `None` without any.
    failing: Option<String>,
    throughput: Throughput,
    channels: Vec<Channel>,
    steps: Vec<Step>,
    series: Series,
    heat: Heat,
    samples: Samples,
    legs: Vec<Leg>,
    generator: Generator,
}

/// Iterations and operations per second.
#[derive(Serialize)]
struct Throughput {
    planned: u64,
    succeeded: u64,
    failed: u64,
    unfinished: u64,
    dropped: u64,
    /// Planned and succeeded iterations per second of measured time. The interval is that of a Poisson process.
    planned_per_s: Option<f64>,
    succeeded_per_s: Option<f64>,
    interval: Option<(f64, f64)>,
    /// Operations of the main subject that succeeded, per second.
    operations_per_s: Option<f64>,
}

/// Use of the generator, and its delays.
#[derive(Serialize)]
struct Generator {
    busiest_percent: Option<f64>,
    start_lag_ms: Option<f64>,
    read_delay_ms: Option<f64>,
    /// Target CPU and its busiest thread over the whole measurement, for readers.
    target: Option<String>,
}

impl LevelData {
    /// Returns all levels in the order in which they ran.
    pub(super) fn all(run: &Run, lead: Lead) -> Vec<Self> {
        let mut next = 0.0;
        let mut levels = Vec::with_capacity(run.levels.len());
        for level in &run.levels {
            // Older records do not have the start. Pauses between levels are then missing.
            let started = level.started_s.unwrap_or(next);
            next = started + level.phases.total_s();
            levels.push(Self::of(run, level, lead, started));
        }
        levels
    }

    fn of(run: &Run, level: &Level, lead: Lead, started: f64) -> Self {
        let times = LeadTimes::of(level, lead);
        let at = |q| Figure::of(times.at(q), times.limit());
        let phases = &level.phases;
        let begins = phases.ramp_s + phases.warmup_s;
        Self {
            label: label(&level.load),
            load: level.load.amount(),
            status: Status::of(run, level),
            why: why(run, level),
            invalid: level.is_invalid(),
            questionable: level.validity() == Validity::Questionable,
            started_s: rounded_to_ms(started),
            measured: (
                rounded_to_ms(begins),
                rounded_to_ms(begins + phases.duration_s),
            ),
            ends_s: rounded_to_ms(level.phases.total_s()),
            count: times.count(),
            without_end: times.without_end(),
            bins: bins(times.times()),
            p50: at(0.5),
            p95: at(0.95),
            p99: at(0.99),
            longest: times.longest(),
            distribution: distribution(&times),
            error_ms: overstated_by(level).map(millis),
            failing: failing(level, lead),
            throughput: Throughput::of(level, lead),
            channels: Channel::all(level),
            steps: Step::all(level),
            series: Series::of(level),
            heat: Heat::of(&level.heat_map),
            samples: Samples::of(level),
            legs: Leg::all(level),
            generator: Generator::of(level),
        }
    }
}

impl Throughput {
    fn of(level: &Level, lead: Lead) -> Self {
        let (all, seconds) = (&level.measured.iterations, level.phases.duration_s);
        let per_s = |count: f64| (seconds > 0.0).then(|| rounded(count / seconds));
        let succeeded = all.succeeded as f64;
        let half = 1.96 * succeeded.sqrt();
        let interval = per_s((succeeded - half).max(0.0)).zip(per_s(succeeded + half));
        Self {
            planned: all.planned,
            succeeded: all.succeeded,
            failed: all.failed,
            unfinished: all.unfinished,
            dropped: all.dropped,
            planned_per_s: per_s(all.planned as f64),
            succeeded_per_s: per_s(succeeded),
            interval,
            operations_per_s: per_s(succeeded_operations(level, lead) as f64),
        }
    }
}

/// The number of operations of the main subject that succeeded.
fn succeeded_operations(level: &Level, lead: Lead) -> u64 {
    let measured = &level.measured;
    match lead {
        Lead::Deliveries => measured.deliveries.values().map(Deliveries::received).sum(),
        Lead::Iterations => measured.iterations.succeeded,
        Lead::Requests | Lead::RoundTrips => {
            let all = all_operations(level, lead);
            all.count - all.failed
        }
    }
}

fn failing(level: &Level, lead: Lead) -> Option<String> {
    if lead == Lead::Deliveries {
        let lost = level.measured.deliveries.values();
        let lost: u64 = lost.map(Deliveries::lost_count).sum();
        return (lost > 0).then(|| count(lost));
    }
    let iterations = &level.measured.iterations;
    // The same operations as those of a threshold `failed`. If there are none, connections failed.
    let (failed, count) = match LeadTimes::of(level, lead) {
        LeadTimes::Iterations(_) => (iterations.failed, iterations.succeeded + iterations.failed),
        LeadTimes::Operations(all) if all.count > 0 => (all.failed, all.count),
        _ => {
            let all = all_operations(level, lead);
            (all.failed, all.count)
        }
    };
    let share = failed as f64 / count.max(1) as f64;
    (failed > 0).then(|| percent(share * 100.0))
}

impl Generator {
    fn of(level: &Level) -> Self {
        let generator = &level.generator;
        let p99 = |times| stats::estimate(times, 0, 0.99).value().map(millis);
        let target = level.target.as_ref();
        let thread = target.and_then(|target| target.busiest_thread.as_ref());
        let parts = [
            target
                .and_then(|it| it.cpu_percent)
                .map(|cpu| format!("CPU {}", percent(cpu))),
            thread.map(|it| format!("busiest thread {} ({})", percent(it.cpu_percent), it.name)),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        Self {
            busiest_percent: generator.busiest_worker_percent.map(rounded),
            start_lag_ms: p99(&generator.start_lag),
            read_delay_ms: generator.read_delay.as_ref().and_then(p99),
            target: (!parts.is_empty()).then(|| parts.join(", ")),
        }
    }
}

/// Returns the first threshold that did not hold, with its observation.
fn why(run: &Run, level: &Level) -> Option<String> {
    let find = |held| results_of(run, level).find(|result| result.held == held);
    let result = find(Some(false)).or_else(|| find(None))?;
    let observed = inconclusive::observed(run, result);
    Some(format!(
        "{} {}: {observed}",
        result.metric, result.condition
    ))
}

/// Rounds seconds to milliseconds.
fn rounded_to_ms(seconds: f64) -> f64 {
    (seconds * 1e3).round() / 1e3
}
