use serde::{Deserialize, Serialize};

/// Groups by whether their members held the same document at the end of an iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Convergence {
    /// All members held the same.
    pub converged: u64,
    /// Two members held something different.
    pub diverged: u64,
    /// Not every member said what they held, and those who did held the same.
    pub unknown: u64,
}

impl Convergence {
    /// All groups.
    pub fn groups(&self) -> u64 {
        self.converged + self.diverged + self.unknown
    }

    /// Adds what another worker measured.
    pub fn merge(&mut self, other: &Self) {
        self.converged += other.converged;
        self.diverged += other.diverged;
        self.unknown += other.unknown;
    }
}
