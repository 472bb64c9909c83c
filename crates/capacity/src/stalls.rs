//! Finds stalls at equal intervals, such as those of a garbage collector, a scheduled job or a flush.
//!
//! A stall shows as a second whose longest time is far above that of other seconds. Stalls count as periodic if the
//! intervals between them are equal. Bursts of the load have the same effect, so loads that vary are not examined.

use plan::RateProfile;
use record::{
    Advice, Cause, Confidence, Evidence, Finding, Level, PeriodicStalls, Run, Unknown, Window,
};

use crate::{usable, windows};

/// The longest time of a second with a stall, as a multiple of that of other seconds.
const TIMES_LONGER: f64 = 4.0;
/// The longest time of a second with a stall exceeds that of other seconds by at least this many milliseconds.
const MS_LONGER: f64 = 25.0;
/// Stalls that are closer than this are one stall, in windows.
const ONE_STALL: f64 = 1.5;
/// Fewest stalls that show a period.
const FEWEST: usize = 4;
/// Number of stalls from which the confidence is high.
const MANY: usize = 6;
/// An interval may differ from the period by this share of the period, or by one window.
const EQUAL: f64 = 0.1;
/// Shortest period, in windows. Of shorter ones, nearly every second has a stall.
const SHORTEST: f64 = 2.5;
/// Stalls take at most this share of the seconds. If more seconds are slow, slowness is the rule.
const RARE: f64 = 0.4;

/// The stalls of a level.
struct Stalls {
    level: usize,
    count: usize,
    every_s: f64,
    deviation_s: f64,
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
    let main = found.iter().max_by_key(|stalls| stalls.count)?;
    Some(Finding {
        cause: Cause::PeriodicStalls(PeriodicStalls {
            every_s: main.every_s,
            longest_ms: main.longest_ms,
        }),
        confidence: if main.count >= MANY {
            Confidence::High
        } else {
            Confidence::Low
        },
        levels: found.iter().map(|stalls| stalls.level).collect(),
        limits: Vec::new(),
        evidence: vec![
            Evidence::StalledEvery {
                stalls: main.count as u64,
                seconds: main.every_s,
                deviation_s: main.deviation_s,
            },
            Evidence::LongestTimes {
                usual_ms: main.usual_ms,
                stalled_ms: main.shortest_ms,
            },
        ],
        unknown: vec![Unknown::WhatStalls],
        advice: vec![Advice::LookForPeriod {
            every_s: main.every_s,
        }],
    })
}

/// Whether the planned load is constant over the measured time.
fn is_even(level: &Level) -> bool {
    let profile = level.load.rate.as_deref().map(RateProfile::parse);
    !level.load.once && !matches!(profile, Some(Ok(RateProfile::Segments(_)) | Err(_)))
}

fn stalls(level: &Level) -> Option<Stalls> {
    let windows = busy(level);
    let width = windows::width(level);
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
    let events = joined(&slow, width);
    let (first, last) = (events.first()?, events.last()?);
    let every_s = (last.0 - first.0) / (events.len().max(2) - 1) as f64;
    let deviation_s = events
        .windows(2)
        .map(|pair| (pair[1].0 - pair[0].0 - every_s).abs())
        .fold(0.0, f64::max);
    let is_periodic = events.len() >= FEWEST
        && every_s >= SHORTEST * width
        && deviation_s <= (every_s * EQUAL).max(width);
    let known = || {
        events
            .iter()
            .map(|event| event.1)
            .filter(|ms| ms.is_finite())
    };
    is_periodic.then(|| Stalls {
        level: level.index,
        count: events.len(),
        every_s,
        deviation_s,
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
    longest.sort_by(f64::total_cmp);
    let usual = *longest.get(longest.len() / 2)?;
    usual.is_finite().then_some(usual)
}

/// Joins slow windows that are neighbours: start and longest time of each stall.
fn joined(slow: &[(f64, f64)], width: f64) -> Vec<(f64, f64)> {
    let mut events: Vec<(f64, f64)> = Vec::new();
    let mut end = f64::NEG_INFINITY;
    for &(start, longest) in slow {
        match events.last_mut() {
            Some(event) if start - end <= width * ONE_STALL => event.1 = event.1.max(longest),
            _ => events.push((start, longest)),
        }
        end = start;
    }
    events
}
