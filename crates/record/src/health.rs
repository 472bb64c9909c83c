use serde::{Deserialize, Serialize};
use stats::Histogram;

/// What the target's own process used during one level. CPU is in percent of one core.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TargetUse {
    /// Its process id.
    pub pid: u32,
    /// Its command name.
    pub name: String,
    /// CPU of the whole process.
    pub cpu_percent: Option<f64>,
    /// The thread that used the most.
    pub busiest_thread: Option<BusiestThread>,
    /// Resident memory when the level began, in MB (10^6 bytes).
    pub memory_mb_start: Option<f64>,
    /// Resident memory when it ended.
    pub memory_mb_end: Option<f64>,
    /// The most that was seen.
    pub memory_mb_max: Option<f64>,
    /// The most threads that were seen.
    pub threads: Option<u64>,
    /// The most open descriptors that were seen.
    pub descriptors: Option<u64>,
    /// How many it may have.
    pub descriptor_limit: Option<u64>,
    /// The most established connections that were seen.
    pub connections: Option<u64>,
    /// Connections that did not fit into a listen queue, machine-wide.
    pub listen_overflows: Option<u64>,
    /// TCP segments sent again, machine-wide.
    pub retransmissions: Option<u64>,
    /// The course of time.
    pub samples: Vec<TargetSample>,
}

/// A thread and its share of a core.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BusiestThread {
    /// Its name.
    pub name: String,
    /// In percent of one core.
    pub cpu_percent: f64,
}

/// One look at the target's process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TargetSample {
    /// When, in seconds since the start of the level's measured time.
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
}

/// One worker thread during one level, in percent of the measured time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkerUse {
    /// It did not wait for anything to happen.
    pub busy_percent: f64,
    /// It was ready to run and had no CPU.
    pub cpu_wait_percent: Option<f64>,
    /// Of the time in which it wanted a CPU: the part in which it had none.
    pub starved_percent: Option<f64>,
    /// How long it waited each time it wanted a CPU, on average, in microseconds.
    pub cpu_wait_each_us: Option<f64>,
}

/// How headcount itself fared during one level. CPU is in percent of one core.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GeneratorUse {
    /// CPU of the whole process.
    pub cpu_percent: Option<f64>,
    /// The busy share of the busiest worker.
    pub busiest_worker_percent: Option<f64>,
    /// Each worker thread by itself.
    #[serde(default)]
    pub workers: Vec<WorkerUse>,
    /// For how long its cgroup's CPU quota stopped the generator, in milliseconds.
    #[serde(default)]
    pub throttled_ms: Option<f64>,
    /// How late things started.
    pub start_lag: Histogram,
    /// From a packet's arrival in the kernel to its reading, on a sample of the sockets.
    pub read_delay: Option<Histogram>,
    /// Arrivals in the kernel that cannot be true beside our clock: the machine's clock was set during the level.
    #[serde(default)]
    pub implausible_stamps: u64,
    /// The share of the time that the busiest worker waited for a CPU.
    pub cpu_wait_percent: Option<f64>,
    /// Of the time in which the worker that fared worst wanted a CPU: the part in which it had none.
    #[serde(default)]
    pub starved_percent: Option<f64>,
    /// How long a worker waited each time it wanted a CPU, on average, in microseconds; of the one that fared worst.
    #[serde(default)]
    pub cpu_wait_each_us: Option<f64>,
    /// The longest pause of the script's garbage collection, in milliseconds.
    pub gc_pause_ms_max: Option<f64>,
    /// What full queues of our own dropped.
    pub dropped_queue: u64,
}
