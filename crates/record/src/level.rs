use serde::{Deserialize, Serialize};
use stats::HeatMap;

use crate::{GeneratorUse, IssueCause, LevelIssue, Limited, Measured, Severity, TargetUse, Window};

/// One load and its measurements. Figures of different levels are never pooled.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// Index of the level, from 0.
    pub index: usize,
    /// The planned load.
    pub load: Load,
    /// Start of the level, in seconds since the start of the run. `None` in the first records of version 3, and in
    /// older ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_s: Option<f64>,
    /// Lengths of the level's phases.
    pub phases: Phases,
    /// All reasons to doubt the level's figures. Empty if the level is valid.
    #[serde(default)]
    pub issues: Vec<LevelIssue>,
    /// The check of Little's law. `None` if the level was too short.
    #[serde(default)]
    pub little: Option<Little>,
    /// Measurements of the workers.
    pub measured: Measured,
    /// Time series with one window per second. Seconds in which nothing happened are missing.
    pub series: Vec<Window>,
    /// The times behind the percentiles of `series`, over time. Empty in records of older versions of headcount.
    #[serde(default, skip_serializing_if = "HeatMap::is_empty")]
    pub heat_map: HeatMap,
    /// Statistics of the responses with status 429. `None` if there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limited: Option<Limited>,
    /// Resource use of the target's own process. `None` if the process was not found.
    pub target: Option<TargetUse>,
    /// Resource use of the generator itself.
    pub generator: GeneratorUse,
    /// State left from an earlier run when the level began, such as a number of sessions. The target reports this
    /// number.
    pub leftovers: Option<f64>,
    /// Whether generator and target ran on the same cores.
    pub shares_cores_with_target: bool,
}

/// The load of a level.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// Number of users at full load.
    pub users: u64,
    /// Number of groups at full load.
    pub groups: u64,
    /// Composition of a group, such as `5` or `1 buyer + 3 sellers`.
    pub group_size: String,
    /// Planned arrivals per second of an open load, averaged over the measured time.
    pub rate_per_s: Option<f64>,
    /// The rate as the user wrote it: `500/s for 10s, nothing for 50s`.
    #[serde(default)]
    pub rate: Option<String>,
    /// Distribution of the arrivals: `even` or `poisson`.
    #[serde(default)]
    pub arrivals: Option<String>,
    /// Whether every group ran its scenario exactly once, with all groups starting together.
    pub once: bool,
}

impl Load {
    /// Planned arrivals per second of an open load, otherwise the number of users.
    #[must_use]
    pub fn amount(&self) -> f64 {
        self.rate_per_s.unwrap_or(self.users as f64)
    }
}

/// Little's law: groups at work = iterations per second × time of one iteration. No correct measurement violates it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Little {
    /// Average number of groups at work during the measured time.
    pub at_work: f64,
    /// Iterations per second. Counts iterations that ended in the measured time or were in flight at its end.
    pub per_s: f64,
    /// Average time of these iterations within the measured time, in seconds. An iteration's time ends when the
    /// iteration or the measured time ends.
    pub time_s: f64,
    /// Whether both sides agree, up to the error at the edges of the measured time.
    pub holds: bool,
}

/// Whether the figures of a level describe the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validity {
    /// There is no reason to doubt the figures.
    Valid,
    /// The generator came near its limits, or did not generate part of the planned load.
    Questionable,
    /// The generator was the limit, so the figures do not describe the target.
    Invalid,
}

impl Validity {
    /// The word for reports and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Questionable => "questionable",
            Self::Invalid => "invalid",
        }
    }
}

impl Level {
    /// Returns the validity that follows from the level's most severe issue.
    pub fn validity(&self) -> Validity {
        match self.issues.iter().map(|issue| issue.severity).max() {
            Some(Severity::Invalid) => Validity::Invalid,
            Some(Severity::Questionable) => Validity::Questionable,
            None => Validity::Valid,
        }
    }

    /// Whether the generator was the limit, so that the figures do not describe the target.
    pub fn is_invalid(&self) -> bool {
        self.validity() == Validity::Invalid
    }

    /// Returns the share of the measured time that the average user missed, because the user had not yet called `stay()`.
    /// `None` if nobody called it, in an open load, whose users come and go, and with `once`, where all start when the
    /// measurement begins.
    pub fn missed_share(&self) -> Option<f64> {
        let is_closed = self.load.rate_per_s.is_none() && !self.load.once;
        let missed = self.measured.presence.missed_share(self.phases.duration_s);
        missed.filter(|_| is_closed)
    }

    /// Returns the causes that make the level invalid.
    pub fn invalid_because(&self) -> impl Iterator<Item = &IssueCause> {
        let invalid = |issue: &&LevelIssue| issue.severity == Severity::Invalid;
        self.issues.iter().filter(invalid).map(|issue| &issue.cause)
    }

    /// Returns the causes that make a level questionable. An invalid level may have such causes too.
    pub fn questionable_because(&self) -> impl Iterator<Item = &IssueCause> {
        let questionable = |issue: &&LevelIssue| issue.severity == Severity::Questionable;
        self.issues
            .iter()
            .filter(questionable)
            .map(|issue| &issue.cause)
    }
}

/// Lengths of the phases of a level, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Phases {
    /// Ramp-up, which ends when all users are present.
    pub ramp_s: f64,
    /// Warm-up, the time at full load before the measurement.
    pub warmup_s: f64,
    /// The measurement.
    pub duration_s: f64,
    /// Settling, in which headcount waits for operations in flight.
    pub settle_s: f64,
    /// Draining, which ends when all users have finished.
    pub drain_s: f64,
}

impl Phases {
    /// Length of the whole level in seconds.
    #[must_use]
    pub fn total_s(&self) -> f64 {
        self.ramp_s + self.warmup_s + self.duration_s + self.settle_s + self.drain_s
    }
}
