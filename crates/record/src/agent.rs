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
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentClock {
    /// By how much it was ahead at the last measurement, which precedes a level.
    pub offset_ms: f64,
    /// The largest error of the correction: half of the width of the interval that contains the offset.
    pub error_ms: f64,
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
