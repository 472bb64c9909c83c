//! One sample of a process and its descendants.

use model::Nanos;
use procfs::process::{LimitValue, Process, Stat, Task};

use super::cpu::{account, from_ticks};

/// A process and its descendants at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The time of the sample, as the caller passed it.
    pub at: Nanos,
    /// The process itself, followed by its descendants.
    pub processes: Vec<ProcessSample>,
}

/// One process at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessSample {
    /// The process id.
    pub pid: i32,
    /// The process id of its parent.
    pub parent: i32,
    /// Start time in clock ticks since boot. Together with the process id it is unique.
    pub started: u64,
    /// The name, at most 15 bytes.
    pub name: String,
    /// User and system time of all its threads, including ended ones, with the resolution of a clock tick.
    pub cpu: Nanos,
    /// Like `cpu`, for children of the process that have ended and were waited for.
    pub cpu_of_ended_children: Nanos,
    /// Resident memory, in bytes.
    pub memory: u64,
    /// Number of open descriptors. `None` if they are not visible.
    pub descriptors: Option<u64>,
    /// Maximum number of open descriptors. `None` if it is not visible or there is no limit.
    pub descriptor_limit: Option<u64>,
    /// The threads.
    pub threads: Vec<ThreadSample>,
}

/// One thread at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadSample {
    /// The thread id.
    pub tid: i32,
    /// Start time in clock ticks since boot.
    pub started: u64,
    /// The name, at most 15 bytes.
    pub name: String,
    /// Time on a CPU: exact if the kernel accounts for it, otherwise with the resolution of a clock tick.
    pub cpu: Nanos,
    /// Time ready to run and waiting for a CPU. `None` if the kernel does not account for it.
    pub waited: Option<Nanos>,
}

pub(super) fn of_process(process: &Process, stat: &Stat) -> ProcessSample {
    let ended = u64::try_from(stat.cutime.saturating_add(stat.cstime)).unwrap_or(0);
    ProcessSample {
        pid: stat.pid,
        parent: stat.ppid,
        started: stat.starttime,
        name: stat.comm.clone(),
        cpu: from_ticks(stat.utime + stat.stime),
        cpu_of_ended_children: from_ticks(ended),
        memory: stat.rss.saturating_mul(procfs::page_size()),
        descriptors: process
            .fd_count()
            .ok()
            .and_then(|count| u64::try_from(count).ok()),
        descriptor_limit: descriptor_limit(process),
        threads: threads(process),
    }
}

fn descriptor_limit(process: &Process) -> Option<u64> {
    match process.limits().ok()?.max_open_files.soft_limit {
        LimitValue::Value(limit) => Some(limit),
        LimitValue::Unlimited => None,
    }
}

fn threads(process: &Process) -> Vec<ThreadSample> {
    let tasks = process.tasks().into_iter().flatten().filter_map(Result::ok);
    // A thread that ends while it is read is left out.
    tasks.filter_map(|task| of_thread(&task)).collect()
}

fn of_thread(task: &Task) -> Option<ThreadSample> {
    let stat = task.stat().ok()?;
    let kept = task.schedstat().ok();
    let account = kept.and_then(|kept| account(kept.sum_exec_runtime, kept.run_delay, kept.pcount));
    let (cpu, waited) = match account {
        Some((run, wait)) => (run, Some(wait)),
        None => (from_ticks(stat.utime + stat.stime), None),
    };
    Some(ThreadSample {
        tid: task.tid,
        started: stat.starttime,
        name: stat.comm,
        cpu,
        waited,
    })
}
