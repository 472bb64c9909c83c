//! The report of the bridge study, for a terminal and as Markdown.

use std::fmt::Write as _; // writing to a String cannot fail

use record::{Level, Run};

use super::field::{BRIDGE, FieldRow};
use super::{Parts, evidence};
use crate::story::{deliveries, level_at, millis, millis_of, per_s, requests, session_cost, whole};
use crate::table::Table;
use crate::telling::{
    chapter, claims, cpu, delivered, environment, memory, remark, sound, unsound,
};

fn headline(parts: &Parts<'_>) -> String {
    let top = parts.http.and_then(|run| level_at(run, 20));
    let crowd = parts.rooms.and_then(|run| run.levels.last());
    let mut text = String::new();
    if let Some(level) = top {
        let field = BRIDGE[2].per_s;
        let _ = write!(
            text,
            "20 users without a pause: {}{} messages/s, p99 {} ms — the field report's server reached {} (a factor of {:.1}).",
            at_least(level),
            whole(per_s(level)),
            millis(requests(level).response_at(0.99)),
            whole(field),
            per_s(level) / field
        );
    }
    if let Some(level) = crowd {
        let _ = write!(
            text,
            " {} users at human pace: {}{}.",
            whole(level.load.users as f64),
            delivered(level, "deliveries"),
            unsound(level)
        );
    }
    text.trim_start().to_owned()
}

/// If the generator was the limit, the system can do more, so the figure is a lower bound.
fn at_least(level: &Level) -> &'static str {
    if level.is_invalid() { "at least " } else { "" }
}

pub(super) fn terminal(parts: &Parts<'_>) -> String {
    let beside = Table::new(
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
        BRIDGE
            .iter()
            .map(|field| http_line(field, parts.http))
            .collect(),
    );
    let rooms = Table::new(
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
        levels(parts.rooms).map(room_line).collect(),
    );
    let mut text = format!(
        "{}\n\nCompared with the field report (requests without a pause)\n{}\n\
         The same rooms over WebSocket, each user sends every 5 s (deliveries)\n{}",
        headline(parts),
        beside.terminal(),
        rooms.terminal()
    );
    if let Some(line) = parts.crowd.and_then(session_cost) {
        let _ = write!(text, "\n{line}\n");
    }
    text.push('\n');
    text.push_str(&claims(&evidence::all(parts)));
    text
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
        cells.push("lower bound: the generator was the limit".to_owned());
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

pub(super) fn markdown(parts: &Parts<'_>) -> String {
    let mut text = format!("# The bridge, measured again\n\n{}\n\n", headline(parts));
    text.push_str(
        "The field report (\"Stress Test Results: 10 and 20 Concurrent Users\", 13 April 2026) tested a Python \
         server that is not public. This study runs its workload on headcount's own bridge, which was built from \
         the report. The tables show the figures of both side by side, but these are different servers: the \
         comparison is about the method.\n\n",
    );
    text.push_str("## The report's workload: messages without a pause\n\n");
    text.push_str(&http(parts).markdown());
    text.push_str(
        "\nOurs: 10 s after 2 s of warm-up, no sessions left before each level, generator and bridge on one machine. \
         Users without a pause drive generator and bridge to their limits. If the generator reached its limit \
         first, the throughput is a lower bound for the bridge, and the times are upper bounds. \
         Throughput and response time are the same measurement \
         (see B-X2).\n\n",
    );
    text.push_str("## The same rooms over WebSocket, at human pace\n\nEach user sends a message every 5 s, which \
         everyone in the room receives: five rooms, 15 s per level.\n\n");
    let rooms = Table::new(
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
        levels(parts.rooms).map(room_row).collect(),
    );
    text.push_str(&rooms.markdown());
    text.push_str("\n`n/a`: too few samples for that percentile. `last`: the time until the last member of a message's \
         audience received it.\n\n");
    if let Some(line) = parts.crowd.and_then(session_cost) {
        let _ = write!(text, "## Ten thousand sessions\n\n{line}\n\n");
    }
    text.push_str(&chapter(&evidence::all(parts)));
    let runs = [parts.short, parts.http, parts.rooms, parts.crowd];
    text.push_str(&environment(runs.into_iter().flatten().next(), "bridge"));
    text
}

fn http(parts: &Parts<'_>) -> Table {
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
        BRIDGE
            .iter()
            .map(|field| http_row(field, parts.http))
            .collect(),
    )
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
    let soundness = if !level.is_invalid() {
        "yes"
    } else {
        "lower bound: the generator was the limit"
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
        soundness.to_owned(),
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
        sound(level),
    ]
}
