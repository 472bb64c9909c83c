use serde::{Deserialize, Serialize};

/// Numbers of groups whose members had the same user state, or different ones, at the end of an iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Convergence {
    /// Groups in which all members had the same state.
    pub converged: u64,
    /// Groups in which at least two members had different states.
    pub diverged: u64,
    /// Groups in which some members reported no state, and all others had the same state.
    pub unknown: u64,
}

impl Convergence {
    /// Number of all groups.
    pub fn groups(&self) -> u64 {
        self.converged + self.diverged + self.unknown
    }

    /// Adds the counts of another worker.
    pub fn merge(&mut self, other: &Self) {
        self.converged += other.converged;
        self.diverged += other.diverged;
        self.unknown += other.unknown;
    }
}
