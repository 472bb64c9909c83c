use serde::{Deserialize, Serialize};

/// An agent of a fleet: a process that ran a part of the load, usually on a machine of its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Agent {
    /// Its name.
    pub name: String,
    /// Its version of headcount.
    pub version: String,
    /// Number of cores that it may use. `None` if unknown.
    pub cores: Option<u32>,
    /// Memory of its machine in MB (10^6 bytes). `None` if unknown.
    pub memory_mb: Option<u64>,
    /// Number of its worker threads.
    pub workers: u32,
    /// Its clock, compared with the coordinator's. `None` if it could not be measured.
    pub clock: Option<AgentClock>,
    /// How the agent was lost. `None` if it took part until the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<AgentLoss>,
}

/// The clock of an agent, compared with the coordinator's clock.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentClock {
    /// By how much it was ahead at the last measurement.
    pub offset_ms: f64,
    /// The largest error of this figure: half of the width of the interval that contains the offset.
    pub error_ms: f64,
    /// How much faster it was than the coordinator's clock, in parts per million. `None` if the measurements were too close
    /// to each other, or too uneven.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift_ppm: Option<f64>,
    /// When it started, by the wall clock of the agent's machine, in RFC 3339 format. Wall clocks are compared nowhere, so
    /// that this shows whether the offset is plausible.
    #[serde(default)]
    pub started_at: String,
}

/// How an agent was lost. Its part of the level is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentLoss {
    /// Nothing came from it for longer than a lease is valid.
    Silent,
    /// It ended its load, because the coordinator had not renewed its lease in time.
    LeaseLapsed,
    /// Messages from it are missing.
    MessagesLost,
}
