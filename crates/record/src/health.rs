use serde::{Deserialize, Serialize};
use stats::Histogram;

/// One worker thread during one level, in percent of the measured time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkerUse {
    /// It had work: it did not wait for anything to happen. Time in which it had no CPU for that work is part of it.
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
    /// By how much the moment of receipt may be too late, and with it every time, on the same sample. Records of before
    /// have none: there every time ended with the reading, and the read delay was the error.
    #[serde(default)]
    pub receive_error: Option<Histogram>,
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
