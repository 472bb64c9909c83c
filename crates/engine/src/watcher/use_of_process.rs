//! Converts samples of a process into the form of the record.

use model::Nanos;
use probe::{Course, Step};
use record::{
    BusiestThread, CgroupUse, MemoryGrowth, ProcessUse, TargetSample, TargetSource, TargetUse,
    ThreadUse,
};

use super::process_figures::{Found, LevelWatch};

/// Maximum number of threads in the record.
const THREADS: usize = 16;
/// Maximum number of processes in the record.
const PROCESSES: usize = 64;
/// A thread that runs or waits for a CPU for more than this percentage of the time has no capacity
/// left.
const BUSY_PERCENT: f64 = 80.0;

/// The resource use of a process. `None` with fewer than two samples, unless the process ended, because an end is
/// always reported.
pub(super) fn of(found: &Found, level: &LevelWatch) -> Option<TargetUse> {
    let course = &level.course;
    let mut target = TargetUse {
        pid: found.pid(),
        name: found.name.clone(),
        source: Some(TargetSource::Proc),
        runtime: found
            .runtime
            .as_ref()
            .map(|runtime| runtime.name.to_owned()),
        runtime_version: found
            .runtime
            .as_ref()
            .and_then(|runtime| runtime.version.clone()),
        ends: level.ends.clone(),
        ..TargetUse::default()
    };
    if course.steps().is_empty() {
        return (!level.ends.is_empty()).then_some(target);
    }
    cpu(course, &mut target);
    memory_and_descriptors(course, &mut target);
    target.connections = level.port.connections();
    target.listen_queue = level.port.queue();
    target.slow_receivers = level.port.slow_receivers();
    target.upstreams = level.upstream.services();
    target.disk = level.disk.waits();
    if let Some(network) = level.network_since {
        target.listen_overflows = network.listen_overflows;
        target.listen_drops = network.listen_drops;
        target.retransmissions = network.retransmits;
    }
    target.cgroup = cgroup(level);
    target.cores = Some(level.cores.clone()).filter(|cores| !cores.is_empty());
    target.samples = samples(level);
    Some(target)
}

fn cpu(course: &Course, target: &mut TargetUse) {
    let threads = course.busiest_threads(THREADS);
    target.cpu_percent = course.cpu_percent();
    target.busiest_thread = threads.first().map(|thread| BusiestThread {
        name: thread.name.clone(),
        cpu_percent: thread.percent,
    });
    target.busy_threads = Some(course.threads_busier_than(BUSY_PERCENT) as u64);
    let thread_use = |thread: probe::ThreadCourse| ThreadUse {
        pid: number(thread.pid),
        tid: number(thread.tid),
        name: thread.name,
        cpu_percent: thread.percent,
        waiting_percent: thread.waiting_percent,
        series: thread.steps,
    };
    target.busiest_threads = threads.into_iter().map(thread_use).collect();
    let mut processes = course.processes();
    target.process_count = Some(processes.len() as u64);
    if processes.len() > PROCESSES {
        // The sort is stable, so the oldest of the idle processes are kept.
        processes.sort_by(|a, b| b.percent.total_cmp(&a.percent));
        processes.truncate(PROCESSES);
    }
    let process_use = |process: probe::ProcessCourse| ProcessUse {
        pid: number(process.pid),
        parent: number(process.parent),
        name: process.name,
        cpu_percent: process.percent,
        memory_mb: megabytes(process.memory),
        threads: process.threads as u64,
        descriptors: process.descriptors,
    };
    target.processes = processes.into_iter().map(process_use).collect();
}

fn memory_and_descriptors(course: &Course, target: &mut TargetUse) {
    let looks = course.looks();
    let memory = |look: &probe::Look| megabytes(look.memory);
    target.memory_mb_start = looks.first().map(memory);
    target.memory_mb_end = looks.last().map(memory);
    target.memory_mb_max = looks.iter().map(|look| look.memory).max().map(megabytes);
    if !course.restarted() {
        let points: Vec<(f64, f64)> = looks
            .iter()
            .map(|look| (look.at.as_secs_f64(), look.memory as f64))
            .collect();
        target.memory_growth = growth(&points);
    }
    target.threads = looks.iter().map(|look| look.threads as u64).max();
    target.descriptors = looks.iter().filter_map(|look| look.descriptors).max();
    let used = course.last_life();
    target.descriptor_limit = used.as_ref().and_then(|used| used.descriptor_limit);
    target.descriptors_used_percent = used
        .and_then(|used| used.descriptors_used)
        .map(|share| share * 100.0);
}

/// The growth of memory, from pairs of a time in seconds and a size in bytes.
pub(super) fn growth(looks: &[(f64, f64)]) -> Option<MemoryGrowth> {
    let growth = stats::growth(looks)?;
    Some(MemoryGrowth {
        bytes_per_s: growth.per_s,
        low: growth.low,
        high: growth.high,
        steady: growth.steady,
    })
}

fn cgroup(level: &LevelWatch) -> Option<CgroupUse> {
    let (before, now) = level.cgroup.as_ref()?;
    let throttled = now.throttled_since(before);
    Some(CgroupUse {
        cpu_limit_cores: now.cpu_limit,
        memory_limit_mb: now.memory_limit.map(megabytes),
        memory_mb_max: level.cgroup_memory.map(megabytes),
        periods: throttled.map(|throttled| throttled.periods),
        throttled_periods: throttled.map(|throttled| throttled.throttled_periods),
        throttled_s: throttled.map(|throttled| throttled.throttled.as_secs_f64()),
        oom_kills: now
            .oom_kills
            .zip(before.oom_kills)
            .map(|(now, before)| now.saturating_sub(before)),
    })
}

fn samples(level: &LevelWatch) -> Vec<TargetSample> {
    let course = &level.course;
    let sample = |step: &Step| {
        let place = course
            .looks()
            .binary_search_by_key(&step.at, |look| look.at);
        let look = place.ok().map(|place| course.looks()[place]);
        let port = level.port.at(step.at);
        TargetSample {
            at_s: seconds(step.at, level.started),
            cpu_percent: Some(step.cpu_percent),
            busiest_thread_percent: step.busiest_percent,
            memory_mb: look.map(|look| megabytes(look.memory)),
            threads: look.map(|look| look.threads as u64),
            descriptors: look.and_then(|look| look.descriptors),
            connections: port.map(|port| port.connections),
            listen_queue: port.and_then(|port| port.queue),
        }
    };
    course.steps().iter().map(sample).collect()
}

pub(super) fn seconds(at: Nanos, started: Nanos) -> f64 {
    (at - started).as_secs_f64()
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// Process IDs are never negative.
fn number(id: i32) -> u32 {
    u32::try_from(id).unwrap_or(0)
}
