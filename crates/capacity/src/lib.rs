//! Why it stops there: findings, each one cause out of a closed list ([`record::Cause`]) with its evidence, its confidence
//! and what to try.
//!
//! A finding is worked out from the record alone, so that a saved run gives the same again. What the evidence does not
//! tell is listed and not guessed; a cause that other causes would explain as well is not named. This crate never reads
//! a clock, file, socket or environment variable, and puts on no load.

mod rate_limit;

use record::{Finding, Run};

/// All causes that the record shows.
pub fn findings(run: &Run) -> Vec<Finding> {
    rate_limit::find(run).into_iter().collect()
}
