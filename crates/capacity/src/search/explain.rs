//! The last trial of a short search: a load that fails, for long enough that the findings show why.

use super::trial::{Purpose, Trial};
use super::{Ended, Search};
use crate::throughput::MORE_IN_FLIGHT;

/// A failed trial of this length shows its cause, in seconds: most findings compare the seconds of a level.
const ENOUGH_S: f64 = 5.0;
/// Measured time of the trial in seconds.
const LENGTH_S: f64 = 6.0;
/// The load is at least this multiple of the highest that held. Hardly any operations fail just above the ceiling, and
/// several findings need clearly more operations in flight than at a load that held.
const CLEARLY: f64 = MORE_IN_FLIGHT;

impl Search {
    /// Seconds of the budget that are kept for this trial, once there is a failure to explain. Longer searches do not need
    /// it, and a target that works off an overload slowly would take too long.
    pub(super) fn kept_s(&self) -> f64 {
        let is_short = self.lengths.refine < ENOUGH_S;
        if is_short && self.fails().is_some() && self.slow_drain_s() == 0.0 {
            self.cost(LENGTH_S)
        } else {
            0.0
        }
    }

    /// The trial, unless another one has shown the same or there is nothing to explain.
    pub(super) fn propose_explanation(&self, ended: Ended) -> Option<Trial> {
        let fails = match ended {
            Ended::Confirmed => self.pool.lowest_failed_above(self.confirmed?)?,
            Ended::OutOfTime => self.fails()?,
            Ended::FirstLoadFailed => self.settings.first,
            _ => return None,
        };
        let shows = |done: &super::Done| {
            let failed = done.outcome.is_valid() && done.outcome.failed();
            done.trial.purpose == Purpose::Explain || failed && done.trial.duration_s >= ENOUGH_S
        };
        // Confirmation may have exceeded its time a little.
        let has_time = self.left_s() > 0.8 * self.cost(LENGTH_S) + self.slow_drain_s();
        if self.log.iter().any(shows) || !has_time {
            return None;
        }
        let clearly = self.pool.may_hold().map_or(0.0, |held| CLEARLY * held);
        let load = self.settings.shape(fails.max(clearly));
        Some(self.trial(load, LENGTH_S, Purpose::Explain))
    }
}
