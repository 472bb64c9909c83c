use serde::{Deserialize, Serialize};

mod advice;
mod cause;
mod evidence;
mod structure;
mod unknown;

pub use advice::Advice;
pub use cause::{
    AllCores, Cause, CpuQuota, FixedConcurrency, FixedTimeout, GrowingDescriptors, GrowingMemory,
    PeriodicStalls, SaturatedPool, SaturatedThread,
};
pub use evidence::Evidence;
pub use structure::{
    ConnectionCost, DelayedAcknowledgement, Drifting, FanOut, GeneratorLimited, GrowingLatency,
    GrowingSessions, LockConvoy, ResidualSessions, SingleWriter, SlowConsumers, SlowSetup,
    SynchronisedRetries, UniquenessCollisions, UpstreamPool,
};
pub use unknown::{OneAddress, Unknown};

/// An explanation of why the target's performance stops growing: a cause from a closed list, with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The cause, with its figures.
    #[serde(flatten)]
    pub cause: Cause,
    /// Confidence in the cause.
    pub confidence: Confidence,
    /// Indices of the levels that show the cause, from 0.
    pub levels: Vec<usize>,
    /// Indices of the levels in which the cause explains most failures. These levels do not show the target's capacity.
    pub limits: Vec<usize>,
    /// Observations that support the cause.
    pub evidence: Vec<Evidence>,
    /// Questions that the measurement leaves open.
    pub unknown: Vec<Unknown>,
    /// Next steps.
    pub advice: Vec<Advice>,
}

/// Confidence in a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// The cause fits the figures, but other causes fit nearly as well.
    Low,
    /// The cause fits the figures so well that any other cause would be a coincidence.
    High,
    /// The target states the cause, and the counts agree.
    Certain,
}

impl Confidence {
    /// The word for reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::High => "high",
            Self::Certain => "certain",
        }
    }
}
