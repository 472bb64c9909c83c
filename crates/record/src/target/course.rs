use serde::{Deserialize, Serialize};

/// A thread and its share of a core.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BusiestThread {
    /// Its name.
    pub name: String,
    /// In percent of one core.
    pub cpu_percent: f64,
}

/// What one thread used over the hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ThreadUse {
    /// Its process.
    pub pid: u32,
    /// Its thread id.
    pub tid: u32,
    /// Its name, at most 15 bytes.
    pub name: String,
    /// In percent of one core.
    pub cpu_percent: f64,
    /// Time ready to run without getting a CPU, in percent.
    pub waiting_percent: Option<f64>,
    /// `cpu_percent` at each of the target's `samples`; `None` where it did not run, or was not among the 64 busiest.
    pub series: Vec<Option<f64>>,
}

/// What one process used over the hold, and what it had at the end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProcessUse {
    /// Its process id.
    pub pid: u32,
    /// Its parent's.
    pub parent: u32,
    /// Its name, at most 15 bytes.
    pub name: String,
    /// CPU of all its threads, in percent of one core.
    pub cpu_percent: f64,
    /// Resident memory in MB (10^6 bytes). Pages that processes share count in each.
    pub memory_mb: f64,
    /// Threads.
    pub threads: u64,
    /// Open descriptors.
    pub descriptors: Option<u64>,
}

/// One look at the target's process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TargetSample {
    /// When, in seconds since the start of the level.
    pub at_s: f64,
    /// CPU since the look before, in percent of one core.
    pub cpu_percent: Option<f64>,
    /// The busiest thread's CPU since the look before.
    pub busiest_thread_percent: Option<f64>,
    /// Resident memory in MB (10^6 bytes).
    pub memory_mb: Option<f64>,
    /// Threads.
    pub threads: Option<u64>,
    /// Open descriptors.
    pub descriptors: Option<u64>,
    /// Established connections.
    pub connections: Option<u64>,
    /// Connections that waited to be accepted.
    #[serde(default)]
    pub listen_queue: Option<u64>,
}
