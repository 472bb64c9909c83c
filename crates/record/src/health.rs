use serde::{Deserialize, Serialize};
use stats::Histogram;

/// One worker thread during one level, in percent of the measured time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkerUse {
    /// Share of the time in which the worker did not wait for events. Includes time in which it had work but no CPU.
    pub busy_percent: f64,
    /// Share of the time in which the worker was ready to run but had no CPU.
    pub cpu_wait_percent: Option<f64>,
    /// Time ready to run without a CPU, as a share of the time in which the worker ran or was ready to run.
    pub starved_percent: Option<f64>,
    /// Average wait for a CPU, in microseconds per wait.
    pub cpu_wait_each_us: Option<f64>,
}

/// Health of headcount itself during one level. CPU is in percent of one core.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GeneratorUse {
    /// CPU of the whole process.
    pub cpu_percent: Option<f64>,
    /// Busy share of the busiest worker.
    pub busiest_worker_percent: Option<f64>,
    /// Each worker thread.
    #[serde(default)]
    pub workers: Vec<WorkerUse>,
    /// Time for which the CPU quota of its cgroup stopped the generator, in milliseconds.
    #[serde(default)]
    pub throttled_ms: Option<f64>,
    /// Start lag: actual start minus planned start.
    pub start_lag: Histogram,
    /// Read delay: time from the kernel's receive timestamp to the read, for a sample of the sockets.
    pub read_delay: Option<Histogram>,
    /// Receive-time error: the amount by which a receive time, and with it a latency, may be too late, for the same
    /// sample.
    ///
    /// Older records have none. Their times ended at the read, so the read delay was the error.
    #[serde(default)]
    pub receive_error: Option<Histogram>,
    /// Number of receive timestamps that contradict headcount's clock, because the machine's clock was set during the
    /// level.
    #[serde(default)]
    pub implausible_stamps: u64,
    /// Largest share of the measured time in which a worker waited for a CPU.
    pub cpu_wait_percent: Option<f64>,
    /// Largest `starved_percent` of a worker.
    #[serde(default)]
    pub starved_percent: Option<f64>,
    /// Largest average wait for a CPU of a worker, in microseconds per wait.
    #[serde(default)]
    pub cpu_wait_each_us: Option<f64>,
    /// Longest pause of the script's garbage collection, in milliseconds.
    pub gc_pause_ms_max: Option<f64>,
    /// Number of items dropped from headcount's own full queues.
    pub dropped_queue: u64,
}
