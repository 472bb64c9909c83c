//! Tables of named operations with their times.

use std::collections::BTreeMap;

use format::{
    Column, Row, Table, bytes, count, duration, estimate, estimate_in_full, part, rate_of,
};
use model::Nanos;
use record::{Iterations, Level, Run, Timings};
use stats::Estimate;

use super::{Block, Section, error_bound, marked};

/// Selects a level's map of one family of operations, such as requests.
pub(super) type Family = fn(&Level) -> &BTreeMap<String, Timings>;

const STEPS: &str = "Steps";
const CONDITIONS: &str = "Conditions awaited with `eventually`";

pub(super) const FAMILIES: [(&str, &str, Family); 5] = [
    ("Requests", "request", |level| &level.measured.requests),
    ("Round trips", "round trip", |level| {
        &level.measured.round_trips
    }),
    ("Connections", "connection", |level| {
        &level.measured.connections
    }),
    (STEPS, "step", |level| &level.measured.steps),
    (CONDITIONS, "eventually", |level| &level.measured.eventually),
];

/// Returns one section for each family with operations: response times with confidence intervals, service times and
/// bytes.
pub(crate) fn sections(run: &Run) -> Vec<Section> {
    let of = |&(title, _, family): &(&'static str, &str, Family)| {
        let blocks = vec![
            Block::Table(table(run, family, counts_and_response, true)),
            Block::Table(table(run, family, service_and_bytes, false)),
        ];
        let any = run
            .levels
            .iter()
            .any(|level| !family(level).is_empty() && !is_in_the_story(level, title));
        Section::unless_empty(title, blocks).filter(|_| any)
    };
    FAMILIES.iter().filter_map(of).collect()
}

/// Whether the step funnel already shows this family. Steps and conditions have their own section, except in older
/// records.
pub(super) fn is_in_the_story(level: &Level, title: &str) -> bool {
    [STEPS, CONDITIONS].contains(&title) && !level.measured.funnel.steps.is_empty()
}

type Cells = Vec<(Column, Option<String>)>;

/// Builds a table in which the levels of each name are consecutive rows. With `apart`, the operations that succeeded
/// have a row of their own if others failed.
fn table(run: &Run, family: Family, cells: fn(&Timings, f64) -> Cells, apart: bool) -> Table {
    let mut names: Vec<&String> = run
        .levels
        .iter()
        .flat_map(|level| family(level).keys())
        .collect();
    names.sort_unstable();
    names.dedup();
    let mut columns = Vec::new();
    let mut rows = Vec::new();
    for name in names {
        for level in &run.levels {
            let Some(timings) = family(level).get(name) else {
                continue;
            };
            let mut add = |timings: &Timings, load: String| {
                let (titles, figures): (Vec<_>, Vec<_>) =
                    cells(timings, level.phases.duration_s).into_iter().unzip();
                let head = vec![Column::name("name"), Column::words("load")];
                columns = [head, titles, vec![Column::number("error")]].concat();
                let head = vec![Some(name.clone()), Some(load)];
                rows.push(Row::plain(
                    [head, figures, vec![error_bound(level)]].concat(),
                ));
            };
            add(timings, marked(level));
            if let Some(succeeded) = succeeded_apart(timings).filter(|_| apart) {
                add(&succeeded, format!("{}: succeeded", marked(level)));
            }
        }
    }
    Table::new(columns, rows)
}

/// The operations that succeeded, if others failed. The times of all together then describe neither.
pub(super) fn succeeded_apart(timings: &Timings) -> Option<Timings> {
    let partly = timings.is_partly_failed();
    partly.then(|| timings.succeeded()).flatten()
}

fn counts_and_response(timings: &Timings, duration_s: f64) -> Cells {
    let at = |q| Some(estimate_in_full(timings.response_at(q), timings.timeout));
    vec![
        (Column::number("ended"), Some(count(timings.count))),
        (Column::number("rate"), rate_of(timings.count, duration_s)),
        (
            Column::number("failed"),
            Some(part(timings.failed, timings.count)),
        ),
        (Column::number("timed out"), timed_out(timings)),
        (
            Column::number("unfinished"),
            (timings.unfinished > 0).then(|| count(timings.unfinished)),
        ),
        (Column::number("response p50"), at(0.5)),
        (Column::number("p95"), at(0.95)),
        (Column::number("p99"), at(0.99)),
        (Column::number("p99.9"), stated(timings, 0.999)),
        (Column::number("max"), longest(timings)),
    ]
}

fn service_and_bytes(timings: &Timings, _hold_s: f64) -> Cells {
    let at = |q| Some(estimate(timings.service_at(q), timings.timeout));
    let measured = |bytes_moved: u64| (bytes_moved > 0).then(|| bytes(bytes_moved));
    vec![
        (Column::number("service p50"), at(0.5)),
        (Column::number("p95"), at(0.95)),
        (Column::number("p99"), at(0.99)),
        (Column::number("mean"), timings.service.mean().map(duration)),
        (Column::number("received"), measured(timings.bytes_in)),
        (Column::number("sent"), measured(timings.bytes_out)),
    ]
}

fn timed_out(timings: &Timings) -> Option<String> {
    let limit = timings
        .timeout
        .map_or_else(String::new, |limit| format!(" (> {limit})"));
    (timings.timed_out > 0).then(|| format!("{}{limit}", count(timings.timed_out)))
}

/// Formats a high percentile. `None` if there are too few samples.
fn stated(timings: &Timings, q: f64) -> Option<String> {
    match timings.response_at(q) {
        Estimate::Unavailable { .. } => None,
        stated => Some(estimate_in_full(stated, timings.timeout)),
    }
}

/// Formats the longest time. If it is unknown, formats the timeout or age that it exceeds.
pub(crate) fn longest(timings: &Timings) -> Option<String> {
    match timings.longest_exceeds() {
        Some(limit) if timings.timeout == Some(limit) => Some(format!("> {limit}")),
        Some(age) => Some(format!("> {}", duration(age))),
        None => timings.longest().map(duration),
    }
}

/// Ranks a name by its 95th percentile in seconds. With too few samples, the longest time decides.
pub(super) fn slow_s(p95: Estimate, longest: Option<Nanos>) -> f64 {
    match p95 {
        Estimate::Value { value, .. } => value.as_secs_f64(),
        Estimate::Beyond { .. } => f64::from(u32::MAX),
        Estimate::Unavailable { .. } => longest.map_or(0.0, Nanos::as_secs_f64),
    }
}

/// Formats the longest time of an iteration. If it is unknown, formats the timeout or age that it exceeds.
pub(crate) fn longest_iteration(iterations: &Iterations) -> Option<String> {
    match iterations.longest_exceeds() {
        Some(age) => Some(format!("> {}", duration(age))),
        None => iterations.longest().map(duration),
    }
}
