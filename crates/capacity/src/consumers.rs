//! Finds receivers that read too slowly and thereby delay the others: a target that waits for the slowest of them before
//! it serves the next.
//!
//! A slow receiver alone is no cause. The others must be late wherever a receiver is slow, and nowhere else.

use model::Nanos;
use record::{
    Advice, Cause, Confidence, Evidence, Finding, Level, Run, SlowConsumers, TargetUse, Unknown,
};
use stats::Histogram;

use crate::levels::usable;
use crate::target;
use crate::target::has_free_cpu;
use crate::throughput::operations;

/// Factor by which the median with slow receivers exceeds that without.
const TIMES_LONGER: f64 = 4.0;
/// Milliseconds by which it exceeds that without.
const MS_LONGER: f64 = 25.0;
/// Share of the connections that may be slow. If more are, there are hardly others to delay.
const FEW: f64 = 0.5;
/// Number of levels of each kind from which a coincidence is unlikely.
const CERTAIN: usize = 2;

/// The receivers and the times of a level.
struct Times<'a> {
    level: &'a Level,
    target: &'a TargetUse,
    slow: u64,
    of: u64,
    median_ms: f64,
}

/// Finds slow receivers that delay others. Two levels are needed, one of them without slow receivers.
pub(crate) fn find(run: &Run) -> Option<Finding> {
    let (slow, free): (Vec<Times<'_>>, Vec<Times<'_>>) =
        usable(run).filter_map(times).partition(|one| one.slow > 0);
    let slowest = |one: &&Times<'_>, other: &&Times<'_>| one.median_ms.total_cmp(&other.median_ms);
    let (main, usual) = (slow.iter().max_by(slowest)?, free.iter().max_by(slowest)?);
    let limit = (usual.median_ms * TIMES_LONGER).max(usual.median_ms + MS_LONGER);
    let all_late = slow.iter().all(|one| one.median_ms >= limit);
    let are_few = main.slow as f64 <= main.of as f64 * FEW;
    if !(all_late && are_few && has_free_cpu(main.target)) {
        return None;
    }
    let is_certain = slow.len() >= CERTAIN && free.len() >= CERTAIN;
    Some(Finding {
        cause: Cause::SlowConsumers(SlowConsumers {
            slow: main.slow,
            of: main.of,
            ms: main.median_ms,
        }),
        confidence: if is_certain {
            Confidence::High
        } else {
            Confidence::Low
        },
        levels: slow.iter().map(|one| one.level.index).collect(),
        limits: Vec::new(),
        evidence: [Evidence::SlowReceivers {
            ms: main.median_ms,
            than_ms: usual.median_ms,
        }]
        .into_iter()
        .chain(target::cpu(main.target))
        .collect(),
        unknown: vec![Unknown::WaitsForSlowReceivers],
        advice: vec![Advice::QueuePerReceiver],
    })
}

fn times(level: &Level) -> Option<Times<'_>> {
    let target = level.target.as_ref()?;
    Some(Times {
        level,
        target,
        slow: target.slow_receivers?,
        of: target.connections?,
        median_ms: median_ms(level)?,
    })
}

/// The median latency of all deliveries. Without deliveries, the median response time.
fn median_ms(level: &Level) -> Option<f64> {
    let mut all = Histogram::default();
    let deliveries = level.measured.deliveries.values();
    deliveries.for_each(|one| all.merge(&one.latency));
    if all.is_empty() {
        operations(&level.measured).for_each(|(_, timings)| all.merge(&timings.response));
    }
    all.quantile(0.5).map(Nanos::as_millis_f64)
}
