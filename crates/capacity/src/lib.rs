//! Finds the causes that limit the target. A finding is one cause from a closed list ([`record::Cause`]), with its
//! evidence, its confidence and the next steps.
//!
//! A finding is computed from the record alone, so a saved run gives the same finding again. Questions that the
//! evidence leaves open are listed, and their answers are never guessed. A cause is not named if another cause would
//! explain the evidence equally well. This crate reads no clock, file, socket or environment variable, and generates no
//! load.

mod rate_limit;
pub mod search;

use record::{Finding, Run};

/// Returns a finding for each cause that the record shows.
pub fn findings(run: &Run) -> Vec<Finding> {
    rate_limit::find(run).into_iter().collect()
}
