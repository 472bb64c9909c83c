//! Finds the causes that limit the target. A finding is one cause from a closed list ([`record::Cause`]), with its
//! evidence, its confidence and the next steps.
//!
//! A finding is computed from the record alone, so a saved run gives the same finding again. Questions that the
//! evidence leaves open are listed, and their answers are never guessed. A cause is not named if another cause would
//! explain the evidence equally well. This crate reads no clock, file, socket or environment variable, and generates no
//! load.

mod concurrency;
mod cpu;
mod limits;
mod memory;
mod rate_limit;
pub mod search;
mod stalls;
mod target;
mod throughput;
mod timeout;
mod windows;

use record::{Finding, Level, Run};

/// Returns a finding for each cause that the record shows, the principal cause first: limits imposed on the target,
/// then its resources, then its structure, then symptoms.
pub fn findings(run: &Run) -> Vec<Finding> {
    [
        rate_limit::find,
        cpu::find,
        limits::descriptors,
        limits::growing_descriptors,
        memory::find,
        limits::listen_queue,
        concurrency::find,
        stalls::find,
        timeout::find,
    ]
    .into_iter()
    .filter_map(|find| find(run))
    .collect()
}

/// The levels whose figures describe the target.
fn usable(run: &Run) -> impl Iterator<Item = &Level> {
    let is_usable = |level: &&Level| !level.is_invalid() && level.phases.duration_s > 0.0;
    run.levels.iter().filter(is_usable)
}
