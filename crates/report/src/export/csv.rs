//! Tables as CSV (RFC 4180), with a decimal point and the unit in the title.

use std::io;

use csv::Writer;
use model::Nanos;
use record::{Deliveries, Iterations, Level, Run, Timings};
use stats::Estimate;

use crate::section::label;

/// The percentiles in the table, with the start of their titles.
const PERCENTILES: [(f64, &str); 4] =
    [(0.5, "p50"), (0.95, "p95"), (0.99, "p99"), (0.999, "p99_9")];
const COUNTS: [&str; 12] = [
    "count",
    "failed",
    "unfinished",
    "timed_out",
    "expected",
    "delivered",
    "late",
    "lost",
    "duplicated",
    "reordered",
    "misdelivered",
    "dropped",
];

/// Renders one row for each name in each level: iterations, connections, requests, round trips, steps and deliveries.
pub fn csv(run: &Run) -> io::Result<String> {
    let mut table = Writer::from_writer(Vec::new());
    let load = [
        "level",
        "load",
        "users",
        "groups",
        "rate_per_s",
        "duration_s",
        "validity",
        "family",
        "name",
    ];
    let times = PERCENTILES
        .iter()
        .flat_map(|(_, name)| ["", "_low", "_high"].map(|part| format!("{name}{part}_ms")));
    let titles = load
        .iter()
        .chain(&COUNTS)
        .map(ToString::to_string)
        .chain(times);
    table.write_record(titles.chain(["max_ms".to_owned()]))?;
    for level in &run.levels {
        for (family, name, cells) in rows(level) {
            let load = load_cells(level)
                .into_iter()
                .chain([family.to_owned(), name.to_owned()]);
            table.write_record(load.chain(cells))?;
        }
    }
    text(table)
}

/// Renders one row for each second of each level.
pub fn csv_series(run: &Run) -> io::Result<String> {
    let mut table = Writer::from_writer(Vec::new());
    table.write_record([
        "level",
        "load",
        "start_s",
        "users",
        "requests",
        "failed",
        "round_trips",
        "messages",
        "deliveries",
        "p50_ms",
        "p95_ms",
        "p99_ms",
        "max_ms",
    ])?;
    for level in &run.levels {
        for window in &level.series {
            let counts = [
                window.users,
                window.requests,
                window.failed,
                window.round_trips,
                window.messages,
                window.deliveries,
            ];
            let times = [window.p50_ms, window.p95_ms, window.p99_ms, window.max_ms];
            let start = [
                number_of(level),
                label(&level.load),
                window.start_s.to_string(),
            ];
            let counts = counts.map(|count| count.to_string());
            table.write_record(start.into_iter().chain(counts).chain(times.map(or_empty)))?;
        }
    }
    text(table)
}

/// The number of a level as readers count, from 1.
fn number_of(level: &Level) -> String {
    (level.index + 1).to_string()
}

fn text(table: Writer<Vec<u8>>) -> io::Result<String> {
    let bytes = table
        .into_inner()
        .map_err(csv::IntoInnerError::into_error)?;
    String::from_utf8(bytes).map_err(io::Error::other)
}

fn or_empty(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

fn load_cells(level: &Level) -> [String; 7] {
    [
        number_of(level),
        label(&level.load),
        level.load.users.to_string(),
        level.load.groups.to_string(),
        or_empty(level.load.rate_per_s),
        level.phases.duration_s.to_string(),
        level.validity().as_str().to_owned(),
    ]
}

fn rows(level: &Level) -> Vec<(&'static str, &str, Vec<String>)> {
    let measured = &level.measured;
    let families = [
        ("connection", &measured.connections),
        ("request", &measured.requests),
        ("roundTrip", &measured.round_trips),
        ("step", &measured.steps),
    ];
    let timed = families.into_iter().flat_map(|(family, names)| {
        names
            .iter()
            .map(move |(name, timings)| (family, name.as_str(), of_timings(timings)))
    });
    let deliveries = measured.deliveries.iter();
    let deliveries = deliveries.map(|(name, all)| ("delivery", name.as_str(), of_deliveries(all)));
    let iterations = [("iteration", "", of_iterations(&measured.iterations))];
    iterations
        .into_iter()
        .chain(timed)
        .chain(deliveries)
        .collect()
}

fn of_iterations(all: &Iterations) -> Vec<String> {
    let counts = [
        all.succeeded + all.failed,
        all.failed,
        all.unfinished,
        all.timed_out,
    ]
    .map(Some);
    let counts = counts
        .into_iter()
        .chain([None; 7])
        .chain([Some(all.dropped)]);
    cells(counts, |q| all.time_at(q), all.time.max())
}

fn of_timings(timings: &Timings) -> Vec<String> {
    let counts = [
        timings.count,
        timings.failed,
        timings.unfinished,
        timings.timed_out,
    ]
    .map(Some);
    let counts = counts.into_iter().chain([None; 8]);
    cells(counts, |q| timings.response_at(q), timings.longest())
}

fn of_deliveries(all: &Deliveries) -> Vec<String> {
    let fates = [
        all.expected,
        all.delivered,
        all.late,
        all.lost_count(),
        all.duplicated,
        all.reordered,
        all.misdelivered_count(),
    ];
    let counts = [Some(all.messages), None, None, None]
        .into_iter()
        .chain(fates.map(Some))
        .chain([None]);
    cells(counts, |q| all.latency_at(q), all.latency.max())
}

fn cells(
    counts: impl Iterator<Item = Option<u64>>,
    at: impl Fn(f64) -> Estimate,
    longest: Option<Nanos>,
) -> Vec<String> {
    let counts = counts.map(|count| count.map_or_else(String::new, |count| count.to_string()));
    let times = PERCENTILES.iter().flat_map(|(q, _)| percentile(at(*q)));
    let times = times
        .chain([longest])
        .map(|time| or_empty(time.map(Nanos::as_millis_f64)));
    counts.chain(times).collect()
}

/// The value and the ends of its interval.
fn percentile(estimate: Estimate) -> [Option<Nanos>; 3] {
    match estimate {
        Estimate::Value { value, interval } => [
            Some(value),
            interval.map(|ends| ends.0),
            interval.map(|ends| ends.1),
        ],
        Estimate::Beyond { .. } | Estimate::Unavailable { .. } => [None; 3],
    }
}
