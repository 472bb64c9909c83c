//! Finds threads that take turns, as threads do that share one lock: none is saturated, but together they use one core,
//! whatever the load.

use std::cmp::Ordering;

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
/// CPU of the busiest thread where threads take turns, as a share of that of all threads. Above it, one thread does the
/// work, and others help.
const MOST_OF_ALL: f64 = 0.7;
/// Throughputs within this share count as the same.
const FLAT: f64 = 0.1;

/// A level in which threads together use one core.
struct OneCore<'a> {
    level: &'a Level,
    throughput: Throughput,
    threads: u64,
    percent: f64,
    busiest_percent: f64,
}

/// Finds a lock convoy. Two levels with the same throughput are needed.
pub(crate) fn find(run: &Run) -> Option<Finding> {
    let levels: Vec<OneCore<'_>> = usable(run).filter_map(one_core).collect();
    let (turns, more) = levels
        .iter()
        .filter(|level| take_turns(level))
        .filter_map(|turns| Some((turns, beyond(turns, &levels)?)))
        .max_by(|(one, _), (other, _)| by_load(one, other))?;
    // At a high load, one thread may get the lock nearly always. The level in which all get it is the evidence.
    let (shown, other) = if take_turns(more) {
        (more, turns)
    } else {
        (turns, more)
    };
    Some(Finding {
        cause: Cause::LockConvoy(LockConvoy {
            threads: shown.threads,
            cpu_percent: shown.percent,
        }),
        confidence: Confidence::High,
        levels: vec![turns.level.index, more.level.index],
        limits: Vec::new(),
        evidence: vec![
            Evidence::ThreadsTakeTurns {
                threads: shown.threads,
                percent: shown.percent,
                busiest_percent: shown.busiest_percent,
                than_percent: other.percent,
            },
            more.throughput.flat_beyond(&turns.throughput),
        ],
        unknown: vec![Unknown::WhatIsShared],
        advice: vec![Advice::LookForLock {
            pid: shown.level.target.as_ref()?.pid,
        }],
    })
}

/// Whether a lock limits this level: threads take turns at a smaller load, which completes as much.
pub(crate) fn limits(run: &Run, level: &Level) -> bool {
    let Some(here) = one_core(level) else {
        return false;
    };
    usable(run)
        .filter_map(one_core)
        .any(|less| take_turns(&less) && here.throughput.is_flat_beyond(&less.throughput, FLAT))
}

/// The highest load with the same throughput as `turns`, a level in which threads take turns.
fn beyond<'a>(turns: &OneCore<'_>, levels: &'a [OneCore<'a>]) -> Option<&'a OneCore<'a>> {
    levels
        .iter()
        .filter(|more| more.throughput.is_flat_beyond(&turns.throughput, FLAT))
        .max_by(|one, other| by_load(one, other))
}

fn by_load(one: &OneCore<'_>, other: &OneCore<'_>) -> Ordering {
    let in_flight = |level: &OneCore<'_>| level.throughput.in_flight;
    in_flight(one).total_cmp(&in_flight(other))
}

fn take_turns(level: &OneCore<'_>) -> bool {
    level.threads > 1
        && level.busiest_percent < SATURATED
        && level.busiest_percent <= level.percent * MOST_OF_ALL
}

fn one_core(level: &Level) -> Option<OneCore<'_>> {
    let target = level.target.as_ref()?;
    let (_, throughput) = of_main_operation(level)?;
    let takes_part = |thread: &&ThreadUse| thread.cpu_percent >= TAKES_PART;
    let percent = target.cpu_percent?;
    let is_one = cores(target) > 1 && ONE_CORE.contains(&percent);
    is_one.then(|| OneCore {
        level,
        throughput,
        threads: target.busiest_threads.iter().filter(takes_part).count() as u64,
        percent,
        busiest_percent: most_wanted(target),
    })
}
