//! Finds threads that take turns, as threads do that share one lock: none is saturated, but together they use one core,
//! whatever the load.

use record::{
    Advice, Cause, Confidence, Evidence, Finding, Level, LockConvoy, Run, ThreadUse, Unknown,
};

use crate::levels::usable;
use crate::target::{cores, most_wanted};
use crate::throughput::{Throughput, of_main_operation};

/// CPU of all threads together, in percent of one core.
const ONE_CORE: std::ops::RangeInclusive<f64> = 85.0..=112.0;
/// CPU of a thread that takes part, in percent of one core.
const TAKES_PART: f64 = 4.0;
/// Share of the time in which the busiest thread may have wanted a CPU, in percent. Above it, this thread is the limit.
const SATURATED: f64 = 85.0;
/// Throughputs within this share count as the same.
const FLAT: f64 = 0.1;

/// A level in which threads take turns.
struct Turns<'a> {
    level: &'a Level,
    throughput: Throughput,
    threads: u64,
    percent: f64,
    busiest_percent: f64,
}

/// Finds a lock convoy. Two levels with the same throughput are needed.
pub(crate) fn find(run: &Run) -> Option<Finding> {
    let mut found: Vec<Turns<'_>> = usable(run).filter_map(turns).collect();
    found.sort_by(|one, other| {
        one.throughput
            .in_flight
            .total_cmp(&other.throughput.in_flight)
    });
    let main = found.last()?;
    let other = found
        .iter()
        .find(|one| main.throughput.is_flat_beyond(&one.throughput, FLAT))?;
    Some(Finding {
        cause: Cause::LockConvoy(LockConvoy {
            threads: main.threads,
            cpu_percent: main.percent,
        }),
        confidence: Confidence::High,
        levels: vec![other.level.index, main.level.index],
        limits: Vec::new(),
        evidence: vec![
            Evidence::ThreadsTakeTurns {
                threads: main.threads,
                percent: main.percent,
                busiest_percent: main.busiest_percent,
                than_percent: other.percent,
            },
            main.throughput.flat_beyond(&other.throughput),
        ],
        unknown: vec![Unknown::WhatIsShared],
        advice: vec![Advice::LookForLock {
            pid: main.level.target.as_ref()?.pid,
        }],
    })
}

fn turns(level: &Level) -> Option<Turns<'_>> {
    let target = level.target.as_ref()?;
    let (_, throughput) = of_main_operation(level)?;
    let takes_part = |thread: &&ThreadUse| thread.cpu_percent >= TAKES_PART;
    let threads = target.busiest_threads.iter().filter(takes_part).count() as u64;
    let percent = target.cpu_percent?;
    let take_turns = cores(target) > 1
        && threads > 1
        && ONE_CORE.contains(&percent)
        && most_wanted(target) < SATURATED;
    take_turns.then(|| Turns {
        level,
        throughput,
        threads,
        percent,
        busiest_percent: most_wanted(target),
    })
}
