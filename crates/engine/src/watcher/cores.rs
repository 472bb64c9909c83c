use crate::config::RunConfig;

/// The cores that the generator's workers may run on, in order: those that they are pinned to, or those that the
/// kernel lets this process have.
pub(super) fn of_workers(config: &RunConfig) -> Vec<usize> {
    if config.cores.is_empty() {
        return probe::own_cores();
    }
    // As many workers as there are, in turn.
    let workers = config.workers as usize;
    let mut cores: Vec<usize> = config.cores.iter().copied().take(workers).collect();
    cores.sort_unstable();
    cores.dedup();
    cores
}

/// Those that are in both.
pub(super) fn shared(ours: &[usize], theirs: &[usize]) -> Vec<usize> {
    ours.iter()
        .copied()
        .filter(|core| theirs.contains(core))
        .collect()
}
