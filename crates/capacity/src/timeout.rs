//! Finds a timeout of the target, or of a component in front of it: requests fail after one fixed time, and nearly no
//! request succeeds later.
//!
//! Requests that headcount itself gives up have no response, so they are not examined.

use model::Nanos;
use record::{
    Advice, Cause, Confidence, Evidence, Finding, FixedTimeout, Level, Run, Timings, Unknown,
};
use stats::Histogram;

use crate::levels::usable;
use crate::throughput::operations;

/// Fewest failed responses that show a timeout.
const FEWEST: u64 = 20;
/// Shortest timeout.
const SHORTEST: Nanos = Nanos::from_millis(50);
/// Times within this part of the timeout count as equal to it: 1/32, about 3 %.
const EQUAL: u64 = 32;
/// Scheduling delays on either side of the timeout.
const JITTER: Nanos = Nanos::from_millis(2);
/// Share of the failures that have this time.
const NEARLY_ALL: f64 = 0.9;
/// Share of successes that may take longer.
const NEARLY_NONE: f64 = 0.01;
/// Share of successes that may have the time of the failures. Above it, all responses simply take about this time.
const AS_LONG: f64 = 0.9;

/// The failures of one operation that have the same time.
struct Failing<'a> {
    level: usize,
    name: &'a str,
    after: Nanos,
    count: u64,
    of: u64,
    from: Nanos,
    to: Nanos,
    succeeded: u64,
    longer: u64,
}

/// Finds a fixed timeout.
pub(crate) fn find(run: &Run) -> Option<Finding> {
    let found: Vec<Failing<'_>> = usable(run).flat_map(failing).collect();
    let main = found.iter().max_by_key(|failing| failing.count)?;
    let same = |one: &&Failing<'_>| one.name == main.name;
    let mut levels: Vec<usize> = found.iter().filter(same).map(|one| one.level).collect();
    levels.dedup();
    let is_certain = main.succeeded >= FEWEST;
    Some(Finding {
        cause: Cause::FixedTimeout(FixedTimeout {
            name: main.name.to_owned(),
            after_ms: main.after.as_millis_f64(),
        }),
        confidence: if is_certain {
            Confidence::High
        } else {
            Confidence::Low
        },
        levels,
        limits: Vec::new(),
        evidence: vec![
            Evidence::FailedAfter {
                count: main.count,
                of: main.of,
                from_ms: main.from.as_millis_f64(),
                to_ms: main.to.as_millis_f64(),
            },
            Evidence::SucceededSooner {
                count: main.succeeded,
                longer: main.longer,
            },
        ],
        unknown: vec![Unknown::WhoseTimeout],
        advice: vec![Advice::LookForTimeout {
            ms: main.after.as_millis_f64(),
        }],
    })
}

fn failing(level: &Level) -> impl Iterator<Item = Failing<'_>> {
    operations(&level.measured)
        .filter_map(|(name, timings)| of_operation(level.index, name, timings))
}

fn of_operation<'a>(level: usize, name: &'a str, timings: &Timings) -> Option<Failing<'a>> {
    let failed = &timings.failed_response;
    let of = failed.count();
    let after = failed.quantile(0.5).filter(|after| *after >= SHORTEST)?;
    let margin = Nanos(after.0 / EQUAL) + JITTER;
    let (from, to) = (after.saturating_sub(margin), after + margin);
    let within = |times: &Histogram| -> u64 {
        let equal = times.bins().filter(|(time, _)| (from..=to).contains(time));
        equal.map(|(_, count)| count).sum()
    };
    let count = within(failed);
    if of < FEWEST || (count as f64) < of as f64 * NEARLY_ALL {
        return None;
    }
    let succeeded = timings.succeeded()?;
    let longer = succeeded.response.count_above(to);
    let few_longer = longer as f64 <= succeeded.count as f64 * NEARLY_NONE;
    let few_as_long = within(&succeeded.response) as f64 <= succeeded.count as f64 * AS_LONG;
    (few_longer && few_as_long).then_some(Failing {
        level,
        name,
        after,
        count,
        of,
        from: failed.min()?.max(from),
        to: failed.max()?.min(to),
        succeeded: succeeded.count,
        longer,
    })
}
