//! Finds an operation that prepares each iteration, such as a login, and slows down with the load while the rest of the
//! iteration does not. Then the load test shows the capacity of the preparation, not that of the flow.

use model::Nanos;
use record::{
    Advice, Cause, Confidence, Evidence, Finding, Level, Run, SlowSetup, Timings, Unknown,
};

use crate::extremes::extremes;
use crate::throughput::operations;

/// The operation is done at most this often in an iteration.
const ONCE: f64 = 1.2;
/// All other operations are done at least this often in an iteration.
const OTHERS: f64 = 2.0;
/// Shortest mean time in milliseconds.
const SHORTEST_MS: f64 = 10.0;
/// Growth of the time from the smaller load to the larger.
const GROWTH: f64 = 2.0;
/// Growth of the time of the others, up to which they are unchanged.
const UNCHANGED: f64 = 1.5;
/// Differences below these milliseconds are no growth.
const SLIGHT_MS: f64 = 2.0;
/// Share of the operation in the time of all operations.
const LARGEST_PART: f64 = 0.5;
/// Fewest operations in each of the two levels.
const FEWEST: u64 = 10;

/// One operation, and all others together.
struct Parts {
    count: u64,
    ms: f64,
    others: u64,
    others_ms: f64,
}

/// Finds a preparation that limits the target.
pub(crate) fn find(run: &Run) -> Option<Finding> {
    let extremes = extremes(run)?;
    let iterations = extremes.most.measured.iterations.started;
    let (name, _) = operations(&extremes.most.measured)
        .filter(|(_, timings)| timings.count as f64 <= iterations as f64 * ONCE)
        .max_by(|one, other| total_ms(one.1).total_cmp(&total_ms(other.1)))?;
    let (few, many) = (parts(extremes.least, name)?, parts(extremes.most, name)?);
    let own_ms = many.count as f64 * many.ms;
    let share = own_ms / (own_ms + many.others as f64 * many.others_ms).max(f64::MIN_POSITIVE);
    let others_grow = many.others_ms > (few.others_ms * UNCHANGED).max(few.others_ms + SLIGHT_MS);
    let is_cause = few.count.min(many.count) >= FEWEST
        && many.others as f64 >= iterations as f64 * OTHERS
        && many.ms >= SHORTEST_MS
        && many.ms >= few.ms * GROWTH
        && !others_grow
        && share >= LARGEST_PART;
    is_cause.then(|| Finding {
        cause: Cause::SlowSetup(SlowSetup {
            name: name.to_owned(),
            ms: many.ms,
            share_percent: share * 100.0,
        }),
        confidence: Confidence::High,
        levels: vec![extremes.most.index],
        limits: Vec::new(),
        evidence: vec![
            Evidence::SlowerAt {
                name: Some(name.to_owned()),
                ms: many.ms,
                than_ms: few.ms,
            },
            Evidence::OthersAt {
                ms: many.others_ms,
                than_ms: few.others_ms,
            },
            Evidence::DoneOften {
                count: many.count,
                others: many.others,
                iterations,
            },
        ],
        unknown: vec![Unknown::PartOfTheTest],
        advice: vec![Advice::PrepareUsers],
    })
}

fn parts(level: &Level, name: &str) -> Option<Parts> {
    let mut own = Timings::default();
    let mut others = Timings::default();
    for (other, timings) in operations(&level.measured) {
        let sum = if other == name { &mut own } else { &mut others };
        sum.merge(timings);
    }
    let mean = |timings: &Timings| timings.service.mean().map(Nanos::as_millis_f64);
    Some(Parts {
        count: own.count,
        ms: mean(&own)?,
        others: others.count,
        others_ms: mean(&others)?,
    })
}

fn total_ms(timings: &Timings) -> f64 {
    let mean = timings.service.mean().map_or(0.0, Nanos::as_millis_f64);
    mean * timings.count as f64
}
