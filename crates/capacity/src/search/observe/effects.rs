//! How many values of a trial are worth one independent value.

use model::Nanos;
use record::Level;
use stats::Blocks;

use crate::windows;

/// Fewer seconds do not show how they differ.
const FEWEST_SECONDS: usize = 5;
/// A variance estimated from a few seconds may be too low by this factor.
const UNCERTAIN: f64 = 3.0;

/// The design effect of a share of values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Effects {
    /// `None` if too few values are beyond the limit.
    pub(super) likely: Option<f64>,
    /// An upper bound. `None` if the trial is too short to tell.
    pub(super) most: Option<f64>,
}

impl Effects {
    /// Of the share of times beyond a limit.
    pub(super) fn of_times(blocks: &Blocks, limit: Nanos) -> Self {
        Self {
            likely: blocks.likely_design_effect_at(limit),
            most: blocks.design_effect_at(limit),
        }
    }

    /// Of the share of requests that fail. Unknown if the level is short, or nothing failed, or there are round trips,
    /// whose failures are counted with those of requests.
    ///
    /// The number of failures varies from second to second. Its variance is divided by that of independent failures.
    pub(super) fn of_failures(level: &Level) -> Self {
        of_failures(level).map_or(Self::default(), |effect| Self {
            likely: Some(effect.max(1.0)),
            most: Some((effect * UNCERTAIN).max(1.0)),
        })
    }
}

fn of_failures(level: &Level) -> Option<f64> {
    if windows::complete(level).any(|window| window.round_trips > 0) {
        return None;
    }
    let seconds: Vec<(f64, f64)> = windows::complete(level)
        .map(|window| (window.requests as f64, window.failed as f64))
        .collect();
    let of: f64 = seconds.iter().map(|one| one.0).sum();
    let failed: f64 = seconds.iter().map(|one| one.1).sum();
    if seconds.len() < FEWEST_SECONDS || failed <= 0.0 || failed >= of {
        return None;
    }
    let share = failed / of;
    let differences = seconds.iter().map(|one| (one.1 - share * one.0).powi(2));
    let freedom = (seconds.len() - 1) as f64;
    let variance = differences.sum::<f64>() / freedom;
    let independent = of / seconds.len() as f64 * share * (1.0 - share);
    Some(variance / independent)
}

#[cfg(test)]
mod tests {
    use record::Window;

    use super::*;

    fn level(failed: &[u64]) -> Level {
        let mut level = Level::default();
        level.phases.duration_s = failed.len() as f64;
        let window = |(at, failed): (usize, &u64)| Window {
            start_s: at as f64,
            requests: 100,
            failed: *failed,
            ..Window::default()
        };
        level.series = failed.iter().enumerate().map(window).collect();
        level
    }

    #[test]
    fn as_many_failures_in_each_second_are_as_good_as_independent() {
        let effects = Effects::of_failures(&level(&[2, 2, 1, 2, 2, 2]));
        assert_eq!((effects.likely, effects.most), (Some(1.0), Some(1.0)));
    }

    #[test]
    fn failures_in_one_second_are_worth_few() {
        // The share is 2 %, so independent failures have a variance of 1.96 per second; these have 24.
        let effects = Effects::of_failures(&level(&[12, 0, 0, 0, 0, 0]));
        let (likely, most) = (effects.likely.unwrap(), effects.most.unwrap());
        assert!((likely - 24.0 / 1.96).abs() < 0.01, "{likely}");
        assert!((most - 3.0 * likely).abs() < 0.01, "{most}");
    }

    #[test]
    fn failures_of_round_trips_are_not_told_apart() {
        let mut mixed = level(&[2, 2, 1, 2, 2, 2]);
        mixed.series[3].round_trips = 1;
        assert_eq!(Effects::of_failures(&mixed), Effects::default());
    }

    #[test]
    fn a_few_seconds_do_not_tell() {
        let unknown = Effects::default();
        assert_eq!(Effects::of_failures(&level(&[2, 2, 2, 2])), unknown);
        assert_eq!(Effects::of_failures(&level(&[0; 9])), unknown);
    }
}
