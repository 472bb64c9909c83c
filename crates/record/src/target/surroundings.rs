use serde::{Deserialize, Serialize};

/// Growth of memory over the measured time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemoryGrowth {
    /// Growth in bytes per second.
    pub bytes_per_s: f64,
    /// Lower bound of the 95 % interval.
    pub low: f64,
    /// Upper bound of the 95 % interval.
    pub high: f64,
    /// Whether memory grew steadily: the interval lies above zero over the measured time and over each half of it.
    pub steady: bool,
}

/// Established connections from the target to one service.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Upstream {
    /// Address of the service.
    pub address: String,
    /// Smallest number of connections in a sample.
    pub least: u64,
    /// Largest number of connections in a sample.
    pub most: u64,
}

/// How the target's threads waited for the disk, from samples of their states in the measured time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DiskWaits {
    /// Number of samples.
    pub samples: u64,
    /// Share of the samples in which a thread waited for the disk, in percent.
    pub waiting_percent: f64,
    /// Share of the samples in which a thread waited for the disk, and none ran or was ready to run.
    pub alone_percent: f64,
    /// Share of the samples in which a thread ran, was ready to run, or waited for the disk, in percent.
    pub busy_percent: f64,
    /// Mean number of threads that waited for the disk, where at least one did.
    pub at_once: f64,
    /// Data read from the disk and written to it in this time. `None` if it is not visible.
    pub transferred: Option<DiskBytes>,
}

/// Data that was read from the disk and written to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DiskBytes {
    /// Read, in MB (10^6 bytes).
    pub read_mb: f64,
    /// Written, in MB.
    pub written_mb: f64,
}

/// The queue of connections that wait to be accepted. With several listeners, the fullest queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListenQueue {
    /// Greatest length observed.
    pub longest: u64,
    /// Capacity of the queue: the length that the program requested, within the machine's limit.
    pub limit: Option<u64>,
    /// Number of samples.
    pub looks: u64,
    /// Number of samples in which the queue was full.
    pub full: u64,
}

/// Limits of the cgroups of the target's process, and their effects during the measured time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CgroupUse {
    /// CPU quota, in cores.
    pub cpu_limit_cores: Option<f64>,
    /// Memory limit in MB (10^6 bytes).
    pub memory_limit_mb: Option<f64>,
    /// Largest memory use observed within this limit, including the page cache and all other processes that share the
    /// limit.
    pub memory_mb_max: Option<f64>,
    /// Number of periods in which the quota was enforced.
    pub periods: Option<u64>,
    /// Number of periods in which the quota was used up.
    pub throttled_periods: Option<u64>,
    /// Total time for which the quota stopped threads, in seconds.
    pub throttled_s: Option<f64>,
    /// Number of processes of the cgroup that were killed for lack of memory.
    pub oom_kills: Option<u64>,
}

/// The end of the target's process.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TargetEnd {
    /// Time at which headcount noticed the end, in seconds since the start of the level.
    pub at_s: f64,
    /// The process that was gone. 0 if the target is known only by its metrics endpoint.
    pub pid: u32,
    /// Whether the cgroup counted an out-of-memory kill since the previous sample. `None` if the cgroup has no such
    /// count.
    pub out_of_memory: Option<bool>,
    /// The process that replaced the ended one.
    pub next_pid: Option<u32>,
    /// Time at which the new process was found, in seconds since the start of the level.
    pub next_at_s: Option<f64>,
}

/// Scrapes of the target's Prometheus endpoint during the measured time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scrapes {
    /// URL of the endpoint.
    pub url: String,
    /// Number of scrapes.
    pub asked: u64,
    /// Number of scrapes without a response, or without metrics in the response.
    pub failed: u64,
    /// Reason of the first failure.
    pub first_failure: Option<String>,
    /// Number of requested series that were not recorded because there were too many.
    pub series_left_out: u64,
}

/// One series of the target's Prometheus endpoint over the measured time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatchedMetric {
    /// Whether the series only grows. If so, the figures are increases per second; otherwise they are values.
    pub rate: bool,
    /// Total increase, if the series only grows.
    pub increase: Option<f64>,
    /// Mean of the values: for a series that only grows, the mean over time; otherwise over the observed values.
    pub mean: Option<f64>,
    /// Smallest value.
    pub min: Option<f64>,
    /// Largest value.
    pub max: Option<f64>,
    /// Last value.
    pub last: Option<f64>,
    /// Samples: time in seconds since the start of the level, and value.
    pub series: Vec<(f64, f64)>,
}
