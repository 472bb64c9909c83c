//! The figures that the study of the registry reads from its records.

use std::ops::Range;

use minijinja::context;
use minijinja::value::Value;
use model::split_tags;
use plan::RateProfile;
use record::{Deliveries, Level, Metric, Phases, Run, Timings, Window};

use crate::figures::{deliveries, level_figures, millis};

/// Name of the metric with the number of targets of each multicast.
const TARGETS: &str = "targets of a multicast";
/// Name of the metric with the number of registrations that have not expired.
const ALIVE: &str = "registrations that have not expired";
/// Length of a window of the series, in seconds. The end of a level is not more precise.
const WINDOW_S: f64 = 1.0;
/// Tag of a multicast: how many identities were registered.
const IDENTITIES: &str = "identities";

/// Returns the measured levels. A level that was interrupted before its measured time has no rates and holds no threshold.
pub(super) fn levels(run: Option<&Run>) -> impl Iterator<Item = &Level> {
    let all = run.into_iter().flat_map(|run| &run.levels);
    all.filter(|level| level.phases.duration_s > 0.0)
}

/// Merges all requests of an operation, whatever their tags.
pub(super) fn operation(level: &Level, name: &str) -> Timings {
    let mut all = Timings::default();
    for (_, timings) in tagged(level, name) {
        all.merge(timings);
    }
    all
}

/// Returns the requests of an operation, each with the value of the tag `identities`.
pub(super) fn tagged<'a>(
    level: &'a Level,
    name: &str,
) -> impl Iterator<Item = (Option<&'a str>, &'a Timings)> {
    let requests = level.measured.requests.iter();
    requests.filter_map(move |(full, timings)| {
        let (plain, tags) = split_tags(full);
        let mut tags = tags.into_iter();
        let value = tags
            .find(|(key, _)| *key == IDENTITIES)
            .map(|(_, value)| value);
        (plain == name).then_some((value, timings))
    })
}

/// Returns a metric of the scenario. `None` if it has no values.
pub(super) fn metric<'a>(level: &'a Level, name: &str) -> Option<&'a Metric> {
    let metric = level.measured.metrics.get(name)?;
    (metric.count > 0).then_some(metric)
}

/// Returns the number of receivers of a message.
pub(super) fn receivers(all: &Deliveries) -> Option<u64> {
    all.expected.checked_div(all.messages)
}

/// Formats quantile `q` of the time until the last receiver had the message, in ms.
pub(super) fn to_the_last(all: &Deliveries, q: f64) -> String {
    millis(stats::estimate(&all.last, 0, q))
}

/// Returns the number of deliveries that were received within the measured time. The series also has the time before
/// and after it.
pub(super) fn in_time(level: &Level) -> u64 {
    let phases = &level.phases;
    let begin = phases.ramp_s + phases.warmup_s;
    let measured = begin..begin + phases.duration_s;
    let windows = level.series.iter();
    windows
        .filter(|window| measured.contains(&window.start_s))
        .map(|window| window.deliveries)
        .sum()
}

/// The figures of a level with multicasts to receivers.
pub(super) fn multicast_figures(level: &Level) -> Value {
    let all = deliveries(level);
    let p95 = |name| millis(operation(level, name).response_at(0.95));
    let iterations = &level.measured.iterations;
    let checks = level.measured.checks.values();
    let seconds = level.phases.duration_s;
    let in_time = in_time(level).min(all.expected);
    context! {
        rate => level.load.rate_per_s,
        receivers => receivers(&all),
        received_percent => percent(all.received(), all.expected),
        expected_per_s => all.expected as f64 / seconds,
        in_time,
        in_time_percent => percent(in_time, all.expected),
        in_time_per_s => in_time as f64 / seconds,
        left_at_the_end => all.expected - in_time,
        last_p50_ms => to_the_last(&all, 0.5),
        last_p95_ms => to_the_last(&all, 0.95),
        last_p99_ms => to_the_last(&all, 0.99),
        register_p95_ms => p95("register"),
        enumerate_p95_ms => p95("enumerate"),
        multicast_p95_ms => p95("multicast"),
        planned => iterations.planned,
        started => iterations.started,
        dropped => iterations.dropped,
        failed_iterations => iterations.failed + iterations.unfinished,
        checks_failed => checks.map(|check| check.failed).sum::<u64>(),
        ..level_figures(level)
    }
}

fn percent(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64 * 100.0)
}

/// A level, and the thresholds that it was not shown to meet.
pub(super) struct Miss<'a> {
    pub(super) level: &'a Level,
    /// The thresholds that broke, as the scenario states them.
    broken: Vec<String>,
    /// The thresholds whose result is inconclusive.
    unknown: Vec<String>,
}

/// Returns the last level up to which all levels met their thresholds, and the level after it.
pub(super) fn climb(run: Option<&Run>) -> (Option<&Level>, Option<Miss<'_>>) {
    let mut held = None;
    let thresholds = run.map_or(&[][..], |run| &run.thresholds);
    for level in levels(run) {
        let named = |held: Option<bool>| -> Vec<String> {
            let results = thresholds.iter().filter(|one| one.level == level.index);
            let these = results.filter(|one| one.held == held);
            these
                .map(|one| format!("`{}: {}`", one.metric, one.condition))
                .collect()
        };
        let (broken, unknown) = (named(Some(false)), named(None));
        if level.is_invalid() || !broken.is_empty() || !unknown.is_empty() {
            let miss = Miss {
                level,
                broken,
                unknown,
            };
            return (held, Some(miss));
        }
        held = Some(level);
    }
    (held, None)
}

impl Miss<'_> {
    pub(super) fn figures(&self) -> Value {
        context! {
            broken => &self.broken,
            unknown => &self.unknown,
            ..multicast_figures(self.level)
        }
    }
}

/// The report's own test: the identities that its tool counts as delivered, and those that received anything.
pub(super) fn nobody(level: &Level) -> Option<Value> {
    let targets = metric(level, TARGETS)?;
    let sum = |name| metric(level, name).map_or(0.0, |metric| metric.sum);
    let all = operation(level, "multicast");
    Some(context! {
        multicasts => all.count,
        targets => targets.sum,
        targets_each => targets.sum / targets.count as f64,
        handed_over => sum("handed over to a receiver"),
        without_receiver => sum("without a receiver"),
        ..multicast_figures(level)
    })
}

/// One of the bursts: the windows from its begin to the begin of the next one.
pub(super) struct Burst {
    /// Whether the level was interrupted before the begin of the next one.
    pub(super) is_interrupted: bool,
    pub(super) requests: u64,
    pub(super) failed: u64,
    pub(super) deliveries: u64,
    /// The longest delivery, in milliseconds.
    pub(super) longest_ms: Option<f64>,
    /// The p95 of the slowest second, in milliseconds.
    pub(super) worst_p95_ms: Option<f64>,
}

/// Returns the planned bursts, each with the silence after it, in seconds of the measured time.
fn planned_bursts(level: &Level) -> Vec<Range<f64>> {
    let profile = level.load.rate.as_deref().map(RateProfile::parse);
    let Some(Ok(RateProfile::Segments(segments))) = profile else {
        return Vec::new();
    };
    let mut bursts: Vec<Range<f64>> = Vec::new();
    let mut now = 0.0;
    for segment in segments {
        let end = now + segment.lasts.as_secs_f64();
        match bursts.last_mut() {
            Some(burst) if segment.from + segment.to <= 0.0 => burst.end = end,
            _ => bursts.push(now..end),
        }
        now = end;
    }
    bursts
}

/// Splits the series of a level into the bursts that began before its end.
pub(super) fn bursts(level: &Level) -> Vec<Burst> {
    let Phases {
        ramp_s,
        warmup_s,
        duration_s,
        ..
    } = level.phases;
    let begun = planned_bursts(level).into_iter();
    let begun = begun.filter(|planned| planned.start < duration_s);
    let burst = |planned: Range<f64>| {
        let begin = ramp_s + warmup_s + planned.start;
        let end = ramp_s + warmup_s + planned.end;
        let is_in = |window: &&Window| (begin..end).contains(&window.start_s);
        let windows = || level.series.iter().filter(is_in);
        let most = |of: fn(&Window) -> Option<f64>| windows().filter_map(of).reduce(f64::max);
        Burst {
            is_interrupted: duration_s + WINDOW_S < planned.end,
            requests: windows().map(|window| window.requests).sum(),
            failed: windows().map(|window| window.failed).sum(),
            deliveries: windows().map(|window| window.deliveries).sum(),
            longest_ms: most(|window| window.max_ms),
            worst_p95_ms: most(|window| window.p95_ms),
        }
    };
    begun.map(burst).collect()
}

/// The part with namespaces, with the attempts to reach another namespace.
pub(super) fn tenants(level: &Level) -> Value {
    let foreign = operation(level, "multicast to another tenant");
    let checks = level.measured.checks.values();
    context! {
        foreign => foreign.count,
        checks_passed => checks.map(|check| check.passed).sum::<u64>(),
        ..multicast_figures(level)
    }
}

/// The long part, in which registrations expire.
pub(super) fn sustained(level: &Level) -> Option<Value> {
    let alive = metric(level, ALIVE)?;
    let target = level.target.as_ref();
    Some(context! {
        minutes => level.phases.duration_s / 60.0,
        registered => operation(level, "register").count,
        most_alive => alive.max,
        last_alive => alive.last,
        memory_start_mb => target.and_then(|target| target.memory_mb_start),
        memory_end_mb => target.and_then(|target| target.memory_mb_end),
        ..multicast_figures(level)
    })
}
