//! The section about deliveries: the fate of every message at every member of its audience.

use std::collections::BTreeMap;

use format::{Column, Row, Table, count, duration, estimate, estimate_in_full, part, rate_of};
use record::{Deliveries, Level, Run};
use stats::{Estimate, Histogram, estimate as estimate_of};

use super::{Block, Section, at_most, error_bound, label, marked};
use crate::words;

/// Builds tables of fates and latencies, with one row per channel and level, and lists of the reasons.
pub(crate) fn section(run: &Run) -> Option<Section> {
    let blocks = vec![
        Block::Table(table(run, &fate_columns(), fates)),
        Block::Table(table(run, &latency_columns(), latencies)),
        Block::Table(table(run, &message_columns(), per_message)),
        Block::List(reasons(run)),
        Block::List(run.levels.iter().filter_map(none_lost).collect()),
    ];
    Section::unless_empty("Deliveries", blocks)
}

fn table(
    run: &Run,
    columns: &[Column],
    cells: fn(&Level, &Deliveries) -> Vec<Option<String>>,
) -> Table {
    let mut rows: Vec<(&String, Row)> = Vec::new();
    for level in &run.levels {
        for (name, one) in &level.measured.deliveries {
            let head = vec![Some(name.clone()), Some(marked(level))];
            rows.push((name, Row::plain([head, cells(level, one)].concat())));
        }
    }
    // The sort is stable, so the levels of a channel stay in order.
    rows.sort_by_key(|&(name, _)| name);
    let head = [Column::name("channel"), Column::words("load")];
    Table::new(
        [&head, columns].concat(),
        rows.into_iter().map(|(_, row)| row).collect(),
    )
}

fn fate_columns() -> Vec<Column> {
    let titles = [
        "messages",
        "unsent",
        "expected",
        "delivered",
        "late",
        "lost",
        "cut off",
        "duplicated",
        "reordered",
        "misdelivered",
    ];
    titles.map(Column::number).to_vec()
}

fn fates(_: &Level, one: &Deliveries) -> Vec<Option<String>> {
    let cut_off = one.cut_off.count();
    vec![
        Some(count(one.messages)),
        (one.unsent > 0).then(|| count(one.unsent)),
        Some(count(one.expected)),
        Some(count(one.delivered)),
        Some(part(one.late, one.judged())),
        Some(part(one.lost_count(), one.judged())),
        (cut_off > 0).then(|| part(cut_off, one.expected)),
        Some(part(one.duplicated, one.judged())),
        Some(part(one.reordered, one.judged())),
        Some(count(one.misdelivered_count())),
    ]
}

fn latency_columns() -> Vec<Column> {
    ["rate", "latency p50", "p95", "p99", "p99.9", "max", "error"]
        .map(Column::number)
        .to_vec()
}

fn latencies(level: &Level, one: &Deliveries) -> Vec<Option<String>> {
    let at = |q| Some(estimate_in_full(one.latency_at(q), None));
    let rare = one.latency.count() >= stats::needed_samples(0.999);
    vec![
        rate_of(one.received(), level.phases.duration_s),
        at(0.5),
        at(0.95),
        at(0.99),
        rare.then(|| estimate_in_full(one.latency_at(0.999), None)),
        one.latency.max().map(duration),
        error_bound(level),
    ]
}

fn message_columns() -> Vec<Column> {
    [
        "first p50",
        "first p95",
        "median p50",
        "median p95",
        "last p50",
        "last p95",
        "last max",
        "reached whole audience",
    ]
    .map(Column::number)
    .to_vec()
}

fn per_message(_: &Level, one: &Deliveries) -> Vec<Option<String>> {
    let at = |times: &Histogram, q| {
        let estimate_of: Estimate = estimate_of(times, 0, q);
        (!times.is_empty()).then(|| estimate(estimate_of, None))
    };
    vec![
        at(&one.first, 0.5),
        at(&one.first, 0.95),
        at(&one.median, 0.5),
        at(&one.median, 0.95),
        at(&one.last, 0.5),
        at(&one.last, 0.95),
        one.last.max().map(duration),
        (one.messages > 0).then(|| part(one.whole_audience, one.messages)),
    ]
}

/// Lists why deliveries were lost, cut off or misdelivered, for each channel and level.
fn reasons(run: &Run) -> Vec<String> {
    let misdelivered = reasons_of(run, |one| {
        vec![(
            "misdelivered",
            counted(&one.misdelivered, words::misdelivered),
        )]
    });
    let all = missing(run).into_iter().chain(misdelivered);
    all.map(|(fate, why)| format!("{fate}: {why}")).collect()
}

/// Lists why deliveries were lost or cut off, as pairs of fate and reason.
pub(crate) fn missing(run: &Run) -> Vec<(&'static str, String)> {
    reasons_of(run, |one| {
        vec![
            ("lost", counted(&one.lost, words::lost)),
            ("cut off by headcount", cut_off(one)),
        ]
    })
}

/// Formats why deliveries of one channel were lost, cut off or misdelivered, one line for each fate.
pub(crate) fn reasons_of_channel(one: &Deliveries) -> Vec<String> {
    let fates = [
        ("lost", counted(&one.lost, words::lost)),
        ("cut off by headcount", cut_off(one)),
        (
            "misdelivered",
            counted(&one.misdelivered, words::misdelivered),
        ),
    ];
    let known = fates.into_iter().filter(|(_, why)| !why.is_empty());
    known.map(|(fate, why)| format!("{fate}: {why}")).collect()
}

fn reasons_of<'a>(
    run: &Run,
    fates: impl Fn(&Deliveries) -> Vec<(&'a str, String)>,
) -> Vec<(&'a str, String)> {
    let mut lines = Vec::new();
    for level in &run.levels {
        for (name, one) in &level.measured.deliveries {
            let at = label(&level.load);
            let known = fates(one).into_iter().filter(|(_, why)| !why.is_empty());
            lines.extend(known.map(|(fate, why)| (fate, format!("{name} at {at}: {why}"))));
        }
    }
    lines
}

fn counted<R: Copy>(reasons: &BTreeMap<R, u64>, words: fn(R) -> &'static str) -> String {
    let known = reasons.iter().filter(|&(_, &number)| number > 0);
    let parts: Vec<String> = known
        .map(|(&reason, &number)| format!("{} {}", count(number), words(reason)))
        .collect();
    parts.join(", ")
}

/// Formats the number of deliveries that headcount cut off, which the target might still have made.
fn cut_off(one: &Deliveries) -> String {
    let told = [
        (
            one.cut_off.iteration_failed,
            "because their iteration failed",
        ),
        (one.cut_off.iteration_ended, "because their iteration ended"),
        (one.cut_off.level_ended, "because the level ended"),
    ];
    let told = told.iter().filter(|(number, _)| *number > 0);
    let told: Vec<_> = told
        .map(|&(number, when)| format!("{} {when}", count(number)))
        .collect();
    told.join(", ")
}

/// Returns the upper bound of the loss rate for a level without losses. `None` if the level is invalid or had losses.
pub(crate) fn none_lost(level: &Level) -> Option<String> {
    let counts = none_lost_counts(level)?;
    // Deliveries of the same message are not independent, so the bound counts messages.
    let bounds = at_most(super::levels::all_deliveries(level).messages, level)?;
    Some(format!("{counts}: {bounds}"))
}

/// Returns the number of deliveries, for a level without losses. `None` if the level is invalid or had losses.
pub(crate) fn none_lost_counts(level: &Level) -> Option<String> {
    let all = super::levels::all_deliveries(level);
    if level.is_invalid() || all.lost_count() > 0 || all.judged() == 0 {
        return None;
    }
    Some(format!(
        "none of {} deliveries ({} messages) lost at {}",
        count(all.judged()),
        count(all.messages),
        label(&level.load),
    ))
}
