//! The CPU of the target and of its threads, and its descriptors.

use record::{Evidence, TargetUse, ThreadUse};

/// CPU as a share of the target's cores, below which CPUs are free.
const FREE: f64 = 0.8;
/// Share of the time in which no thread may have wanted a CPU, in percent.
const THREAD_FREE: f64 = 85.0;

/// Returns the number of cores that the target may run on; 0 if it is unknown.
pub(crate) fn cores(target: &TargetUse) -> u64 {
    target.cores.as_ref().map_or(0, |cores| cores.len() as u64)
}

/// Returns the share of the time in which the thread ran or was ready to run, in percent.
pub(crate) fn wanted(thread: &ThreadUse) -> f64 {
    thread.cpu_percent + thread.waiting_percent.unwrap_or_default()
}

/// Returns the largest [`wanted`] of all threads.
pub(crate) fn most_wanted(target: &TargetUse) -> f64 {
    let threads = target.busiest_threads.iter();
    threads.map(wanted).fold(0.0, f64::max)
}

/// Returns the CPU of the whole target as evidence. `None` if it is unknown.
pub(crate) fn cpu(target: &TargetUse) -> Option<Evidence> {
    Some(Evidence::TargetCpu {
        percent: target.cpu_percent?,
        cores: cores(target),
    })
}

/// Returns the time in seconds until the target has no descriptor left, if their number grows by `per_s`. `None` if the
/// limit or the number is unknown.
pub(crate) fn descriptors_full_after_s(target: &TargetUse, per_s: f64) -> Option<f64> {
    let (limit, open) = target.descriptor_limit.zip(target.descriptors)?;
    Some(limit.saturating_sub(open) as f64 / per_s)
}

/// Returns whether neither the target's cores nor one of its threads are near their limit.
pub(crate) fn has_free_cpu(target: &TargetUse) -> bool {
    let all = cores(target) as f64 * 100.0;
    let is_free = target.cpu_percent.is_some_and(|cpu| cpu < all * FREE);
    is_free && most_wanted(target) < THREAD_FREE
}
