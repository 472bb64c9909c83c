//! The tables of the bridge study.

use minijinja::value::Value;
use record::{Level, Run};

use super::field::{BRIDGE, FieldRow};
use super::parts::Parts;
use crate::figures::{
    cpu, deliveries, level_at, memory, millis, millis_of, per_s, remark, requests, validity,
};
use crate::table::Table;
use format::whole;

/// Remark for a level in which the generator was the limit. The system can do more.
const LOWER_BOUND: &str = "lower bound: the generator was the limit";

pub(super) fn requests_in_short(parts: &Parts<'_>) -> Value {
    let rows = BRIDGE.iter().map(|field| http_line(field, parts.http));
    Table::new(
        &[
            "users",
            "their msg/s",
            "p50 ms",
            "p99 ms",
            "our msg/s",
            "p50 ms",
            "p99 ms",
            "errors",
            "CPU of the bridge",
            "",
        ],
        rows.collect(),
    )
    .into()
}

pub(super) fn requests_in_full(parts: &Parts<'_>) -> Value {
    let rows = BRIDGE.iter().map(|field| http_row(field, parts.http));
    Table::new(
        &[
            "users",
            "report: msg/s",
            "p50",
            "p95",
            "p99 ms",
            "ours: msg/s",
            "p50",
            "p95",
            "p99",
            "max ms",
            "failed",
            "CPU bridge",
            "busiest worker",
            "valid",
        ],
        rows.collect(),
    )
    .into()
}

pub(super) fn rooms_in_short(parts: &Parts<'_>) -> Value {
    let rows = levels(parts.rooms).map(room_line);
    Table::new(
        &[
            "users",
            "expected",
            "delivered",
            "lost",
            "dup.",
            "misdelivered",
            "p50 ms",
            "p95 ms",
            "p99 ms",
            "last p95 ms",
            "CPU",
            "",
        ],
        rows.collect(),
    )
    .into()
}

pub(super) fn rooms_in_full(parts: &Parts<'_>) -> Value {
    let rows = levels(parts.rooms).map(room_row);
    Table::new(
        &[
            "users",
            "messages",
            "deliveries expected",
            "delivered",
            "late",
            "lost",
            "duplicated",
            "reordered",
            "misdelivered",
            "p50",
            "p95",
            "p99",
            "max",
            "last p95 ms",
            "CPU bridge",
            "memory MB",
            "valid",
        ],
        rows.collect(),
    )
    .into()
}

fn levels(run: Option<&Run>) -> impl Iterator<Item = &Level> {
    run.into_iter().flat_map(|run| &run.levels)
}

fn http_line(field: &FieldRow, run: Option<&Run>) -> Vec<String> {
    let mut cells = vec![
        field.users.to_string(),
        whole(field.per_s),
        format!("{:.2}", field.p50_ms),
        format!("{:.2}", field.p99_ms),
    ];
    let Some(level) = run.and_then(|run| level_at(run, field.users)) else {
        return cells;
    };
    let all = requests(level);
    cells.extend([
        whole(per_s(level)),
        millis(all.response_at(0.5)),
        millis(all.response_at(0.99)),
        all.failed.to_string(),
        cpu(level),
    ]);
    if level.is_invalid() {
        cells.push(LOWER_BOUND.to_owned());
    }
    cells
}

fn room_line(level: &Level) -> Vec<String> {
    let all = deliveries(level);
    vec![
        whole(level.load.users as f64),
        whole(all.expected as f64),
        whole(all.delivered as f64),
        all.lost_count().to_string(),
        all.duplicated.to_string(),
        all.misdelivered_count().to_string(),
        millis(all.latency_at(0.5)),
        millis(all.latency_at(0.95)),
        millis(all.latency_at(0.99)),
        millis(stats::estimate(&all.last, 0, 0.95)),
        cpu(level),
        remark(level),
    ]
}

fn http_row(field: &FieldRow, run: Option<&Run>) -> Vec<String> {
    let optional =
        |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.2}"));
    let mut cells = vec![
        field.users.to_string(),
        whole(field.per_s),
        format!("{:.2}", field.p50_ms),
        optional(field.p95_ms),
        format!("{:.2}", field.p99_ms),
    ];
    let Some(level) = run.and_then(|run| level_at(run, field.users)) else {
        cells.push("not measured".to_owned());
        cells.resize(14, String::new());
        return cells;
    };
    let all = requests(level);
    let busiest = level.generator.busiest_worker_percent;
    let validity_cell = if level.is_invalid() {
        LOWER_BOUND
    } else {
        "yes"
    };
    cells.extend([
        whole(per_s(level)),
        millis(all.response_at(0.5)),
        millis(all.response_at(0.95)),
        millis(all.response_at(0.99)),
        millis_of(all.longest()),
        all.failed.to_string(),
        cpu(level),
        busiest.map_or("n/a".to_owned(), |busy| format!("{busy:.0} %")),
        validity_cell.to_owned(),
    ]);
    cells
}

fn room_row(level: &Level) -> Vec<String> {
    let all = deliveries(level);
    vec![
        whole(level.load.users as f64),
        whole(all.messages as f64),
        whole(all.expected as f64),
        whole(all.delivered as f64),
        all.late.to_string(),
        all.lost_count().to_string(),
        all.duplicated.to_string(),
        all.reordered.to_string(),
        all.misdelivered_count().to_string(),
        millis(all.latency_at(0.5)),
        millis(all.latency_at(0.95)),
        millis(all.latency_at(0.99)),
        millis_of(all.latency.max()),
        millis(stats::estimate(&all.last, 0, 0.95)),
        cpu(level),
        memory(level).map_or("n/a".to_owned(), |memory| format!("{memory:.1}")),
        validity(level),
    ]
}
