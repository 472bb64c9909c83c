use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

mod course;
mod surroundings;

pub use course::{BusiestThread, ProcessUse, TargetSample, ThreadUse};
pub use surroundings::{
    CgroupUse, DiskBytes, DiskWaits, ListenQueue, MemoryGrowth, Scrapes, TargetEnd, Upstream,
    WatchedMetric,
};

/// Resource use of the target's own process during one level. CPU is in percent of one core.
///
/// If the process has children, every figure covers the process and its children. Machine-wide figures are never used
/// as a substitute.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TargetUse {
    /// Process ID. 0 if only the target's metrics endpoint is known.
    pub pid: u32,
    /// Command name.
    pub name: String,
    /// Source of the figures for CPU, memory, threads and descriptors. `None` in older records, which had only one
    /// source.
    #[serde(default)]
    pub source: Option<TargetSource>,
    /// Runtime of the process, if certain: `Node.js`, `Python`, `JVM`, `Go`, `Rust`.
    #[serde(default)]
    pub runtime: Option<String>,
    /// Version of the runtime, if known.
    #[serde(default)]
    pub runtime_version: Option<String>,
    /// CPU of the whole process.
    pub cpu_percent: Option<f64>,
    /// The thread that used the most CPU.
    pub busiest_thread: Option<BusiestThread>,
    /// Number of threads that ran, or waited for a CPU, for more than 80 % of the time. If it is 1, an event loop is
    /// probably saturated; if it equals the size of a thread pool, the pool is.
    #[serde(default)]
    pub busy_threads: Option<u64>,
    /// The 16 threads that used the most CPU, busiest first. Includes threads that have ended.
    #[serde(default)]
    pub busiest_threads: Vec<ThreadUse>,
    /// The processes at the end of the measurement, parents before children. Of more than 64, only the busiest 64.
    #[serde(default)]
    pub processes: Vec<ProcessUse>,
    /// Number of processes at the end of the measurement.
    #[serde(default)]
    pub process_count: Option<u64>,
    /// Resident memory when the measurement began, after ramp-up and warm-up, in MB (10^6 bytes).
    pub memory_mb_start: Option<f64>,
    /// Resident memory when the measurement ended.
    pub memory_mb_end: Option<f64>,
    /// Largest resident memory observed.
    pub memory_mb_max: Option<f64>,
    /// Growth of memory. `None` if there are too few samples, or if the process was restarted.
    #[serde(default)]
    pub memory_growth: Option<MemoryGrowth>,
    /// Largest number of threads observed.
    pub threads: Option<u64>,
    /// Largest number of open descriptors observed.
    pub descriptors: Option<u64>,
    /// Maximum number of descriptors. With several processes, the maximum of the process nearest to its own.
    pub descriptor_limit: Option<u64>,
    /// Open descriptors at the end, in percent of their limit, for the process nearest to its limit.
    #[serde(default)]
    pub descriptors_used_percent: Option<f64>,
    /// Largest number of established connections to the target's port, including those that wait to be accepted.
    pub connections: Option<u64>,
    /// Number of connections whose receiver read so slowly that its window limited the target for at least half of the
    /// measured time. `None` if the kernel does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slow_receivers: Option<u64>,
    /// Connections that the target opened to other services, by address. The eight services with the most connections.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub upstreams: Vec<Upstream>,
    /// How its threads waited for the disk. `None` if their states could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk: Option<DiskWaits>,
    /// The queue of connections that wait to be accepted.
    #[serde(default)]
    pub listen_queue: Option<ListenQueue>,
    /// Number of connections dropped because a listen queue in the target's network namespace was full.
    pub listen_overflows: Option<u64>,
    /// Number of connection requests that listeners in the target's network namespace dropped, for any reason. Includes
    /// `listen_overflows`.
    #[serde(default)]
    pub listen_drops: Option<u64>,
    /// Number of TCP segments retransmitted in the target's network namespace.
    pub retransmissions: Option<u64>,
    /// Limits of the target's cgroups, and their effects.
    #[serde(default)]
    pub cgroup: Option<CgroupUse>,
    /// Times at which the process was found to have ended, and whether it was restarted.
    #[serde(default)]
    pub ends: Vec<TargetEnd>,
    /// Cores that the target's threads may run on.
    #[serde(default)]
    pub cores: Option<Vec<usize>>,
    /// Cores that both the target's threads and the generator's workers may use.
    #[serde(default)]
    pub shared_cores: Option<Vec<usize>>,
    /// Number of scrapes of the target's Prometheus endpoint. `None` without an endpoint.
    #[serde(default)]
    pub scrapes: Option<Scrapes>,
    /// Series of the Prometheus endpoint that the scenario records, by name and labels.
    #[serde(default)]
    pub metrics: BTreeMap<String, WatchedMetric>,
    /// Time series.
    pub samples: Vec<TargetSample>,
}

/// Source of the figures of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetSource {
    /// The kernel, on this machine.
    Proc,
    /// The target's own Prometheus endpoint.
    Prometheus,
}
