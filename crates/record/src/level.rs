use serde::{Deserialize, Serialize};

use crate::{GeneratorUse, Measured, TargetUse, Window};

/// One load and what was measured under it. Nothing is pooled over levels.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// Which one, from zero.
    pub index: usize,
    /// The load that was planned.
    pub load: Load,
    /// How long its phases took.
    pub phases: Phases,
    /// Whether the target was the limit and not the generator.
    pub sound: bool,
    /// Why it is not sound, one sentence each.
    pub unsound_reasons: Vec<String>,
    /// What the workers measured.
    pub measured: Measured,
    /// The course of time; a second in which nothing happened is missing.
    pub series: Vec<Window>,
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
    /// Planned arrivals per second, of an open load.
    pub rate_per_s: Option<f64>,
    /// Whether every group ran its scenario exactly once, all at the same time.
    pub once: bool,
}

/// How long the phases of a level took, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Phases {
    /// Until all users were there.
    pub ramp_s: f64,
    /// At full load, before measuring.
    pub warmup_s: f64,
    /// Measured.
    pub hold_s: f64,
    /// Waiting for what was still in flight.
    pub settle_s: f64,
    /// Closing down.
    pub drain_s: f64,
}
