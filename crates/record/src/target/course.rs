use serde::{Deserialize, Serialize};

/// The busiest thread and its CPU use.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BusiestThread {
    /// Name of the thread.
    pub name: String,
    /// CPU in percent of one core.
    pub cpu_percent: f64,
}

/// CPU use of one thread over the measured time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ThreadUse {
    /// Process ID.
    pub pid: u32,
    /// Thread ID.
    pub tid: u32,
    /// Name of the thread, at most 15 bytes.
    pub name: String,
    /// CPU in percent of one core.
    pub cpu_percent: f64,
    /// Share of the time in which the thread was ready to run but had no CPU, in percent.
    pub waiting_percent: Option<f64>,
    /// CPU use at each of the target's `samples`. `None` if the thread did not run or was not among the 64 busiest.
    pub series: Vec<Option<f64>>,
}

/// Resource use of one process over the measured time, and its state at the end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProcessUse {
    /// Process ID.
    pub pid: u32,
    /// Process ID of the parent.
    pub parent: u32,
    /// Name of the process, at most 15 bytes.
    pub name: String,
    /// CPU of all threads of the process, in percent of one core.
    pub cpu_percent: f64,
    /// Resident memory in MB (10^6 bytes). Each process includes the pages that it shares.
    pub memory_mb: f64,
    /// Number of threads.
    pub threads: u64,
    /// Number of open descriptors.
    pub descriptors: Option<u64>,
}

/// One sample of the target's process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TargetSample {
    /// Time in seconds since the start of the level.
    pub at_s: f64,
    /// CPU use since the previous sample, in percent of one core.
    pub cpu_percent: Option<f64>,
    /// CPU use of the busiest thread since the previous sample.
    pub busiest_thread_percent: Option<f64>,
    /// Resident memory in MB (10^6 bytes).
    pub memory_mb: Option<f64>,
    /// Number of threads.
    pub threads: Option<u64>,
    /// Number of open descriptors.
    pub descriptors: Option<u64>,
    /// Number of established connections.
    pub connections: Option<u64>,
    /// Number of connections that waited to be accepted.
    #[serde(default)]
    pub listen_queue: Option<u64>,
}
