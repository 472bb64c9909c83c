//! One look.

use model::Nanos;
use procfs::process::{LimitValue, Process, Stat, Task};

use super::cpu::{account, from_ticks};

/// A process and its descendants at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The caller's time.
    pub at: Nanos,
    /// The process itself first, then its descendants.
    pub processes: Vec<ProcessSample>,
}

/// One process at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessSample {
    /// Its process id.
    pub pid: i32,
    /// Its parent's.
    pub parent: i32,
    /// When it started, in clock ticks since boot: with the pid it is unique.
    pub started: u64,
    /// Its name, at most 15 bytes.
    pub name: String,
    /// User and system time of all its threads, those that have ended included; in steps of a tick.
    pub cpu: Nanos,
    /// The same of its children that have ended and been waited for.
    pub cpu_of_ended_children: Nanos,
    /// Resident memory in bytes.
    pub memory: u64,
    /// Open descriptors; `None` where they may not be seen.
    pub descriptors: Option<u64>,
    /// How many it may have open; `None` where that may not be seen or there is no limit.
    pub descriptor_limit: Option<u64>,
    /// Its threads.
    pub threads: Vec<ThreadSample>,
}

/// One thread at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadSample {
    /// Its thread id.
    pub tid: i32,
    /// When it started, in clock ticks since boot.
    pub started: u64,
    /// Its name, at most 15 bytes.
    pub name: String,
    /// Time on a CPU: in nanoseconds where the kernel keeps that account, else in steps of a tick.
    pub cpu: Nanos,
    /// Time ready to run and waiting for a CPU; `None` where the kernel keeps no such account.
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
    // A thread that ends while it is looked at is left out.
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
