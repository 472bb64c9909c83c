//! Finds stalls at equal intervals, such as those of a garbage collector, a scheduled job or a flush.
//!
//! A stall shows as a second whose longest time is far above that of other seconds. Stalls count as periodic if the
//! intervals between them are equal. Bursts of the load have the same effect, so loads that vary are not examined.

use record::{
    Advice, Cause, Confidence, Evidence, Finding, Level, PeriodicStalls, Run, Unknown, Window,
};

use crate::levels::usable;
use crate::median::median;
use crate::periods::{Period, joined, period};
use crate::throughput::is_even;
use crate::windows;

/// The longest time of a second with a stall, as a multiple of that of other seconds.
const TIMES_LONGER: f64 = 4.0;
/// The longest time of a second with a stall exceeds that of other seconds by at least this many milliseconds.
const MS_LONGER: f64 = 25.0;
/// Stalls take at most this share of the seconds. If more seconds are slow, slowness is the rule.
const RARE: f64 = 0.4;

/// The stalls of a level.
struct Stalls {
    level: usize,
    period: Period,
    usual_ms: f64,
    shortest_ms: f64,
    longest_ms: f64,
}

/// Finds periodic stalls.
pub(crate) fn find(run: &Run) -> Option<Finding> {
    let found: Vec<Stalls> = usable(run)
        .filter(|level| is_even(level))
        .filter_map(stalls)
        .collect();
    let main = found.iter().max_by_key(|stalls| stalls.period.events)?;
    let period = main.period;
    Some(Finding {
        cause: Cause::PeriodicStalls(PeriodicStalls {
            every_s: period.every_s,
            longest_ms: main.longest_ms,
        }),
        confidence: if period.is_certain {
            Confidence::High
        } else {
            Confidence::Low
        },
        levels: found.iter().map(|stalls| stalls.level).collect(),
        limits: Vec::new(),
        evidence: vec![
            Evidence::StalledEvery {
                stalls: period.events,
                seconds: period.every_s,
                deviation_s: period.deviation_s,
            },
            Evidence::LongestTimes {
                usual_ms: main.usual_ms,
                stalled_ms: main.shortest_ms,
            },
        ],
        unknown: vec![Unknown::WhatStalls],
        advice: vec![Advice::LookForPeriod {
            every_s: period.every_s,
        }],
    })
}

fn stalls(level: &Level) -> Option<Stalls> {
    let windows = busy(level);
    let usual_ms = usual(&windows)?;
    let limit = (usual_ms * TIMES_LONGER).max(usual_ms + MS_LONGER);
    let slow: Vec<(f64, f64)> = windows
        .iter()
        .map(|window| (window.start_s, longest(window)))
        .filter(|(_, longest)| *longest >= limit)
        .collect();
    if slow.len() as f64 > windows.len() as f64 * RARE {
        return None;
    }
    let events = joined(&slow);
    let starts: Vec<f64> = events.iter().map(|event| event.0).collect();
    let period = period(&starts)?;
    let known = || {
        events
            .iter()
            .map(|event| event.1)
            .filter(|ms| ms.is_finite())
    };
    Some(Stalls {
        level: level.index,
        period,
        usual_ms,
        shortest_ms: known().fold(f64::INFINITY, f64::min),
        longest_ms: known().fold(0.0, f64::max),
    })
}

/// The windows of the measured time in which something ended.
fn busy(level: &Level) -> Vec<&Window> {
    let ended = |window: &&Window| window.requests + window.round_trips + window.deliveries > 0;
    windows::measured(level).filter(ended).collect()
}

/// The longest time of a window in milliseconds; infinite if an operation timed out.
fn longest(window: &Window) -> f64 {
    window.max_ms.unwrap_or(f64::INFINITY)
}

/// The median of the windows' longest times.
fn usual(windows: &[&Window]) -> Option<f64> {
    let mut longest: Vec<f64> = windows.iter().map(|window| longest(window)).collect();
    median(&mut longest).filter(|usual| usual.is_finite())
}
