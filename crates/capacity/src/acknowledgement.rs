//! Finds responses that are late by a delayed acknowledgement.
//!
//! A target that sends a response in several small segments, without `TCP_NODELAY`, holds the last one back until the
//! first is acknowledged. The receiver delays this by 40 ms. So some responses take the usual time, others 40 ms more,
//! and hardly any a time in between. If all responses take 40 ms, work of that duration explains it as well, unless they
//! take 40 ms less at a lower load: on a connection that was idle for some time, the first acknowledgement is not delayed.

use model::Nanos;
use record::{
    Advice, Cause, Confidence, DelayedAcknowledgement, Evidence, Finding, Level, Run, Timings,
    Unknown,
};
use stats::Histogram;

use crate::levels::usable;
use crate::throughput::{operations, operations_per_s};

/// Shortest delay of an acknowledgement on Linux, less the error of a timer.
const SHORTEST_MS: f64 = 37.0;
/// Longest delay of an acknowledgement of interactive traffic, plus the error of a timer.
const LONGEST_MS: f64 = 47.0;
/// Times within this of the usual time are not late.
const USUAL_MS: f64 = 15.0;
/// Longest usual time. Above it, a delay of 40 ms would not be noticed.
const LONGEST_USUAL_MS: f64 = 20.0;
/// Fewest late responses.
const FEWEST: u64 = 20;
/// Smallest share of late responses.
const SMALLEST: f64 = 0.03;
/// Largest number of responses between the usual time and the delay, as a share of the late ones.
const BETWEEN: f64 = 0.05;
/// Largest share of responses that take still longer.
const LONGER: f64 = 0.05;
/// Share of the responses that take the usual time, or the delay, if the delay begins at a higher load.
const NEARLY_ALL: f64 = 0.9;
/// Ratio of two loads from which they count as different.
const OTHER_LOAD: f64 = 1.5;

/// The late responses of one operation in a level.
struct LateResponses<'a> {
    level: &'a Level,
    name: &'a str,
    count: u64,
    of: u64,
    usual_ms: f64,
    delayed_ms: f64,
}

/// Finds delayed acknowledgements.
pub(crate) fn find(run: &Run) -> Option<Finding> {
    let mut found: Vec<LateResponses<'_>> = usable(run)
        .flat_map(|level| {
            operations(&level.measured).filter_map(|(name, timings)| late(level, name, timings))
        })
        .collect();
    if found.is_empty() {
        found = late_at_higher_loads(run);
    }
    let main = found.iter().max_by_key(|late| late.count)?;
    let mut levels: Vec<usize> = found.iter().map(|late| late.level.index).collect();
    levels.dedup();
    Some(Finding {
        cause: Cause::DelayedAcknowledgement(DelayedAcknowledgement {
            name: main.name.to_owned(),
            share_percent: main.count as f64 / main.of as f64 * 100.0,
            delay_ms: main.delayed_ms - main.usual_ms,
        }),
        confidence: if is_same_at_other_load(&found) {
            Confidence::High
        } else {
            Confidence::Low
        },
        levels,
        limits: Vec::new(),
        evidence: vec![Evidence::LateByAcknowledgement {
            count: main.count,
            of: main.of,
            usual_ms: main.usual_ms,
            late_ms: main.delayed_ms,
        }],
        unknown: vec![Unknown::WorkOfThisTime],
        advice: vec![Advice::NoDelay],
    })
}

/// Levels in which nearly all responses take 40 ms longer than nearly all take at the lowest load.
fn late_at_higher_loads(run: &Run) -> Vec<LateResponses<'_>> {
    let least =
        usable(run).min_by(|one, other| operations_per_s(one).total_cmp(&operations_per_s(other)));
    let Some(least) = least else {
        return Vec::new();
    };
    let late = |level, name, timings: &Timings| {
        let before = operations(&least.measured).find(|(other, _)| *other == name)?;
        let usual_ms = before.1.service.quantile(0.5)?.as_millis_f64();
        let is_steady = within(&before.1.service, usual_ms, (-USUAL_MS, USUAL_MS));
        let of = timings.service.count();
        let count = within(&timings.service, usual_ms, (SHORTEST_MS, LONGEST_MS));
        let is_late = count >= FEWEST
            && count as f64 >= of as f64 * NEARLY_ALL
            && is_steady as f64 >= before.1.service.count() as f64 * NEARLY_ALL;
        is_late.then(|| LateResponses {
            level,
            name,
            count,
            of,
            usual_ms,
            delayed_ms: timings
                .service
                .quantile(0.5)
                .map_or(0.0, Nanos::as_millis_f64),
        })
    };
    let found: Vec<LateResponses<'_>> = usable(run)
        .flat_map(|level| {
            operations(&level.measured)
                .filter_map(move |(name, timings)| late(level, name, timings))
        })
        .collect();
    // A queue grows with the load, this delay does not.
    if is_same_at_other_load(&found) {
        found
    } else {
        Vec::new()
    }
}

/// Whether the responses are late at two loads that differ clearly.
fn is_same_at_other_load(found: &[LateResponses<'_>]) -> bool {
    let loads = || found.iter().map(|late| operations_per_s(late.level));
    let least = loads().fold(f64::INFINITY, f64::min);
    loads().fold(0.0, f64::max) >= least * OTHER_LOAD
}

/// The number of times that are this much longer than `usual_ms`, in milliseconds.
fn within(times: &Histogram, usual_ms: f64, (from, to): (f64, f64)) -> u64 {
    let bins = times.bins();
    let inside = bins.filter(|(time, _)| (from..to).contains(&(time.as_millis_f64() - usual_ms)));
    inside.map(|(_, count)| count).sum()
}

fn late<'a>(level: &'a Level, name: &'a str, timings: &Timings) -> Option<LateResponses<'a>> {
    let times = &timings.service;
    let ms = |time: Nanos| time.as_millis_f64();
    // The shortest times, which are usual: at least a few responses are not late.
    let usual_ms = times.quantile(SMALLEST / 2.0).map(ms)?;
    if usual_ms > LONGEST_USUAL_MS {
        return None;
    }
    let of = times.count();
    let usual = within(times, usual_ms, (f64::NEG_INFINITY, USUAL_MS));
    let between = within(times, usual_ms, (USUAL_MS, SHORTEST_MS));
    let count = within(times, usual_ms, (SHORTEST_MS, LONGEST_MS));
    let longer = of - usual - between - count;
    let share = |part: u64| part as f64 / of.max(1) as f64;
    let is_late = count >= FEWEST
        && share(count) >= SMALLEST
        && share(usual) >= SMALLEST
        && between as f64 <= count as f64 * BETWEEN
        && share(longer) <= LONGER;
    let mode = times
        .bins()
        .filter(|(time, _)| (SHORTEST_MS..LONGEST_MS).contains(&(ms(*time) - usual_ms)))
        .max_by_key(|(_, count)| *count)?;
    is_late.then_some(LateResponses {
        level,
        name,
        count,
        of,
        usual_ms,
        delayed_ms: ms(mode.0),
    })
}
