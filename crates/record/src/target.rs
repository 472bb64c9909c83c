use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

mod course;
mod surroundings;

pub use course::{BusiestThread, ProcessUse, TargetSample, ThreadUse};
pub use surroundings::{CgroupUse, ListenQueue, MemoryGrowth, Scrapes, TargetEnd, WatchedMetric};

/// What the target's own process used during one level. CPU is in percent of one core.
///
/// Where it has children, every figure is of all of them together. Machine-wide figures never stand in for it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TargetUse {
    /// Its process id; 0 where it is known by its endpoint only.
    pub pid: u32,
    /// Its command name.
    pub name: String,
    /// Where CPU, memory, threads and descriptors come from; `None` in records of before there was a choice.
    #[serde(default)]
    pub source: Option<TargetSource>,
    /// What it runs on, where that is sure: `Node.js`, `Python`, `JVM`, `Go`, `Rust`.
    #[serde(default)]
    pub runtime: Option<String>,
    /// The version of that, where it is known.
    #[serde(default)]
    pub runtime_version: Option<String>,
    /// CPU of the whole process.
    pub cpu_percent: Option<f64>,
    /// The thread that used the most.
    pub busiest_thread: Option<BusiestThread>,
    /// How many threads ran, or were ready and got no CPU, for more than 80 % of the time: 1 is an event loop at its
    /// end, as many as a pool has is a pool at its end.
    #[serde(default)]
    pub busy_threads: Option<u64>,
    /// The 16 threads that used the most, the busiest first, ended ones included.
    #[serde(default)]
    pub busiest_threads: Vec<ThreadUse>,
    /// The processes at the end, parents before children; the 64 busiest where there are more.
    #[serde(default)]
    pub processes: Vec<ProcessUse>,
    /// How many processes there were at the end.
    #[serde(default)]
    pub process_count: Option<u64>,
    /// Resident memory when the hold began, in MB (10^6 bytes): after the ramp and the warm-up.
    pub memory_mb_start: Option<f64>,
    /// Resident memory when the hold ended.
    pub memory_mb_end: Option<f64>,
    /// The most that was seen.
    pub memory_mb_max: Option<f64>,
    /// How fast it grew; `None` with too few looks, or when the process was started again.
    #[serde(default)]
    pub memory_growth: Option<MemoryGrowth>,
    /// The most threads that were seen.
    pub threads: Option<u64>,
    /// The most open descriptors that were seen.
    pub descriptors: Option<u64>,
    /// How many it may have; of several processes, that of the one nearest to its limit.
    pub descriptor_limit: Option<u64>,
    /// The share of its limit that the process nearest to it had open at the end, in percent.
    #[serde(default)]
    pub descriptors_used_percent: Option<f64>,
    /// The most established connections to its port that were seen, those that wait to be accepted included.
    pub connections: Option<u64>,
    /// The queue of connections that wait to be accepted.
    #[serde(default)]
    pub listen_queue: Option<ListenQueue>,
    /// Connections that did not fit into a listen queue of its network namespace.
    pub listen_overflows: Option<u64>,
    /// Connection requests that a listener of its network namespace dropped, for this or any other reason.
    #[serde(default)]
    pub listen_drops: Option<u64>,
    /// TCP segments sent again in its network namespace.
    pub retransmissions: Option<u64>,
    /// What its cgroups allow it and did to it.
    #[serde(default)]
    pub cgroup: Option<CgroupUse>,
    /// When it was found to have ended, and whether it was started again.
    #[serde(default)]
    pub ends: Vec<TargetEnd>,
    /// Cores that its threads may run on.
    #[serde(default)]
    pub cores: Option<Vec<usize>>,
    /// Those of them that the generator's workers may run on too.
    #[serde(default)]
    pub shared_cores: Option<Vec<usize>>,
    /// How often its Prometheus endpoint was asked; `None` when it has none.
    #[serde(default)]
    pub scrapes: Option<Scrapes>,
    /// Series of that endpoint that the scenario keeps, by name and labels.
    #[serde(default)]
    pub metrics: BTreeMap<String, WatchedMetric>,
    /// The course of time.
    pub samples: Vec<TargetSample>,
}

/// Where the figures of a process come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetSource {
    /// From the kernel, on this machine.
    Proc,
    /// From what its own Prometheus endpoint says of it.
    Prometheus,
}
