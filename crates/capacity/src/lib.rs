//! Finds the causes that limit the target. A finding is one cause from a closed list ([`record::Cause`]), with its
//! evidence, its confidence and the next steps.
//!
//! A finding is computed from the record alone, so a saved run gives the same finding again. Questions that the
//! evidence leaves open are listed, and their answers are never guessed. A cause is not named if another cause would
//! explain the evidence equally well. This crate reads no clock, file, socket or environment variable, and generates no
//! load.

mod acknowledgement;
mod collisions;
mod concurrency;
mod connecting;
mod consumers;
mod cpu;
mod drift;
mod extremes;
mod fan_out;
mod generator;
mod levels;
mod limits;
mod locks;
mod median;
mod memory;
mod periods;
mod ports;
mod rate_limit;
mod residue;
mod retries;
mod scalability;
pub mod search;
mod setup;
mod stalls;
mod target;
mod throughput;
mod timeout;
mod windows;
mod writer;

use record::{Cause, Finding, Run};

pub use scalability::{FittedScalability, Scalability, ScalabilityRefusal, scalability};

/// Returns a finding for each cause that the record shows, the principal cause first: limits imposed on the target,
/// then the work that needs most of it, then its resources, then its structure, then symptoms.
///
/// Limits of the generator come first if nothing limits the target: the target can do more then. Otherwise, they come
/// last.
pub fn findings(run: &Run) -> Vec<Finding> {
    let of_target: Vec<Finding> = [
        rate_limit::find,
        setup::find,
        connecting::find,
        fan_out::find,
        cpu::find,
        locks::find,
        writer::find,
        limits::descriptors,
        drift::sessions, // each has a descriptor
        limits::growing_descriptors,
        memory::find,
        limits::listen_queue,
        residue::find,
        consumers::find,
        concurrency::find,
        retries::find,
        stalls::find,
        acknowledgement::find,
        collisions::find,
        drift::latency,
        timeout::find,
    ]
    .into_iter()
    .filter_map(|find| find(run))
    .collect();
    let of_generator = ports::find(run).into_iter().chain(generator::find(run));
    if of_target.iter().any(is_limit) {
        return of_target.into_iter().chain(of_generator).collect();
    }
    of_generator.chain(of_target).collect()
}

/// Whether the cause limits the load on the target. The others limit how long the target can bear it, or are symptoms,
/// which do not show that the target can do no more.
fn is_limit(finding: &Finding) -> bool {
    !matches!(
        finding.cause,
        Cause::GrowingMemory(_)
            | Cause::GrowingDescriptors(_)
            | Cause::GrowingSessions(_)
            | Cause::GrowingLatency(_)
            | Cause::ResidualSessions(_)
            // Symptoms
            | Cause::SynchronisedRetries(_)
            | Cause::PeriodicStalls(_)
            | Cause::DelayedAcknowledgement(_)
            | Cause::UniquenessCollisions(_)
            | Cause::FixedTimeout(_)
    )
}
