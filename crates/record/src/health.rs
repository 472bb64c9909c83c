use serde::{Deserialize, Serialize};
use stats::Histogram;

/// CPU use of one worker thread during one level, in percent of the measured time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkerUse {
    /// Share of the time in which the worker did not wait for events. Includes time in which it was ready to run but
    /// had no CPU.
    pub busy_percent: f64,
    /// Share of the time in which the worker was ready to run but had no CPU.
    pub cpu_wait_percent: Option<f64>,
    /// Time for which the worker waited for a CPU, as a share of the time in which it ran or was ready to run.
    pub starved_percent: Option<f64>,
    /// Average time that the worker waited for a CPU, in microseconds per wait.
    pub cpu_wait_each_us: Option<f64>,
}

/// Resource use of the workers of an agent during one level, in percent of the measured time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentUse {
    /// Name of the agent.
    pub agent: String,
    /// Busy share of its busiest worker.
    pub busiest_worker_percent: f64,
    /// Share of the time that a worker waited for a CPU, for the worker that waited longest.
    pub cpu_wait_percent: Option<f64>,
    /// How late its last worker began the level, in milliseconds, by the agent's own clock.
    pub began_late_ms: f64,
    /// Time for which the CPU quota of the agent's cgroup stopped the agent, in milliseconds. `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttled_ms: Option<f64>,
    /// Share of the time of all cores that the host of the agent's virtual machine took. `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stolen_percent: Option<f64>,
}

/// Resource use of headcount itself during one level. CPU is in percent of one core.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GeneratorUse {
    /// CPU use of the whole process.
    pub cpu_percent: Option<f64>,
    /// Busy share of the busiest worker.
    pub busiest_worker_percent: Option<f64>,
    /// CPU use of each worker thread.
    #[serde(default)]
    pub workers: Vec<WorkerUse>,
    /// The same by agent. Empty without a fleet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentUse>,
    /// Largest time between the moments at which two agents began the level, in milliseconds. It includes the errors of
    /// their clocks. `None` with fewer than two agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_skew_ms: Option<f64>,
    /// Time for which the CPU quota of the generator's cgroup stopped the generator, in milliseconds. On a fleet, each of
    /// `agents` has its own, and this and the next figure are `None`.
    #[serde(default)]
    pub throttled_ms: Option<f64>,
    /// Share of the time of all cores that the host of this virtual machine took. 0 on a machine that is not virtual.
    #[serde(default)]
    pub stolen_percent: Option<f64>,
    /// Start lag: actual start minus planned start.
    pub start_lag: Histogram,
    /// Read delay: time from the kernel's receive timestamp to the read, sampled on some of the sockets.
    pub read_delay: Option<Histogram>,
    /// Receive-time error: the maximum by which a receive time, and thus a latency, may be too late. Measured on the
    /// same sample as `read_delay`.
    ///
    /// `None` in older records, whose times ended at the read: their error is the read delay.
    #[serde(default)]
    pub receive_error: Option<Histogram>,
    /// Number of receive timestamps that are impossible by headcount's own clock, because the machine's clock was set
    /// during the level.
    #[serde(default)]
    pub implausible_stamps: u64,
    /// Share of the measured time that a worker waited for a CPU, for the worker that waited longest.
    pub cpu_wait_percent: Option<f64>,
    /// Largest `starved_percent` of all workers.
    #[serde(default)]
    pub starved_percent: Option<f64>,
    /// Largest `cpu_wait_each_us` of all workers.
    #[serde(default)]
    pub cpu_wait_each_us: Option<f64>,
    /// Longest pause for garbage collection in the script engine, in milliseconds.
    pub gc_pause_ms_max: Option<f64>,
    /// Number of items that headcount dropped because its own queues were full.
    pub dropped_queue: u64,
}
