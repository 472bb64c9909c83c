//! Figures and formats that all studies use.

use format::NOT_AVAILABLE;
use minijinja::context;
use minijinja::value::Value;
use model::Nanos;
use record::{Deliveries, Level, Run, Timings};
use stats::Estimate;

/// Formats a percentile in milliseconds, without the unit. `n/a` if there is none.
pub(crate) fn millis(estimate: Estimate) -> String {
    millis_of(estimate.value())
}

/// Formats a time in milliseconds, without the unit. `n/a` if there is none.
pub(crate) fn millis_of(value: Option<Nanos>) -> String {
    value.map_or(NOT_AVAILABLE.to_owned(), |value| {
        format::number(value.as_millis_f64())
    })
}

/// Merges all requests of a level.
pub(crate) fn requests(level: &Level) -> Timings {
    level
        .measured
        .requests
        .values()
        .fold(Timings::default(), |mut all, one| {
            all.merge(one);
            all
        })
}

/// Merges all deliveries of a level.
pub(crate) fn deliveries(level: &Level) -> Deliveries {
    level
        .measured
        .deliveries
        .values()
        .fold(Deliveries::default(), |mut all, one| {
            all.merge(one);
            all
        })
}

/// Requests per second of the measured time.
pub(crate) fn per_s(level: &Level) -> f64 {
    if level.phases.duration_s > 0.0 {
        requests(level).count as f64 / level.phases.duration_s
    } else {
        0.0
    }
}

pub(crate) fn level_at(run: &Run, users: u64) -> Option<&Level> {
    run.levels.iter().find(|level| level.load.users == users)
}

pub(crate) fn levels_at(run: &Run, users: u64) -> impl Iterator<Item = &Level> {
    run.levels
        .iter()
        .filter(move |level| level.load.users == users)
}

/// Returns the smallest and the largest value. `None` without values.
pub(crate) fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |range, value| match range {
        None => Some((value, value)),
        Some((low, high)) => Some((low.min(value), high.max(value))),
    })
}

/// Formats the CPU use of the system.
pub(crate) fn cpu(level: &Level) -> String {
    let percent = level.target.as_ref().and_then(|target| target.cpu_percent);
    percent.map_or("n/a".to_owned(), |percent| format!("{percent:.0} %"))
}

/// Returns the system's peak memory, in MB.
pub(crate) fn memory(level: &Level) -> Option<f64> {
    level.target.as_ref()?.memory_mb_max
}

/// Formats the validity of a level for a table cell, with the first event that made it invalid.
pub(crate) fn validity(level: &Level) -> String {
    if level.is_invalid() {
        format!("INVALID: {}", report::invalid_event(level))
    } else {
        "yes".to_owned()
    }
}

/// Formats the remark in the last column of a terminal's table.
pub(crate) fn remark(level: &Level) -> String {
    let remark = if level.is_invalid() {
        "(INVALID: the generator was the limit)"
    } else {
        ""
    };
    remark.to_owned()
}

/// Returns by how many percent the second figure exceeds the first.
pub(crate) fn percent_more(from: f64, to: f64) -> f64 {
    (to / from - 1.0) * 100.0
}

/// The fates of deliveries, and the percentiles of their latency.
pub(crate) fn delivery_figures(all: &Deliveries) -> Value {
    context! {
        messages => all.messages,
        expected => all.expected,
        delivered => all.delivered,
        received => all.received(),
        late => all.late,
        lost => all.lost_count(),
        duplicated => all.duplicated,
        reordered => all.reordered,
        misdelivered => all.misdelivered_count(),
        p50_ms => millis(all.latency_at(0.5)),
        p95_ms => millis(all.latency_at(0.95)),
        p99_ms => millis(all.latency_at(0.99)),
    }
}

/// The figures of a level, keyed by the names that the templates use. `response_…` are figures of requests; `p50_ms` to
/// `p99_ms` are figures of deliveries.
pub(crate) fn level_figures(level: &Level) -> Value {
    let all = requests(level);
    let thread = level
        .target
        .as_ref()
        .and_then(|target| target.busiest_thread.as_ref());
    context! {
        users => level.load.users,
        groups => level.load.groups,
        valid => !level.is_invalid(),
        requests => all.count,
        failed => all.failed,
        failure_bound_percent => stats::zero_failures_bound(all.count).map(|bound| bound * 100.0),
        requests_per_s => per_s(level),
        response_mean_ms => all.response.mean().map(Nanos::as_millis_f64),
        response_p95_ms => millis(all.response_at(0.95)),
        response_p99_ms => millis(all.response_at(0.99)),
        cpu => cpu(level),
        memory_mb => memory(level),
        busiest_thread_percent => thread.map(|thread| thread.cpu_percent),
        generator_percent => level.generator.busiest_worker_percent,
        ..delivery_figures(&deliveries(level))
    }
}

/// The machine, versions and seed, which are the same in all runs of a study.
pub(crate) fn environment(run: Option<&Run>) -> Option<Value> {
    let run = run?;
    let machine = &run.machine;
    Some(context! {
        cpu => machine.cpu.as_deref(),
        cores => machine.cores,
        memory_mb => machine.memory_mb.map(|memory| memory.to_string()),
        kernel => machine.kernel.as_deref(),
        tool => run.tool.as_str(),
        seed => run.seed.to_string(),
        started_at => run.started_at.clone(),
    })
}

/// The memory of an open WebSocket session, computed from two levels.
pub(crate) fn session_figures(run: &Run) -> Option<Value> {
    let (few, many) = (run.levels.first()?, run.levels.last()?);
    let users = many
        .load
        .users
        .checked_sub(few.load.users)
        .filter(|&users| users > 0)?;
    let (few_mb, many_mb) = (memory(few)?, memory(many)?);
    Some(context! {
        few => few.load.users,
        many => many.load.users,
        all_open => many.measured.iterations.succeeded == many.load.groups,
        few_mb,
        many_mb,
        kb_each => (many_mb - few_mb) * 1000.0 / users as f64,
    })
}
