//! The report of the editor study, for a terminal and as Markdown.

use std::fmt::Write as _; // writing to a String cannot fail

use record::{Level, Run};

use super::field::{EDITOR, FieldRow, NoServer};
use super::figures::{
    ceiling, ceiling_in_words, climb, converged, cpu_each_us, kb_per_user, late_test, levels,
    reported_count, reported_mean, test, truth,
};
use super::{Parts, evidence};
use crate::figures::{deliveries, millis, millis_of, whole};
use crate::table::Table;
use crate::telling::{chapter, claims, cpu, delivered, environment, memory, remark, sound};

pub(super) fn headline(parts: &Parts<'_>) -> String {
    let mut text = "The field report: \"latency cliff at 50 users\" (767 ms), capacity 25–30, 1,000 users only after a \
                    complete rewrite."
        .to_owned();
    if let Some(level) = test(parts, 3) {
        let _ = write!(
            text,
            " Its third test here, with every delivery tracked: p50 {} ms, p95 {} ms, {} lost; the report's \"latency\" \
             of the same run is {} ms.",
            truth(level, 0.5),
            truth(level, 0.95),
            deliveries(level).lost_count(),
            reported_mean(level)
        );
    }
    if let (Some(few), Some(many)) = (late_test(parts, 1), late_test(parts, 3)) {
        let _ = write!(
            text,
            " For a server that is one second late (true p50 {} ms) it shows {} ms, and with 10 users {}: \"0 ms, \
             EXCELLENT\".",
            truth(many, 0.5),
            reported_mean(many),
            reported_mean(few)
        );
    }
    if let (Some(level), _) = ceiling(climb(parts)) {
        let own = kb_per_user(parts, level);
        let _ = write!(
            text,
            " {} users in rooms of 5 at its pace: {}, {} of {} rooms converged, {} of a core, {} KB per user.",
            whole(level.load.users as f64),
            delivered(level, "deliveries"),
            whole(converged(level).0 as f64),
            whole(level.load.groups as f64),
            cpu(level),
            own.map_or("n/a".to_owned(), |own| format!("{own:.1}"))
        );
    }
    text
}

pub(super) fn terminal(parts: &Parts<'_>) -> String {
    format!(
        "{}\n\nCompared with the field report: its \"latency\" and the true one (ms)\n{}\n\
         At its pace: an edit every 2 s, a caret every 0.5 s (ms; last: until the whole room had received it; KB/user: \
         compared with 100 users)\n{}\n{}\n\n\
         Documents of a realistic size, 100 users in rooms of 5, an edit every 2 s\n{}\n{}",
        headline(parts),
        beside(parts).terminal(),
        rooms(parts, in_plain).terminal(),
        ceiling_in_words(parts),
        documents(parts, remark).terminal(),
        claims(&evidence::all(parts))
    )
}

pub(super) fn markdown(parts: &Parts<'_>) -> String {
    let mut text = format!(
        "# The editor, measured again\n\n{}\n\n\
 The field report (\"Load Testing Results - Collaborative Code Editor\", 30 October 2025) tested a Node server with \
 Socket.IO. This study runs its tests on headcount's own editor, which uses the same events. The comparison is about \
 the method.\n\n\
 ## The report's four tests\n\nA new user joins a random room every 101.4 ms, and then sends an edit every 2 s and a \
 caret every 0.5 s. The report's \"latency\" is taken whenever somebody joins a room: the time since each member's own \
 last edit. The column \"without a server\" is computed from that definition and the report's pace alone, for a server \
 that responds immediately. Deliveries are tracked for 6 s after all users have joined.\n\n",
        headline(parts)
    );
    text.push_str(&beside(parts).markdown());
    text.push_str(
        "\nn: the number of values behind the mean. No data is not 0.\n\n## Rooms at the report's pace\n\n\
         Thresholds: p95 below 20 ms, nothing lost, duplicated or misdelivered; in the end all members of a room have the \
         same text.\n\n",
    );
    text.push_str(&rooms(parts, in_short).markdown());
    text.push_str(&doubts(parts));
    let _ = write!(
        text,
        "\n`last`: the time until the last member of a message's audience received it. KB/user: the server's additional \
         memory compared with 100 users, per additional user.\n\n{}\n\n## Documents of a realistic size\n\nWith whole \
         documents, an edit sends the complete text to everybody, as in the original. With the CRDT, it sends the change, as a \
         Yjs update. The server stores the same CRDT for both. Convergence with the CRDT: in the end each member requests the \
         complete state, which must contain every line that the member typed.\n\n",
        ceiling_in_words(parts)
    );
    text.push_str(&documents(parts, sound).markdown());
    text.push('\n');
    text.push_str(&chapter(&evidence::all(parts)));
    let runs = [parts.report, parts.late, parts.rooms, parts.crowd];
    text.push_str(&environment(runs.into_iter().flatten().next(), "editor"));
    text
}

/// The report's tests beside ours, on the healthy server and, if they were run on it, on the late one.
fn beside(parts: &Parts<'_>) -> Table {
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
            "its definition here: mean",
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

/// The runs in rooms, with the number of members per room.
fn in_rooms<'a>(parts: &Parts<'a>) -> [(u64, Option<&'a Run>); 5] {
    [
        (5, parts.rooms),
        (5, parts.crowd),
        (5, parts.beyond),
        (10, parts.tens),
        (50, parts.fifty),
    ]
}

/// The validity in a Markdown cell. The causes are listed below the table.
fn in_short(level: &Level) -> String {
    if level.is_invalid() { "**no**" } else { "yes" }.to_owned()
}

/// The same for a terminal.
fn in_plain(level: &Level) -> String {
    if level.is_invalid() { "NO" } else { "yes" }.to_owned()
}

/// The causes of invalid levels, as a list; empty if all levels are valid.
fn doubts(parts: &Parts<'_>) -> String {
    let mut text = String::new();
    for (size, run) in in_rooms(parts) {
        for level in levels(run).filter(|level| level.is_invalid()) {
            let _ = writeln!(
                text,
                "- {} users in rooms of {size}: {}.",
                whole(level.load.users as f64),
                report::invalid_because(level).join("; ")
            );
        }
    }
    if text.is_empty() {
        text
    } else {
        format!("\nInvalid levels, whose figures do not show the limits of the server:\n\n{text}")
    }
}

fn rooms(parts: &Parts<'_>, last: fn(&Level) -> String) -> Table {
    let rows = in_rooms(parts).into_iter().flat_map(|(size, run)| {
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
