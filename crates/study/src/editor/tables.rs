//! The tables of the editor study.

use record::Level;

use super::field::{EDITOR, FieldRow, NoServer};
use super::figures::{
    converged, cpu_each_us, kb_per_user, late_test, levels, reported_count, reported_mean, test,
    truth,
};
use super::parts::Parts;
use crate::figures::{cpu, deliveries, memory, millis, millis_of, remark, validity};
use crate::table::Table;
use format::whole;

pub(super) fn rooms_in_full(parts: &Parts<'_>) -> Table {
    rooms(parts, in_short)
}

pub(super) fn rooms_in_short(parts: &Parts<'_>) -> Table {
    rooms(parts, in_plain)
}

pub(super) fn documents_in_full(parts: &Parts<'_>) -> Table {
    documents(parts, validity)
}

pub(super) fn documents_in_short(parts: &Parts<'_>) -> Table {
    documents(parts, remark)
}

/// The report's tests next to ours, on the server without faults and, for those that were run there, on the late
/// server.
pub(super) fn tests(parts: &Parts<'_>) -> Table {
    let mut rows = Vec::new();
    for field in &EDITOR {
        rows.push(test_row(field, test(parts, field.test), "a healthy server"));
        if let Some(level) = late_test(parts, field.test) {
            rows.push(test_row(field, Some(level), "a server one second late"));
        }
    }
    Table::new(
        &[
            "test",
            "users",
            "rooms",
            "report: mean",
            "p95",
            "verdict",
            "without a server: mean",
            "report's definition, measured here: mean",
            "n",
            "true p50",
            "p95",
            "p99",
            "lost",
            "on",
        ],
        rows,
    )
}

fn test_row(field: &FieldRow, level: Option<&Level>, server: &str) -> Vec<String> {
    let none = NoServer::of(field.users, field.rooms);
    let mut cells = vec![
        field.test.to_string(),
        field.users.to_string(),
        field.rooms.to_string(),
        format!("{:.0}", field.mean_ms),
        format!("{:.0}", field.p95_ms),
        field.verdict.to_owned(),
        none.map_or("no data".to_owned(), |none| format!("{:.0}", none.mean_ms)),
    ];
    let Some(level) = level else {
        cells.resize(13, String::new());
        cells.push("not measured".to_owned());
        return cells;
    };
    cells.extend([
        reported_mean(level),
        reported_count(level).to_string(),
        truth(level, 0.5),
        truth(level, 0.95),
        truth(level, 0.99),
        deliveries(level).lost_count().to_string(),
        server.to_owned(),
    ]);
    cells
}

/// The validity of a level, for a Markdown cell. The causes are listed below the table.
fn in_short(level: &Level) -> String {
    if level.is_invalid() { "**no**" } else { "yes" }.to_owned()
}

/// The validity of a level, for a terminal.
fn in_plain(level: &Level) -> String {
    if level.is_invalid() { "NO" } else { "yes" }.to_owned()
}

fn rooms(parts: &Parts<'_>, last: fn(&Level) -> String) -> Table {
    let rows = parts.in_rooms().into_iter().flat_map(|(size, run)| {
        let rows = levels(run).map(move |level| room_row(parts, size, level, last));
        rows.collect::<Vec<_>>()
    });
    Table::new(
        &[
            "room of",
            "users",
            "expected",
            "delivered",
            "lost",
            "dup.",
            "misdelivered",
            "p50",
            "p95",
            "p99",
            "max ms",
            "last p95",
            "CPU",
            "CPU µs each",
            "KB/user",
            "converged",
            "valid",
        ],
        rows.collect(),
    )
}

fn room_row(
    parts: &Parts<'_>,
    size: u64,
    level: &Level,
    last: fn(&Level) -> String,
) -> Vec<String> {
    let all = deliveries(level);
    let mut cells = vec![size.to_string(), whole(level.load.users as f64)];
    cells.extend(fates(level));
    cells.extend([
        millis(stats::estimate(&all.last, 0, 0.95)),
        cpu(level),
        amount(cpu_each_us(level), 1),
        amount(kb_per_user(parts, level), 1),
        agreement(level),
        last(level),
    ]);
    cells
}

/// The fates of a level's deliveries, from the expected number to the longest time.
fn fates(level: &Level) -> [String; 9] {
    let all = deliveries(level);
    [
        whole(all.expected as f64),
        whole(all.delivered as f64),
        whole(all.lost_count() as f64),
        whole(all.duplicated as f64),
        whole(all.misdelivered_count() as f64),
        millis(all.latency_at(0.5)),
        millis(all.latency_at(0.95)),
        millis(all.latency_at(0.99)),
        millis_of(all.latency.max()),
    ]
}

fn documents(parts: &Parts<'_>, last: fn(&Level) -> String) -> Table {
    let runs = [("whole text", parts.whole), ("CRDT", parts.crdt)];
    let rows = runs.into_iter().flat_map(|(how, run)| {
        let sized = ["2", "50"].into_iter().zip(levels(run));
        let rows = sized.map(|(size, level)| document_row(how, size, level, last));
        rows.collect::<Vec<_>>()
    });
    Table::new(
        &[
            "edits by",
            "KB",
            "expected",
            "delivered",
            "lost",
            "dup.",
            "misdelivered",
            "p50",
            "p95",
            "p99",
            "max ms",
            "CPU",
            "CPU µs each",
            "memory MB",
            "converged",
            "",
        ],
        rows.collect(),
    )
}

fn document_row(how: &str, size: &str, level: &Level, last: fn(&Level) -> String) -> Vec<String> {
    let mut cells = vec![how.to_owned(), size.to_owned()];
    cells.extend(fates(level));
    cells.extend([
        cpu(level),
        amount(cpu_each_us(level), 1),
        amount(memory(level), 1),
        agreement(level),
        last(level),
    ]);
    cells
}

fn agreement(level: &Level) -> String {
    let (same, all) = converged(level);
    format!("{}/{}", whole(same as f64), whole(all as f64))
}

fn amount(value: Option<f64>, digits: usize) -> String {
    value.map_or("n/a".to_owned(), |value| format!("{value:.digits$}"))
}
