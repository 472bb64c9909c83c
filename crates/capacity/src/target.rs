//! The CPU of the target and of its threads, and its descriptors.

use record::{Evidence, TargetUse, ThreadUse};

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
