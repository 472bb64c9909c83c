//! Events at equal intervals.

use record::{Confidence, Level, Run};

use crate::levels::usable;
use crate::throughput::is_even;

/// Events that are closer than this are one event, in seconds.
const ONE_EVENT_S: f64 = 1.5;
/// Fewest events that show a period.
const FEWEST: usize = 4;
/// Number of events from which chance does not explain equal intervals.
const MANY: u64 = 6;
/// An interval may differ from the period by this share of the period, or by one second.
const EQUAL: f64 = 0.1;
/// Shortest period, in seconds. Of shorter ones, nearly every window has an event.
const SHORTEST_S: f64 = 2.5;

/// The equal intervals between events.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Period {
    /// Number of events.
    pub(crate) events: u64,
    /// Mean interval in seconds.
    pub(crate) every_s: f64,
    /// Largest deviation from it.
    pub(crate) deviation_s: f64,
}

impl Period {
    /// Returns the confidence that the intervals are not equal by chance.
    pub(crate) fn confidence(&self) -> Confidence {
        if self.events >= MANY {
            Confidence::High
        } else {
            Confidence::Low
        }
    }
}

/// The levels of a run that have events at equal intervals.
pub(crate) struct Periodic<T> {
    /// Indices of the levels.
    pub(crate) levels: Vec<usize>,
    /// The period of the level with the most events.
    pub(crate) period: Period,
    /// The other figures of that level.
    pub(crate) figures: T,
}

/// Finds the levels with events at equal intervals. `of_level` returns the period of a level and other figures. A rate
/// profile may have a period of its own, so only levels with an even load are examined.
pub(crate) fn periodic<T>(
    run: &Run,
    of_level: impl Fn(&Level) -> Option<(Period, T)>,
) -> Option<Periodic<T>> {
    let found: Vec<(usize, Period, T)> = usable(run)
        .filter(|level| is_even(level))
        .filter_map(|level| of_level(level).map(|(period, figures)| (level.index, period, figures)))
        .collect();
    let levels = found.iter().map(|(level, ..)| *level).collect();
    let (_, period, figures) = found
        .into_iter()
        .max_by_key(|(_, period, _)| period.events)?;
    Some(Periodic {
        levels,
        period,
        figures,
    })
}

/// Returns the period of events that start at these times, in ascending order. `None` if their intervals differ, or if
/// there are too few.
pub(crate) fn period(starts: &[f64]) -> Option<Period> {
    let (first, last) = (starts.first()?, starts.last()?);
    let every_s = (last - first) / (starts.len().max(2) - 1) as f64;
    let deviation_s = starts
        .windows(2)
        .map(|pair| (pair[1] - pair[0] - every_s).abs())
        .fold(0.0, f64::max);
    let is_periodic = starts.len() >= FEWEST
        && every_s >= SHORTEST_S
        && deviation_s <= (every_s * EQUAL).max(1.0);
    is_periodic.then_some(Period {
        events: starts.len() as u64,
        every_s,
        deviation_s,
    })
}

/// Joins windows that are neighbours. Each window has a start and a value; an event has the start of its first window
/// and the largest value.
pub(crate) fn joined(windows: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut events: Vec<(f64, f64)> = Vec::new();
    let mut end = f64::NEG_INFINITY;
    for &(start, value) in windows {
        match events.last_mut() {
            Some(event) if start - end <= ONE_EVENT_S => event.1 = event.1.max(value),
            _ => events.push((start, value)),
        }
        end = start;
    }
    events
}
