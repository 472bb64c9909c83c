use serde::{Deserialize, Serialize};

use crate::{GeneratorUse, IssueCause, LevelIssue, Limited, Measured, Severity, TargetUse, Window};

/// One load and what was measured under it. Nothing is pooled over levels.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// Which one, from zero.
    pub index: usize,
    /// The load that was planned.
    pub load: Load,
    /// How long its phases took.
    pub phases: Phases,
    /// Everything that speaks against its figures; empty in a valid level.
    #[serde(default)]
    pub issues: Vec<LevelIssue>,
    /// Whether Little's law holds; `None` where the level was too short to tell.
    #[serde(default)]
    pub little: Option<Little>,
    /// What the workers measured.
    pub measured: Measured,
    /// The course of time; a second in which nothing happened is missing.
    pub series: Vec<Window>,
    /// The answers with status 429, where there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limited: Option<Limited>,
    /// The target's own process, when it was found.
    pub target: Option<TargetUse>,
    /// headcount itself.
    pub generator: GeneratorUse,
    /// What the target still held from an earlier run before the level began (sessions, as its own count says).
    pub leftovers: Option<f64>,
    /// Whether generator and target ran on the same cores.
    pub shares_cores_with_target: bool,
}

/// The load of a level.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// Users at full load.
    pub users: u64,
    /// Groups at full load.
    pub groups: u64,
    /// Who is in a group: `5`, or `1 buyer + 3 sellers`.
    pub group_size: String,
    /// Planned arrivals per second of an open load, on average.
    pub rate_per_s: Option<f64>,
    /// The rate as the user wrote it: `500/s for 10s, nothing for 50s`.
    #[serde(default)]
    pub rate: Option<String>,
    /// How the arrivals are spread: `even` or `poisson`.
    #[serde(default)]
    pub arrivals: Option<String>,
    /// Whether every group ran its scenario exactly once, all at the same time.
    pub once: bool,
}

/// Little's law, which no measurement may break: those at work = iterations per second × the time of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Little {
    /// Groups at work at the same time, on average over the measured time.
    pub at_work: f64,
    /// Iterations that ended, or were in flight at the end of the measured time, per second.
    pub per_s: f64,
    /// How long one of them took from its actual start, or had been in flight, on average, in seconds.
    pub time_s: f64,
    /// Whether the two sides agree within what the edges of the measured time explain.
    pub holds: bool,
}

/// Whether a level's numbers are the target's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validity {
    /// Nothing speaks against it.
    Valid,
    /// The generator came near its limits: read with care.
    Questionable,
    /// The generator was the limit.
    Invalid,
}

impl Validity {
    /// As people write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Questionable => "questionable",
            Self::Invalid => "invalid",
        }
    }
}

impl Level {
    /// Valid, questionable or invalid.
    pub fn validity(&self) -> Validity {
        match self.issues.iter().map(|issue| issue.severity).max() {
            Some(Severity::Invalid) => Validity::Invalid,
            Some(Severity::Questionable) => Validity::Questionable,
            None => Validity::Valid,
        }
    }

    /// Whether the generator was the limit, so that the figures are not the target's.
    pub fn is_invalid(&self) -> bool {
        self.validity() == Validity::Invalid
    }

    /// Why it is invalid.
    pub fn invalid_because(&self) -> impl Iterator<Item = &IssueCause> {
        let invalid = |issue: &&LevelIssue| issue.severity == Severity::Invalid;
        self.issues.iter().filter(invalid).map(|issue| &issue.cause)
    }

    /// Why it is questionable; an invalid level may have such issues too.
    pub fn questionable_because(&self) -> impl Iterator<Item = &IssueCause> {
        let questionable = |issue: &&LevelIssue| issue.severity == Severity::Questionable;
        self.issues
            .iter()
            .filter(questionable)
            .map(|issue| &issue.cause)
    }
}

/// How long the phases of a level took, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Phases {
    /// Until all users were there.
    pub ramp_s: f64,
    /// At full load, before measuring.
    pub warmup_s: f64,
    /// Measured.
    pub duration_s: f64,
    /// Waiting for what was still in flight.
    pub settle_s: f64,
    /// Closing down.
    pub drain_s: f64,
}
