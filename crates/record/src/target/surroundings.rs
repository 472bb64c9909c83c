use serde::{Deserialize, Serialize};

/// How fast memory grew over the hold, in bytes per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemoryGrowth {
    /// What was gained, by the time that passed.
    pub bytes_per_s: f64,
    /// Lower bound of the 95 % interval.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
    /// It grew all along: the interval lies above zero over the hold and in each of its halves.
    pub steady: bool,
}

/// The queue of connections that wait to be accepted, of the listener whose queue was fullest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListenQueue {
    /// The longest that was seen.
    pub longest: u64,
    /// What fits in, as the program asked for and the machine allows.
    pub limit: Option<u64>,
    /// How often it was looked at.
    pub looks: u64,
    /// How often it was full then.
    pub full: u64,
}

/// What the cgroups of the target's process allow it, and what they did to it in the hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CgroupUse {
    /// The CPU quota, in cores.
    pub cpu_limit_cores: Option<f64>,
    /// The memory limit in MB (10^6 bytes).
    pub memory_limit_mb: Option<f64>,
    /// The most memory that was seen under that limit, page cache and all other processes under it included.
    pub memory_mb_max: Option<f64>,
    /// Periods of the quota.
    pub periods: Option<u64>,
    /// Those in which it was used up.
    pub throttled_periods: Option<u64>,
    /// How long threads stood still for that, in seconds.
    pub throttled_s: Option<f64>,
    /// Processes of its cgroup that were killed for lack of memory.
    pub oom_kills: Option<u64>,
}

/// The target's process was gone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TargetEnd {
    /// When that was found, in seconds since the start of the level.
    pub at_s: f64,
    /// The process that was gone; 0 where it is known by its endpoint only.
    pub pid: u32,
    /// Whether its cgroup counted a kill for lack of memory since it was last looked at; `None` where nobody counts.
    pub out_of_memory: Option<bool>,
    /// The process that was there later.
    pub next_pid: Option<u32>,
    /// When that was found, in seconds since the start of the level.
    pub next_at_s: Option<f64>,
}

/// How often the target's Prometheus endpoint was asked during the hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scrapes {
    /// Its URL.
    pub url: String,
    /// How often it was asked.
    pub asked: u64,
    /// How often it did not answer, or not with metrics.
    pub failed: u64,
    /// Why, the first time.
    pub first_failure: Option<String>,
    /// Series that were asked for and not kept, because there were more than are kept.
    pub series_left_out: u64,
}

/// One series of the target's Prometheus endpoint over the hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WatchedMetric {
    /// Whether it only ever grows: then the figures are its increase per second, else its values.
    pub rate: bool,
    /// Of a series that grows: by how much in all.
    pub increase: Option<f64>,
    /// Over the time, of a series that grows; else of the values that were seen.
    pub mean: Option<f64>,
    /// The least.
    pub min: Option<f64>,
    /// The most.
    pub max: Option<f64>,
    /// The last.
    pub last: Option<f64>,
    /// When, in seconds since the start of the level, and what.
    pub series: Vec<(f64, f64)>,
}
