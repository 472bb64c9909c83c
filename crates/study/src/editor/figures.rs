//! The figures that the study of the editor reads from its records.

use model::Nanos;
use record::{Level, Metric, Run};

use super::parts::Parts;
use crate::figures::{deliveries, memory, millis};

/// Name of the script's metric that measures "latency" as the report defines it.
const REPORTED: &str = "the report's own latency, ms";
/// Name of the user state in which the members of a room record their final text.
const DOCUMENT: &str = "document";
/// Limit for the p95 of the delivery latency, in milliseconds. A level must also lose no delivery.
const PROMISE_MS: f64 = 20.0;
/// CPU use from which the core of a single-threaded process is full. The kernel's own work uses the rest of the core.
const FULL_PERCENT: f64 = 93.0;

pub(super) fn levels(run: Option<&Run>) -> impl Iterator<Item = &Level> {
    run.into_iter().flat_map(|run| &run.levels)
}

/// Returns the level that repeats a test of the field report. Tests are numbered from 1.
pub(super) fn test<'a>(parts: &Parts<'a>, test: usize) -> Option<&'a Level> {
    parts.report?.levels.get(test - 1)
}

/// Returns the level that repeats a test on the server with one second of delay. Only tests 1 and 3 were run there.
pub(super) fn late_test<'a>(parts: &Parts<'a>, test: usize) -> Option<&'a Level> {
    let index = match test {
        1 => 0,
        3 => 1,
        _ => return None,
    };
    parts.late?.levels.get(index)
}

/// Returns the levels in rooms of 5, by ascending number of users.
pub(super) fn climb<'a>(parts: &Parts<'a>) -> impl Iterator<Item = &'a Level> {
    let runs = [parts.rooms, parts.crowd, parts.beyond];
    runs.into_iter().flat_map(levels)
}

/// Returns the metric whose mean the report's tool would have reported for this level. `None` if there was no data,
/// which the tool reports as 0 ms.
pub(super) fn reported(level: &Level) -> Option<&Metric> {
    let metric = level.measured.metrics.get(REPORTED)?;
    (metric.count > 0).then_some(metric)
}

/// Formats the mean of the reported metric in ms, or "no data".
pub(super) fn reported_mean(level: &Level) -> String {
    reported(level).map_or("no data".to_owned(), |metric| {
        format!("{:.0}", metric.sum / metric.count as f64)
    })
}

/// Formats the mean of the reported metric with its unit, for a sentence.
pub(super) fn reported_in_ms(level: &Level) -> String {
    let mean = reported_mean(level);
    if reported(level).is_some() {
        format!("{mean} ms")
    } else {
        mean
    }
}

/// Returns the number of values of the reported metric.
pub(super) fn reported_count(level: &Level) -> u64 {
    reported(level).map_or(0, |metric| metric.count)
}

/// Formats quantile `q` of the true delivery latency, in ms.
pub(super) fn truth(level: &Level, q: f64) -> String {
    millis(deliveries(level).latency_at(q))
}

/// Returns the server's additional memory per additional user, in KB (10^3 bytes), compared with the smallest level.
/// The baseline is not an idle server, because each part has a new server whose memory is first read after the users
/// have joined.
pub(super) fn kb_per_user(parts: &Parts<'_>, level: &Level) -> Option<f64> {
    let few = parts.rooms?.levels.first()?;
    let more = level.load.users.checked_sub(few.load.users)?;
    (more > 0).then_some((memory(level)? - memory(few)?) * 1000.0 / more as f64)
}

/// Returns the CPU time per delivery, in microseconds.
pub(super) fn cpu_each_us(level: &Level) -> Option<f64> {
    let busy = level.target.as_ref()?.cpu_percent? / 100.0;
    let made = deliveries(level).received();
    (made > 0).then(|| busy * level.phases.duration_s * 1e6 / made as f64)
}

/// Returns the number of rooms whose members converged, and the number of all rooms.
pub(super) fn converged(level: &Level) -> (u64, u64) {
    let held = level.measured.converged.get(DOCUMENT);
    (held.map_or(0, |held| held.converged), level.load.groups)
}

/// A reason why a level does not show that its thresholds hold.
#[derive(Debug, PartialEq)]
pub(super) enum Reason {
    /// The level is invalid. Holds the first cause.
    Invalid(String),
    /// There are too few deliveries for p95.
    TooFew,
    /// The p95 of the deliveries is too long. Holds the p95 in ms.
    P95(f64),
    /// Some deliveries were late, lost or otherwise wrong, or some rooms diverged. Holds the name of the figure and the
    /// number.
    Count(&'static str, u64),
}

/// All reasons why a level does not show that its thresholds hold.
#[derive(Debug, PartialEq)]
pub(super) struct Miss {
    /// Whether a threshold was broken. If not, the level is inconclusive.
    pub(super) broke: bool,
    pub(super) reasons: Vec<Reason>,
}

/// Returns why the level does not show that its thresholds hold. `None` if all held.
pub(super) fn miss(level: &Level) -> Option<Miss> {
    let all = deliveries(level);
    let mut reasons = Vec::new();
    if level.is_invalid() {
        reasons.push(Reason::Invalid(doubt(level)));
    }
    let p95 = all.latency_at(0.95).value().map(Nanos::as_millis_f64);
    if p95.is_none() {
        reasons.push(Reason::TooFew);
    }
    let doubts = reasons.len();
    reasons.extend(p95.filter(|&p95| p95 >= PROMISE_MS).map(Reason::P95));
    let (same, rooms) = converged(level);
    let counts = [
        ("late", all.late),
        ("lost", all.lost_count()),
        ("duplicated", all.duplicated),
        ("reordered", all.reordered),
        ("misdelivered", all.misdelivered_count()),
        ("diverged", rooms.saturating_sub(same)),
    ];
    let found = counts.into_iter().filter(|(_, count)| *count > 0);
    reasons.extend(found.map(|(kind, count)| Reason::Count(kind, count)));
    let broke = !level.is_invalid() && reasons.len() > doubts;
    (!reasons.is_empty()).then_some(Miss { broke, reasons })
}

/// Returns the last level whose thresholds held, and the level after it that broke a threshold or was inconclusive.
pub(super) fn ceiling<'a>(
    levels: impl Iterator<Item = &'a Level>,
) -> (Option<&'a Level>, Option<(&'a Level, Miss)>) {
    let mut held = None;
    for level in levels {
        if let Some(miss) = miss(level) {
            return (held, Some((level, miss)));
        }
        held = Some(level);
    }
    (held, None)
}

/// Returns the first cause that makes the level invalid.
fn doubt(level: &Level) -> String {
    let mut causes = report::invalid_because(level).into_iter();
    causes.next().unwrap_or_default()
}

/// Whether the core of the single-threaded server was full in this level.
pub(super) fn is_core_full(level: &Level) -> bool {
    let percent = level.target.as_ref().and_then(|target| target.cpu_percent);
    percent.is_some_and(|percent| percent >= FULL_PERCENT)
}
