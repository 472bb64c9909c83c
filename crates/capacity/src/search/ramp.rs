//! The ramp-up time of the trials. Users who are still being set up when the measurement begins are missing from the load,
//! so that a target may seem to hold more than it does. Such a trial is repeated with a longer ramp.

use super::trial::{Evidence, Outcome, Purpose, Trial};

/// The share of the measured time that users may miss.
const MISSED_MOST: f64 = 0.02;
/// The longest ramp. A target that does not set up the users within this time does not hold the load.
const LONGEST_S: f64 = 20.0;
/// The next ramp, as a multiple of the time that the set-up took, and of the ramp before.
const MARGIN: f64 = 1.25;
const GROWTH: f64 = 2.0;

/// What a search knows about the set-up of users.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ramp {
    usual_s: f64,
    /// Needed ramp-up time for each unit of load, in seconds.
    per_load_s: f64,
    /// Whether all users of a trial were ready in time. Before that, `stay()` may not be the end of the set-up: some scripts
    /// work first, and stay then.
    were_ready: bool,
}

impl Ramp {
    pub(super) fn new(usual_s: f64) -> Self {
        Self {
            usual_s,
            per_load_s: 0.0,
            were_ready: false,
        }
    }

    /// The ramp-up time for a load in seconds, if it is longer than usual.
    pub(super) fn for_load(&self, load: f64) -> Option<f64> {
        let needed_s = (self.per_load_s * load).min(LONGEST_S);
        (needed_s > self.usual_s).then_some(needed_s)
    }

    /// By how many seconds the ramp-up time for a load is longer than usual.
    pub(super) fn more_s(&self, load: f64) -> f64 {
        self.for_load(load)
            .map_or(0.0, |needed_s| needed_s - self.usual_s)
    }

    /// Marks an outcome whose users were not ready in time: it counts for nothing and is repeated, or, if the ramp was the
    /// longest, it failed.
    pub(super) fn judge(&mut self, trial: &Trial, outcome: &mut Outcome) {
        let Some(readiness) = outcome.readiness else {
            return;
        };
        if trial.purpose == Purpose::Recovery {
            return; // it has no ramp
        }
        if readiness.missed <= MISSED_MOST {
            self.were_ready = true;
            return;
        }
        let ramp_s = trial.ramp_s.unwrap_or(self.usual_s);
        // The second failure, with a longer ramp, is not one of the set-up.
        let fails_anyway = outcome.failed() && trial.ramp_s.is_some();
        if !self.were_ready || fails_anyway {
            return;
        }
        let next_s = (readiness.last_s * MARGIN)
            .max(ramp_s * GROWTH)
            .min(LONGEST_S);
        if next_s > ramp_s {
            outcome.not_ready = true;
            self.per_load_s = self.per_load_s.max(next_s / trial.load);
        } else if !outcome.failed() {
            outcome.evidence = Evidence::Broken;
        }
    }
}
