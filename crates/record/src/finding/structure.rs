//! Figures of causes in the structure of the target, of the load, or of the generator.

use serde::{Deserialize, Serialize};

/// Figures of a generator that is the limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GeneratorLimited {
    /// Requests and round trips per second that the generator reached, which the target can do at least. If there are
    /// none, deliveries per second.
    pub per_s: f64,
    /// Whether `per_s` counts deliveries.
    #[serde(default)]
    pub deliveries: bool,
}

/// Figures of an operation that prepares an iteration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SlowSetup {
    /// Name of the operation.
    pub name: String,
    /// Its mean time in milliseconds.
    pub ms: f64,
    /// Its share of the time of all operations, in percent.
    pub share_percent: f64,
}

/// Figures of connections that are slow to open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConnectionCost {
    /// Mean time until a connection is open, in milliseconds.
    pub ms: f64,
    /// Share of this time in the time of all connections and operations, in percent.
    pub share_percent: f64,
}

/// Figures of messages with many receivers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FanOut {
    /// Mean number of receivers of a message.
    pub receivers: f64,
    /// CPU time of a message in microseconds.
    pub message_us: f64,
    /// Exponent with which the CPU time of a message grows with the number of its receivers.
    pub power: f64,
}

/// Figures of threads that take turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LockConvoy {
    /// Number of threads.
    pub threads: u64,
    /// CPU of all of them, in percent of one core.
    pub cpu_percent: f64,
}

/// Figures of a target that writes one change at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SingleWriter {
    /// Share of the time in which a thread waited for the disk, in percent.
    pub disk_percent: f64,
    /// CPU of all threads, in percent of one core.
    pub cpu_percent: f64,
}

/// Figures of an exhausted pool of connections to an upstream service.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UpstreamPool {
    /// Number of connections.
    pub connections: u64,
    /// Address of the upstream service.
    pub address: String,
    /// Requests per second at which all connections are in use.
    pub per_s: f64,
}

/// Figures of slow receivers that delay the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SlowConsumers {
    /// Number of connections with a slow receiver.
    pub slow: u64,
    /// Number of all established connections.
    pub of: u64,
    /// Median time of deliveries, or of operations without deliveries, in milliseconds.
    pub ms: f64,
}

/// Figures of sessions that are left in the target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ResidualSessions {
    /// Number of sessions that were left by earlier levels.
    pub left: f64,
    /// Number of sessions left by one iteration. `None` if no iteration was counted.
    pub per_iteration: Option<f64>,
}

/// Figures of synchronised retries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SynchronisedRetries {
    /// Time from one wave to the next, in seconds.
    pub every_s: f64,
    /// Share of all operations that end in the waves, in percent.
    pub share_percent: f64,
}

/// Figures of delayed acknowledgements.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DelayedAcknowledgement {
    /// Name of the operation.
    pub name: String,
    /// Share of its responses that are late by the delay, in percent.
    pub share_percent: f64,
    /// The delay in milliseconds.
    pub delay_ms: f64,
}

/// Figures of colliding creations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UniquenessCollisions {
    /// Name of the request.
    pub name: String,
    /// Share of the requests that were refused with status 409, in percent.
    pub share_percent: f64,
}

/// Figures of response times that grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GrowingLatency {
    /// Growth of the median in milliseconds per hour.
    pub ms_per_h: f64,
    /// Median in milliseconds at the end of the measured time.
    pub ms: f64,
    /// Time until the median is twice as long, in seconds.
    pub doubled_after_s: f64,
}

/// Figures of established connections whose number grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GrowingSessions {
    /// Growth per second.
    pub per_s: f64,
    /// Time until the limit of descriptors is reached at this rate, in seconds. `None` if the limit is unknown.
    pub full_after_s: Option<f64>,
}

/// A figure whose growth is evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Drifting {
    /// The median response time, or delivery latency.
    Latency,
    /// The number of established connections.
    Connections,
}
