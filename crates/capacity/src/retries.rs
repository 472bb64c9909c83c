//! Finds operations that are refused and tried again at the same time, so that they are refused again.
//!
//! They arrive in waves at equal intervals, and fail in the waves. Periodic stalls have waves of slow operations that
//! succeed.

use record::{Advice, Cause, Evidence, Finding, Level, Run, SynchronisedRetries, Unknown};

use crate::periods::{Period, Periodic, joined, period, periodic};
use crate::windows;

/// A second of a wave has this multiple of the mean number of operations.
const TIMES_MORE: f64 = 1.8;
/// Fewest operations in a second of a wave.
const FEWEST: u64 = 10;
/// Share of the operations that fail in a wave.
const FAILED: f64 = 0.2;
/// Share of all operations that end in waves.
const IN_WAVES: f64 = 0.6;

/// The waves of a level.
struct Waves {
    /// Share of all operations that end in waves.
    share: f64,
    failed: f64,
    per_s: f64,
    between_per_s: f64,
}

/// Finds synchronised retries.
pub(crate) fn find(run: &Run) -> Option<Finding> {
    let Periodic {
        levels,
        period,
        figures: waves,
    } = periodic(run, waves)?;
    Some(Finding {
        cause: Cause::SynchronisedRetries(SynchronisedRetries {
            every_s: period.every_s,
            share_percent: waves.share * 100.0,
        }),
        confidence: period.confidence(),
        levels,
        limits: Vec::new(),
        evidence: vec![
            Evidence::WavesEvery {
                waves: period.events,
                seconds: period.every_s,
                deviation_s: period.deviation_s,
            },
            Evidence::WavesFailed {
                percent: waves.failed * 100.0,
                per_s: waves.per_s,
                between_per_s: waves.between_per_s,
            },
        ],
        unknown: vec![Unknown::WhoRetries],
        advice: vec![Advice::SpreadRetries],
    })
}

fn waves(level: &Level) -> Option<(Period, Waves)> {
    let ended = |window: &record::Window| window.requests + window.round_trips;
    let all: u64 = windows::measured(level).map(ended).sum();
    let seconds = level.phases.duration_s;
    let limit = (all as f64 / seconds * TIMES_MORE).max(FEWEST as f64);
    let in_waves: Vec<&record::Window> = windows::measured(level)
        .filter(|window| ended(window) as f64 >= limit)
        .collect();
    let of_waves: u64 = in_waves.iter().map(|window| ended(window)).sum();
    let failed: u64 = in_waves.iter().map(|window| window.failed).sum();
    let share = of_waves as f64 / all.max(1) as f64;
    let failed = failed as f64 / of_waves.max(1) as f64;
    if share < IN_WAVES || failed < FAILED {
        return None;
    }
    let starts: Vec<(f64, f64)> = in_waves
        .iter()
        .map(|window| (window.start_s, ended(window) as f64))
        .collect();
    let events = joined(&starts);
    let starts: Vec<f64> = events.iter().map(|event| event.0).collect();
    let between = seconds - in_waves.len() as f64;
    let waves = Waves {
        share,
        failed,
        per_s: events.iter().map(|event| event.1).fold(0.0, f64::max),
        between_per_s: all.saturating_sub(of_waves) as f64 / between.max(1.0),
    };
    Some((period(&starts)?, waves))
}
