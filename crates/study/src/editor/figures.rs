//! What the study of the editor reads out of its records.

use record::{Level, Metric, Run};

use super::Parts;
use crate::story::{deliveries, millis, whole};
use crate::telling::{cpu, memory};

/// The script's name for what the report called latency.
const REPORTED: &str = "the report's own latency, ms";
/// What the scenarios call the text that a member of a room holds in the end.
const DOCUMENT: &str = "document";
/// The promise that a level must keep: 95 % of the deliveries within this time, and nothing lost.
const PROMISE_MS: f64 = 20.0;
/// A process of one thread has used its core up from here on; the rest goes to the kernel's own work on that core.
const FULL_PERCENT: f64 = 93.0;

pub(super) fn levels(run: Option<&Run>) -> impl Iterator<Item = &Level> {
    run.into_iter().flat_map(|run| &run.levels)
}

/// The level of the field report's test (from 1).
pub(super) fn test<'a>(parts: &Parts<'a>, test: usize) -> Option<&'a Level> {
    parts.report?.levels.get(test - 1)
}

/// The same test on the server that is a second late; of tests 1 and 3 only.
pub(super) fn late_test<'a>(parts: &Parts<'a>, test: usize) -> Option<&'a Level> {
    let index = match test {
        1 => 0,
        3 => 1,
        _ => return None,
    };
    parts.late?.levels.get(index)
}

/// Rooms of 5, from few people to many.
pub(super) fn climb<'a>(parts: &Parts<'a>) -> impl Iterator<Item = &'a Level> {
    let runs = [parts.rooms, parts.crowd, parts.beyond];
    runs.into_iter().flat_map(levels)
}

/// What the report's tool would have said of this level; `None`: it had no data, and said 0 ms.
pub(super) fn reported(level: &Level) -> Option<&Metric> {
    let metric = level.measured.metrics.get(REPORTED)?;
    (metric.count > 0).then_some(metric)
}

/// Its mean in ms, or that there is none.
pub(super) fn reported_mean(level: &Level) -> String {
    reported(level).map_or("no data".to_owned(), |metric| {
        format!("{:.0}", metric.sum / metric.count as f64)
    })
}

/// The same in a sentence.
pub(super) fn reported_in_ms(level: &Level) -> String {
    let mean = reported_mean(level);
    if reported(level).is_some() {
        format!("{mean} ms")
    } else {
        mean
    }
}

/// How many values that rests on.
pub(super) fn reported_count(level: &Level) -> u64 {
    reported(level).map_or(0, |metric| metric.count)
}

/// The true time to a delivery, in ms.
pub(super) fn truth(level: &Level, q: f64) -> String {
    millis(deliveries(level).latency_at(q))
}

/// KB (10^3 bytes) of memory that the server had more than with the fewest users, for each user more. Every part's server is
/// a fresh one, and a record's first look at it is when the users are there already: so this is told beside the smallest
/// level and not beside an idle server.
pub(super) fn kb_per_user(parts: &Parts<'_>, level: &Level) -> Option<f64> {
    let few = parts.rooms?.levels.first()?;
    let more = level.load.users.checked_sub(few.load.users)?;
    (more > 0).then_some((memory(level)? - memory(few)?) * 1000.0 / more as f64)
}

/// Microseconds of CPU that a delivery took.
pub(super) fn cpu_each_us(level: &Level) -> Option<f64> {
    let busy = level.target.as_ref()?.cpu_percent? / 100.0;
    let made = deliveries(level).received();
    (made > 0).then(|| busy * level.phases.duration_s * 1e6 / made as f64)
}

/// Rooms whose members all held the same in the end, and all rooms.
pub(super) fn converged(level: &Level) -> (u64, u64) {
    let held = level.measured.converged.get(DOCUMENT);
    (held.map_or(0, |held| held.converged), level.load.groups)
}

/// What a level misses of its promise.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Miss {
    /// Whether it shows that the promise broke; else it could show neither that nor that it was kept.
    pub(super) broke: bool,
    pub(super) why: Vec<String>,
}

/// What a level misses of its promise; nothing where it kept it.
pub(super) fn miss(level: &Level) -> Option<Miss> {
    let all = deliveries(level);
    let mut doubts = Vec::new();
    let mut breaches = Vec::new();
    if level.is_invalid() {
        doubts.push(format!("not measured validly ({})", doubt(level)));
    }
    match all.latency_at(0.95).value() {
        Some(p95) if p95.as_millis_f64() < PROMISE_MS => {}
        Some(p95) => breaches.push(format!("p95 {:.1} ms", p95.as_millis_f64())),
        None => doubts.push("too few deliveries for p95".to_owned()),
    }
    let (same, rooms) = converged(level);
    for (count, what) in [
        (all.late, "late"),
        (all.lost_count(), "lost"),
        (all.duplicated, "duplicated"),
        (all.reordered, "out of order"),
        (all.misdelivered_count(), "misdelivered"),
        (rooms.saturating_sub(same), "rooms not converged"),
    ] {
        if count > 0 {
            breaches.push(format!("{} {what}", whole(count as f64)));
        }
    }
    let broke = !level.is_invalid() && !breaches.is_empty();
    let why = [doubts, breaches].concat();
    (!why.is_empty()).then_some(Miss { broke, why })
}

/// The highest level below which every level kept its promise, and the first that did not or could not show it.
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

/// The ceiling of rooms of 5 in one sentence.
pub(super) fn ceiling_in_words(parts: &Parts<'_>) -> String {
    let users = |level: &Level| whole(level.load.users as f64);
    let kept = |held: Option<&Level>, nothing: &str| {
        held.map_or(nothing.to_owned(), |held| {
            format!("{} users kept the promise", users(held))
        })
    };
    let (told, level) = match ceiling(climb(parts)) {
        (None, None) => return "Not measured.".to_owned(),
        (Some(held), None) => {
            return format!(
                "No level was found at which it stops: {} users, the highest that was run, still kept the promise.",
                users(held)
            );
        }
        (held, Some((level, Miss { broke: true, why }))) => {
            let kept = kept(held, "No level kept the promise");
            let why = why.join(", ");
            (format!("{kept}; {} did not: {why}.", users(level)), level)
        }
        (held, Some((level, Miss { broke: false, why }))) => {
            let kept = kept(held, "No level showed that it keeps the promise");
            let (why, users) = (why.join(", "), users(level));
            let told = format!("{kept}; whether {users} do could not be shown: {why}.");
            (told, level)
        }
    };
    format!("{told} {}", why_it_stops(level))
}

/// The first cause for which a level is invalid.
fn doubt(level: &Level) -> String {
    let mut causes = report::invalid_because(level).into_iter();
    causes.next().unwrap_or_default()
}

/// Whose limit it was: the server's core, the generator, or neither.
fn why_it_stops(level: &Level) -> String {
    let used = cpu(level);
    let percent = level.target.as_ref().and_then(|target| target.cpu_percent);
    let full = percent.is_some_and(|percent| percent >= FULL_PERCENT);
    let busy = level.generator.busiest_worker_percent;
    let generator = busy.map_or("n/a".to_owned(), |busy| format!("{busy:.0} %"));
    match (full, !level.is_invalid()) {
        (true, true) => format!(
            "It stops there because the server's one core is full: {used}. The generator, busy for {generator} of the time, \
             was not the limit."
        ),
        (true, false) => format!(
            "There the server's one core was full ({used}), and so was the generator's ({generator}): which of the two broke \
             the promise cannot be told."
        ),
        (false, true) => format!(
            "The server used {used} of its core there and the generator was busy for {generator} of the time: neither was \
             full."
        ),
        (false, false) => format!(
            "Where the server stops was not found: the generator was the limit (busy for {generator} of the time), the server \
             used {used} of its core."
        ),
    }
}
