//! Finds stalls at equal intervals, such as those of a garbage collector, a scheduled job or a flush.
//!
//! A stall shows as a second whose longest time is far above that of other seconds. Stalls count as periodic if the
//! intervals between them are equal. Bursts of the load have the same effect, so loads that vary are not examined.
//!
//! The time of an operation that timed out is unknown, but is at least the timeout, which takes its place.

use model::Nanos;
use record::{Advice, Cause, Evidence, Finding, Level, PeriodicStalls, Run, Unknown, Window};

use crate::median::median;
use crate::periods::{Period, Periodic, joined, period, periodic};
use crate::throughput::operations;
use crate::windows;

/// The longest time of a second with a stall, as a multiple of that of other seconds.
const TIMES_LONGER: f64 = 4.0;
/// The longest time of a second with a stall exceeds that of other seconds by at least this many milliseconds.
const MS_LONGER: f64 = 25.0;
/// Stalls take at most this share of the seconds. If more seconds are slow, slowness is the rule.
const RARE: f64 = 0.4;

/// The stalls of a level.
struct Stalls {
    usual_ms: f64,
    shortest_ms: f64,
    longest_ms: f64,
    /// Whether an operation timed out in a stall. `longest_ms` is a lower bound then.
    timed_out: bool,
}

/// A second of the measured time.
struct Second {
    start_s: f64,
    /// The longest time. If an operation timed out, the timeout.
    longest_ms: f64,
    timed_out: bool,
}

/// Finds periodic stalls.
pub(crate) fn find(run: &Run) -> Option<Finding> {
    let Periodic {
        levels,
        period,
        figures: stalls,
    } = periodic(run, stalls)?;
    let (longest_ms, longest_at_least_ms) = if stalls.timed_out {
        (None, Some(stalls.longest_ms))
    } else {
        (Some(stalls.longest_ms), None)
    };
    Some(Finding {
        cause: Cause::PeriodicStalls(PeriodicStalls {
            every_s: period.every_s,
            longest_ms,
            longest_at_least_ms,
        }),
        confidence: period.confidence(),
        levels,
        limits: Vec::new(),
        evidence: vec![
            Evidence::StalledEvery {
                stalls: period.events,
                seconds: period.every_s,
                deviation_s: period.deviation_s,
            },
            Evidence::LongestTimes {
                usual_ms: stalls.usual_ms,
                stalled_ms: Some(stalls.shortest_ms),
            },
        ],
        unknown: vec![Unknown::WhatStalls],
        advice: vec![Advice::LookForPeriod {
            every_s: period.every_s,
        }],
    })
}

fn stalls(level: &Level) -> Option<(Period, Stalls)> {
    let seconds = seconds(level);
    let mut all: Vec<f64> = seconds.iter().map(|second| second.longest_ms).collect();
    let usual_ms = median(&mut all)?;
    let limit = (usual_ms * TIMES_LONGER).max(usual_ms + MS_LONGER);
    let slow: Vec<&Second> = seconds
        .iter()
        .filter(|second| second.longest_ms >= limit)
        .collect();
    if slow.len() as f64 > seconds.len() as f64 * RARE {
        return None;
    }
    let times: Vec<(f64, f64)> = slow
        .iter()
        .map(|second| (second.start_s, second.longest_ms))
        .collect();
    let events = joined(&times);
    let starts: Vec<f64> = events.iter().map(|event| event.0).collect();
    let longest = || events.iter().map(|event| event.1);
    let stalls = Stalls {
        usual_ms,
        shortest_ms: longest().fold(f64::INFINITY, f64::min),
        longest_ms: longest().fold(0.0, f64::max),
        timed_out: slow.iter().any(|second| second.timed_out),
    };
    Some((period(&starts)?, stalls))
}

/// The seconds of the measured time in which an operation ended that has a time, or timed out.
fn seconds(level: &Level) -> Vec<Second> {
    let timeout_ms = shortest_timeout_ms(level);
    let ended = |window: &&Window| window.requests + window.round_trips + window.deliveries > 0;
    windows::measured(level)
        .filter(ended)
        .filter_map(|window| {
            Some(Second {
                start_s: window.start_s,
                // Without a timeout in the level, operations without a time were refused or reset.
                longest_ms: window.max_ms.or(timeout_ms)?,
                timed_out: window.max_ms.is_none(),
            })
        })
        .collect()
}

/// The shortest timeout that an operation of the level reached. `None` if none timed out. A second does not tell which
/// of its operations timed out.
fn shortest_timeout_ms(level: &Level) -> Option<f64> {
    let timeouts = operations(&level.measured).filter_map(|(_, timings)| timings.timeout);
    timeouts.min().map(Nanos::as_millis_f64)
}
