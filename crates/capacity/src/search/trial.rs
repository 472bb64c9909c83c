//! The trials of a search: what is asked for, and what came out.

use record::IssueCause;
use serde::{Deserialize, Serialize};

/// A trial that the search asks for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The load, in the unit of the searched quantity.
    pub load: f64,
    /// The measured time in seconds.
    pub duration_s: f64,
    /// Time without load before the trial, in seconds.
    pub pause_s: f64,
    /// The reason for the trial.
    pub purpose: Purpose,
    /// The ramp-up time in seconds, if it is longer than usual, because users were not ready in time before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ramp_s: Option<f64>,
}

/// The reason for a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// The first load, repeated until the target is warm.
    WarmUp,
    /// A larger load than any before.
    Expand,
    /// A low load whose figures are later compared with those of another trial at the same load.
    Reference,
    /// A load near the expected ceiling.
    Refine,
    /// A long trial at a load that should hold.
    Confirm,
    /// A trial at a load that should fail.
    Above,
    /// A low load after a failure, to see whether the target has recovered.
    Recovery,
    /// The reference load again, to see whether the target has become slower.
    Drift,
    /// A load far above the stable ceiling, for the soft and the hard ceiling.
    Overload,
    /// A load above the ceiling, for long enough that the findings show why it fails.
    Explain,
}

/// The outcome of a trial.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Time from the request for the trial to its outcome, in seconds.
    pub took_s: f64,
    /// Reasons why the generator, and not the target, determined the figures. The outcome then proves nothing about the
    /// target.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub generator: Vec<IssueCause>,
    /// What the trial says about the thresholds.
    pub evidence: Evidence,
    /// The load that arrived, in the unit of the searched quantity: random arrivals are more or fewer than asked for. `None`
    /// for other loads, and in older searches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrived: Option<f64>,
    /// The load that the target completed, in the unit of the searched quantity, if it completed clearly less than
    /// was started. Only for rates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed: Option<f64>,
    /// Median response time or delivery latency in milliseconds.
    pub median_ms: Option<f64>,
    /// Share of the planned work that succeeded.
    pub succeeded: Option<f64>,
    /// Iterations per second that succeeded.
    pub succeeded_per_s: Option<f64>,
    /// Requests and round trips that succeeded, and deliveries, per second, as they ended: an overloaded target completes
    /// some only after the measured time. Iterations if there are none of them. `None` in older searches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throughput_per_s: Option<f64>,
    /// When the users were ready. `None` for rates, and if no user calls `stay()`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readiness: Option<Readiness>,
    /// Whether the trial is repeated with a longer ramp, because its users were not ready in time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub not_ready: bool,
    /// Whether a threshold could not be decided.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undecided: bool,
    /// Thresholds that broke, as the user wrote them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub broken: Vec<String>,
    /// Thresholds whose subject was not measured at all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmeasured: Vec<String>,
    /// State left from earlier trials, as the target reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leftovers: Option<f64>,
}

/// When the users of a trial were ready, which they are when they call `stay()`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Readiness {
    /// Share of the measured time that the average user missed.
    pub missed: f64,
    /// Time from the start of the trial until the last user was ready, in seconds.
    pub last_s: f64,
}

/// What a trial says about the thresholds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Evidence {
    /// The counts of the threshold that was nearest to its limit, or farthest beyond it.
    Share(ShareEvidence),
    /// Every threshold held.
    Held,
    /// At least one threshold broke that has no counts.
    Broken,
    /// The thresholds could not be decided.
    #[default]
    Undecided,
}

/// Counts of values on the wrong side of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShareEvidence {
    /// Number of values beyond the limit.
    pub beyond: f64,
    /// Number of values.
    pub of: f64,
    /// Share of the values that may be beyond the limit, between 0 and 1.
    pub allowed: f64,
    /// Number of values that are worth one independent value, at most. `None` if the trial is too short to tell.
    pub design_effect: Option<f64>,
    /// The same, without allowance for chance: too low or too high in one trial, and right for many together. `None` also
    /// if too few values are beyond the limit, and in older searches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub likely_design_effect: Option<f64>,
}

impl ShareEvidence {
    /// Share of the values beyond the limit.
    pub fn share(&self) -> f64 {
        self.beyond / self.of.max(1.0)
    }
}

/// Standard normal quantile of the one-sided 95 % bound by which a trial counts as failed.
const Z: f64 = 1.64;
/// With fewer values, a trial fails only if all of them, and at least three, are beyond the limit.
const FEWEST: f64 = 10.0;
const FEWEST_ALL_BEYOND: f64 = 3.0;
/// Values that are worth one, where the trial itself does not tell.
const BLOCKS_OF_SHORT_TRIAL: f64 = 20.0;

impl Outcome {
    /// Whether the figures describe the target under this load.
    pub fn is_valid(&self) -> bool {
        self.generator.is_empty() && !self.not_ready
    }

    /// Whether the trial broke a threshold beyond chance, or the target fell behind.
    pub fn failed(&self) -> bool {
        self.completed.is_some() || self.broke_beyond_chance()
    }

    /// Whether the trial shows, as one of several, that the target holds the load: it broke no threshold beyond chance.
    pub(super) fn counts_as_held(&self) -> bool {
        let has_counts = matches!(self.evidence, Evidence::Share(_));
        !self.failed() && !self.undecided && (self.held() || has_counts)
    }

    /// Whether the target may need time to recover. A few values beyond the limit leave nothing behind.
    pub fn overloaded(&self) -> bool {
        const MANY: f64 = 0.3;
        self.failed()
            && match self.evidence {
                Evidence::Share(counts) => self.completed.is_some() || counts.share() > MANY,
                _ => true,
            }
    }

    fn broke_beyond_chance(&self) -> bool {
        match self.evidence {
            Evidence::Held | Evidence::Undecided => false,
            Evidence::Broken => true,
            Evidence::Share(counts) => {
                let ShareEvidence {
                    beyond,
                    of,
                    allowed,
                    ..
                } = counts;
                if beyond >= of {
                    return of >= FEWEST_ALL_BEYOND;
                }
                if of < FEWEST || counts.share() <= allowed {
                    return false;
                }
                let effect = counts.design_effect.unwrap_or(of / BLOCKS_OF_SHORT_TRIAL);
                let independent = (of / effect.max(1.0)).max(FEWEST_ALL_BEYOND);
                lower_bound(counts.share(), independent) > allowed
            }
        }
    }

    /// Whether the figures, taken as they are, keep the thresholds.
    pub fn held(&self) -> bool {
        self.completed.is_none()
            && match self.evidence {
                Evidence::Held => true,
                Evidence::Broken | Evidence::Undecided => false,
                Evidence::Share(counts) => counts.of > 0.0 && counts.share() <= counts.allowed,
            }
    }
}

/// The lower end of Wilson's interval for a share of `n` independent values.
fn lower_bound(share: f64, n: f64) -> f64 {
    let z2 = Z * Z;
    let middle = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z / (1.0 + z2 / n) * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    (middle - half).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(beyond: f64, of: f64, design_effect: Option<f64>) -> Outcome {
        let allowed = 0.05;
        Outcome {
            evidence: Evidence::Share(ShareEvidence {
                beyond,
                of,
                allowed,
                design_effect,
                likely_design_effect: None,
            }),
            ..Outcome::default()
        }
    }

    #[test]
    fn a_trial_fails_only_beyond_chance() {
        // With 1,000 independent values, 6.3 % is beyond 5 % by the one-sided 95 % bound of Wilson, and 6.0 % is not.
        assert!(outcome(63.0, 1000.0, Some(1.0)).failed());
        assert!(!outcome(60.0, 1000.0, Some(1.0)).failed());
        assert!(!outcome(63.0, 1000.0, Some(10.0)).failed(), "worth 100");
        assert!(!outcome(8.0, 9.0, Some(1.0)).failed(), "too few values");
        assert!(!outcome(2.0, 2.0, Some(1.0)).failed(), "too few values");
        assert!(outcome(10.0, 10.0, None).failed(), "every value is beyond");
    }

    #[test]
    fn a_trial_that_is_neither_held_nor_failed_is_open() {
        let open = outcome(55.0, 1000.0, Some(5.0));
        assert!(!open.held() && !open.failed());
        assert!(!Outcome::default().held() && !Outcome::default().failed());
    }

    #[test]
    fn a_target_that_falls_behind_fails_although_its_thresholds_hold() {
        let behind = Outcome {
            completed: Some(90.0),
            ..outcome(0.0, 1000.0, None)
        };
        assert!(behind.failed() && !behind.held());
    }
}
