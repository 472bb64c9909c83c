use crate::config::RunConfig;

/// The cores on which the workers may run, in order. Without pinning, these are all cores that the kernel allows for
/// this process.
pub(super) fn of_workers(config: &RunConfig) -> Vec<usize> {
    if config.cores.is_empty() {
        return probe::own_cores();
    }
    // Each worker uses one core of the list, so some cores may be unused.
    let workers = config.workers as usize;
    let mut cores: Vec<usize> = config.cores.iter().copied().take(workers).collect();
    cores.sort_unstable();
    cores.dedup();
    cores
}

/// The cores that are in both lists.
pub(super) fn shared(ours: &[usize], theirs: &[usize]) -> Vec<usize> {
    ours.iter()
        .copied()
        .filter(|core| theirs.contains(core))
        .collect()
}
