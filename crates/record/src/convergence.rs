use serde::{Deserialize, Serialize};

/// Groups by whether their members had the same user state at the end of an iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Convergence {
    /// Groups in which all members had the same state.
    pub converged: u64,
    /// Groups in which two members had different states.
    pub diverged: u64,
    /// Groups in which some members reported no state, and the others had the same one.
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
