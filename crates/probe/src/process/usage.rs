//! The usage between two samples.

use std::collections::HashMap;

use model::Nanos;

use super::cpu::tick;
use super::sample::{ProcessSample, Sample, ThreadSample};

/// The usage of a process and its descendants between two samples, and their state in the second.
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    /// Time between the samples.
    pub over: Nanos,
    /// CPU usage of all processes together. 100 is one core.
    pub cpu_percent: f64,
    /// The thread that used the most CPU. 100 is the maximum of a thread.
    pub busiest_thread: Option<ThreadUse>,
    /// All threads that are still alive, the busiest first.
    pub threads: Vec<ThreadUse>,
    /// Resident memory at the end, in bytes. Shared pages count in each process.
    pub memory: u64,
    /// Growth of resident memory, in bytes.
    pub memory_grown: i64,
    /// Number of open descriptors at the end. `None` if they are not visible.
    pub descriptors: Option<u64>,
    /// Maximum number of open descriptors of the process that is nearest to its limit.
    pub descriptor_limit: Option<u64>,
    /// The open descriptors of that process as a share of its limit. 1 is the limit.
    pub descriptors_used: Option<f64>,
    /// The processes at the end, parents before children.
    pub processes: Vec<ProcessUse>,
}

/// The usage of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessUse {
    /// The process id.
    pub pid: i32,
    /// Start time in clock ticks since boot.
    pub started: u64,
    /// CPU time of its threads, including those that ended in between.
    pub cpu: Nanos,
}

/// The usage of one thread.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadUse {
    /// The process id.
    pub pid: i32,
    /// The thread id.
    pub tid: i32,
    /// Start time in clock ticks since boot. Together with the thread id it is unique.
    pub started: u64,
    /// The name, at most 15 bytes.
    pub name: String,
    /// Time on a CPU. 100 is all of the time.
    pub percent: f64,
    /// Time ready to run without getting a CPU. `None` if the kernel does not provide it.
    pub waiting_percent: Option<f64>,
}

/// The usage from `before` to `after`. `None` if no time passed or the samples are of different processes.
///
/// CPU time is the sum over the threads, plus that of children that ended in between and were waited for. Threads that
/// both started and ended between the samples appear only in the process's total, which is in clock ticks. If that
/// total, minus an error of two ticks, exceeds the sum, the total is used.
pub fn use_between(before: &Sample, after: &Sample) -> Option<Use> {
    let over = after.at.saturating_sub(before.at);
    let (first, last) = (before.processes.first()?, after.processes.first()?);
    if over == Nanos::ZERO || key(first) != key(last) {
        return None;
    }
    let earlier: HashMap<_, _> = before
        .processes
        .iter()
        .map(|process| (key(process), process))
        .collect();
    let mut threads = Vec::new();
    let mut processes = Vec::new();
    let mut cpu = Nanos::ZERO;
    for process in &after.processes {
        let earlier = earlier.get(&key(process)).copied();
        let of_threads = thread_use(earlier, process, over, &mut threads);
        let of_process = process.cpu - earlier.map_or(Nanos::ZERO, |earlier| earlier.cpu);
        let used = of_threads.max(of_process - tick() - tick());
        processes.push(ProcessUse {
            pid: process.pid,
            started: process.started,
            cpu: used,
        });
        cpu += used;
    }
    cpu += of_ended_processes(before, after);
    threads.sort_by(|a, b| b.percent.total_cmp(&a.percent).then(a.tid.cmp(&b.tid)));
    let fullest = fullest(after);
    Some(Use {
        over,
        cpu_percent: percent(cpu, over),
        busiest_thread: threads.first().cloned(),
        threads,
        memory: memory(after),
        memory_grown: grown(memory(before), memory(after)),
        descriptors: after
            .processes
            .iter()
            .map(|process| process.descriptors)
            .sum(),
        descriptor_limit: fullest.map(|(_, limit)| limit),
        descriptors_used: fullest.map(|(share, _)| share),
        processes,
    })
}

/// Adds the threads of one process to `threads` and returns their total CPU time.
fn thread_use(
    before: Option<&ProcessSample>,
    after: &ProcessSample,
    over: Nanos,
    threads: &mut Vec<ThreadUse>,
) -> Nanos {
    let known = before.into_iter().flat_map(|process| &process.threads);
    let known: HashMap<_, &ThreadSample> = known
        .map(|thread| ((thread.tid, thread.started), thread))
        .collect();
    let mut total = Nanos::ZERO;
    for thread in &after.threads {
        let earlier = known.get(&(thread.tid, thread.started));
        let cpu = thread.cpu - earlier.map_or(Nanos::ZERO, |earlier| earlier.cpu);
        let waited_before = earlier
            .and_then(|earlier| earlier.waited)
            .unwrap_or(Nanos::ZERO);
        total += cpu;
        threads.push(ThreadUse {
            pid: after.pid,
            tid: thread.tid,
            started: thread.started,
            name: thread.name.clone(),
            percent: percent(cpu, over),
            waiting_percent: thread
                .waited
                .map(|waited| percent(waited - waited_before, over)),
        });
    }
    total
}

/// CPU time since `before` of children that have ended: the time that their parents inherited, minus the time that they
/// had used before.
fn of_ended_processes(before: &Sample, after: &Sample) -> Nanos {
    let inherited = |sample: &Sample| sum(sample, |process| process.cpu_of_ended_children);
    let alive = |process: &&ProcessSample| after.processes.iter().any(|it| key(it) == key(process));
    let gone = before.processes.iter().filter(|process| !alive(process));
    let used_before = gone.fold(Nanos::ZERO, |total, process| {
        total + process.cpu + process.cpu_of_ended_children
    });
    let inherited_by_the_living = before
        .processes
        .iter()
        .filter(alive)
        .fold(Nanos::ZERO, |total, process| {
            total + process.cpu_of_ended_children
        });
    inherited(after) - inherited_by_the_living - used_before
}

/// Share and limit of descriptors of the process that is nearest to its limit.
fn fullest(sample: &Sample) -> Option<(f64, u64)> {
    sample
        .processes
        .iter()
        .filter_map(|process| {
            let limit = process.descriptor_limit.filter(|limit| *limit > 0)?;
            Some((process.descriptors? as f64 / limit as f64, limit))
        })
        .max_by(|a, b| a.0.total_cmp(&b.0))
}

fn key(process: &ProcessSample) -> (i32, u64) {
    (process.pid, process.started)
}

fn sum(sample: &Sample, of: impl Fn(&ProcessSample) -> Nanos) -> Nanos {
    sample
        .processes
        .iter()
        .fold(Nanos::ZERO, |total, process| total + of(process))
}

pub(super) fn memory(sample: &Sample) -> u64 {
    sample.processes.iter().map(|process| process.memory).sum()
}

fn grown(before: u64, after: u64) -> i64 {
    let size = i64::try_from(after.abs_diff(before)).unwrap_or(i64::MAX);
    if after >= before { size } else { -size }
}

pub(super) fn percent(part: Nanos, whole: Nanos) -> f64 {
    part.0 as f64 * 100.0 / whole.0 as f64
}
