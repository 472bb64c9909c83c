use serde::{Deserialize, Serialize};

use crate::{GeneratorUse, IssueCause, LevelIssue, Limited, Measured, Severity, TargetUse, Window};

/// One load and its measurements. Figures are never pooled over levels.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// Index of the level, from 0.
    pub index: usize,
    /// The planned load.
    pub load: Load,
    /// Lengths of the level's phases.
    pub phases: Phases,
    /// All reasons to doubt the level's figures. Empty in a valid level.
    #[serde(default)]
    pub issues: Vec<LevelIssue>,
    /// The check of Little's law. `None` if the level was too short.
    #[serde(default)]
    pub little: Option<Little>,
    /// Measurements of the workers.
    pub measured: Measured,
    /// Time series. Seconds in which nothing happened are missing.
    pub series: Vec<Window>,
    /// The responses with status 429, if there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limited: Option<Limited>,
    /// The target's own process, if it was found.
    pub target: Option<TargetUse>,
    /// The generator itself.
    pub generator: GeneratorUse,
    /// State left from an earlier run when the level began, as counted by the target: for example a number of sessions.
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
    /// Composition of a group: `5`, or `1 buyer + 3 sellers`.
    pub group_size: String,
    /// Planned arrivals per second of an open load, on average.
    pub rate_per_s: Option<f64>,
    /// The rate as the user wrote it: `500/s for 10s, nothing for 50s`.
    #[serde(default)]
    pub rate: Option<String>,
    /// Distribution of the arrivals: `even` or `poisson`.
    #[serde(default)]
    pub arrivals: Option<String>,
    /// Whether every group ran its scenario exactly once, all started together.
    pub once: bool,
}

/// Little's law: groups at work = iterations per second × time of one iteration. No correct measurement violates it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Little {
    /// Average number of groups at work during the measured time.
    pub at_work: f64,
    /// Iterations per second that ended, or were in flight at the end of the measured time.
    pub per_s: f64,
    /// Average time of these iterations within the measured time, in seconds: from their actual start until they ended
    /// or the measured time ended.
    pub time_s: f64,
    /// Whether both sides agree, within the error that the edges of the measured time explain.
    pub holds: bool,
}

/// Whether the figures of a level describe the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validity {
    /// Nothing casts doubt on the figures.
    Valid,
    /// The generator came near its limits, or part of the planned load was not made.
    Questionable,
    /// The generator was the limit.
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
    /// Returns the most severe effect of the level's issues.
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
    /// Ramp-up: until all users were present.
    pub ramp_s: f64,
    /// Warm-up: at full load, before the measurement.
    pub warmup_s: f64,
    /// The measurement.
    pub duration_s: f64,
    /// Settling: waiting for operations in flight.
    pub settle_s: f64,
    /// Draining: until all users had finished.
    pub drain_s: f64,
}
