use std::collections::BTreeSet;

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity};

use super::sample::Sample;

/// The cores on which the threads of a sample may run, in order, according to affinity and cpusets of each thread.
///
/// Threads that have ended since are left out. Two processes can only take CPU time from each other if they have a core
/// in common.
pub fn allowed_cores(sample: &Sample) -> Vec<usize> {
    let threads = sample.processes.iter().flat_map(|process| &process.threads);
    let sets =
        threads.filter_map(|thread| sched_getaffinity(Some(Pid::from_raw(thread.tid)?)).ok());
    let cores: BTreeSet<usize> = sets.flat_map(|set| cores_in(&set)).collect();
    cores.into_iter().collect()
}

/// The cores on which the calling thread may run, in order.
pub fn own_cores() -> Vec<usize> {
    sched_getaffinity(None).map_or_else(|_| Vec::new(), |set| cores_in(&set).collect())
}

fn cores_in(set: &CpuSet) -> impl Iterator<Item = usize> + use<> {
    let set = *set;
    (0..CpuSet::MAX_CPU).filter(move |core| set.is_set(*core))
}
