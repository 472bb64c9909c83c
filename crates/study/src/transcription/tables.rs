//! The tables of the transcription study.

use format::{NOT_AVAILABLE, whole};
use minijinja::value::Value;
use record::{Level, Run, Timings};

use super::field::{FieldTarget, FieldTest, TARGETS, TESTS};
use super::measured::{chunks, kb_each, per_s, recordings, round_trips, streams};
use super::parts::Parts;
use crate::figures::{cpu, level_at, memory, millis, remark, validity};
use crate::table::Table;

/// Cells of our figures in the table of the report's tests.
const OURS: usize = 5;
/// Live streams of the level that is compared with the report's targets.
const MANY: u64 = 1000;
const NOT_MEASURED: &str = "not measured";

pub(super) fn report_in_short(parts: &Parts<'_>) -> Value {
    let rows = TESTS.iter().map(|test| {
        let mut cells = theirs(test);
        cells.extend(ours(test, parts.report));
        cells
    });
    Table::new(
        &[
            "users",
            "their chunks/s",
            "p99 ms",
            "REST p99",
            "our chunks/s",
            "p99 ms",
            "REST p99",
            "failed",
            "CPU",
        ],
        rows.collect(),
    )
    .into()
}

pub(super) fn report_in_full(parts: &Parts<'_>) -> Value {
    let rows = TESTS.iter().map(|test| {
        let mut cells = theirs(test);
        cells.extend(ours(test, parts.report));
        let level = parts.report.and_then(|run| level_at(run, test.users));
        cells.push(level.map_or(String::new(), validity));
        cells
    });
    Table::new(
        &[
            "users",
            "report: chunks/s",
            "chunk p99 ms",
            "REST p99 ms",
            "ours: chunks/s",
            "chunk p99 ms",
            "REST p99 ms",
            "failed",
            "CPU service",
            "valid",
        ],
        rows.collect(),
    )
    .into()
}

pub(super) fn live_in_short(parts: &Parts<'_>) -> Value {
    let rows = parts.live_levels().map(|level| {
        let mut cells = live(level);
        cells.push(remark(level));
        cells
    });
    Table::new(
        &[
            "users",
            "chunks/s",
            "chunk p50 ms",
            "p99 ms",
            "rtf p5",
            "lag p95 ms",
            "final p95 ms",
            "REST p99 ms",
            "unanswered",
            "CPU",
            "",
        ],
        rows.collect(),
    )
    .into()
}

pub(super) fn live_in_full(parts: &Parts<'_>) -> Value {
    let rows = parts.live_levels().map(|level| {
        let mut cells = live(level);
        cells.push(memory(level).map_or(NOT_AVAILABLE.to_owned(), |memory| format!("{memory:.1}")));
        cells.push(validity(level));
        cells
    });
    Table::new(
        &[
            "users",
            "chunks/s",
            "chunk p50 ms",
            "chunk p99 ms",
            "real-time factor p5",
            "lag p95 ms",
            "final p95 ms",
            "REST p99 ms",
            "unanswered",
            "CPU service",
            "memory MB",
            "valid",
        ],
        rows.collect(),
    )
    .into()
}

/// The targets of the report, and what it and this study found.
pub(super) fn targets(parts: &Parts<'_>) -> Value {
    let many = parts.live.and_then(|run| level_at(run, MANY));
    let hour = parts.hour.and_then(|run| run.levels.first());
    let start_up = parts.start_up;
    let ours = [
        found(many, |level| {
            let factor = real_time_factor(level);
            format!(
                "{} streams, real-time factor {factor} (p5)",
                whole(MANY as f64)
            )
        }),
        found(many, |level| p99(&round_trips(level))),
        found(many, |level| p99(&recordings(level))),
        found(hour, |level| {
            kb_each(level).map_or(NOT_AVAILABLE.to_owned(), |kb| format!("{kb:.0} kB"))
        }),
        start_up.map_or(NOT_MEASURED.to_owned(), |time| {
            format!("{:.0} ms", time.as_secs_f64() * 1e3)
        }),
    ];
    let row = |(target, ours): (&FieldTarget, String)| {
        vec![target.name.to_owned(), target.found.to_owned(), ours]
    };
    let rows = TARGETS.iter().zip(ours).map(row);
    Table::new(&["target", "field report", "here"], rows.collect()).into()
}

/// A figure of a level, if it was measured.
fn found(level: Option<&Level>, figure: impl Fn(&Level) -> String) -> String {
    let found = level.map(|level| figure(level) + doubt(level));
    found.unwrap_or_else(|| NOT_MEASURED.to_owned())
}

fn p99(timings: &Timings) -> String {
    format!("{} ms", millis(timings.response_at(0.99)))
}

/// The factor that 95 % of the streams reach.
fn real_time_factor(level: &Level) -> String {
    let factor = streams(level).real_time_factor.quantile(0.05);
    factor.map_or(NOT_AVAILABLE.to_owned(), |factor| format!("{factor:.3}"))
}

fn doubt(level: &Level) -> &'static str {
    if level.is_invalid() { " (INVALID)" } else { "" }
}

fn theirs(test: &FieldTest) -> Vec<String> {
    vec![
        test.users.to_string(),
        whole(test.chunks_per_s),
        whole(test.chunk_p99_ms),
        whole(test.rest_p99_ms),
    ]
}

fn ours(test: &FieldTest, run: Option<&Run>) -> Vec<String> {
    let Some(level) = run.and_then(|run| level_at(run, test.users)) else {
        let mut cells = vec![String::new(); OURS];
        NOT_MEASURED.clone_into(&mut cells[0]);
        return cells;
    };
    let (chunks, recordings) = (chunks(level), recordings(level));
    vec![
        whole(per_s(level, &chunks)),
        millis(chunks.response_at(0.99)),
        millis(recordings.response_at(0.99)),
        (chunks.failed + recordings.failed).to_string(),
        cpu(level),
    ]
}

fn live(level: &Level) -> Vec<String> {
    let (streams, round_trips) = (streams(level), round_trips(level));
    vec![
        whole(level.load.users as f64),
        whole(per_s(level, &round_trips)),
        millis(round_trips.response_at(0.5)),
        millis(round_trips.response_at(0.99)),
        real_time_factor(level),
        millis(streams.lag.response_at(0.95)),
        millis(streams.last.response_at(0.95)),
        millis(recordings(level).response_at(0.99)),
        whole(streams.unanswered as f64),
        cpu(level),
    ]
}
