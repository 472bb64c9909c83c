use std::path::Path;

use model::Nanos;
use serde::{Deserialize, Serialize};

use super::{Cgroup, keyed, read};

/// The throttling of a cgroup by its CPU quota, since its creation or, as a difference, between two moments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Throttling {
    /// Periods of the quota, usually of 100 ms.
    pub periods: u64,
    /// Periods in which the quota was used up.
    pub throttled_periods: u64,
    /// Time for which its threads were stopped.
    pub throttled: Nanos,
}

impl Throttling {
    /// The throttling of a process, from its innermost cgroup that counts throttling. `None` if no cgroup does.
    pub fn of(pid: i32) -> Option<Self> {
        let cgroup = Cgroup::of(pid)?;
        cgroup.cpu.iter().find_map(|folder| Self::read(folder))
    }

    pub(super) fn read(folder: &Path) -> Option<Self> {
        Self::parse(&read(folder, "cpu.stat")?)
    }

    /// Parses `cpu.stat` of version 2 (`throttled_usec`) or version 1 (`throttled_time`, in nanoseconds).
    pub(super) fn parse(text: &str) -> Option<Self> {
        let throttled = match keyed(text, "throttled_usec") {
            Some(micros) => Nanos(micros.saturating_mul(1000)),
            None => Nanos(keyed(text, "throttled_time")?),
        };
        Some(Self {
            periods: keyed(text, "nr_periods")?,
            throttled_periods: keyed(text, "nr_throttled")?,
            throttled,
        })
    }

    /// The difference to `earlier`.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            periods: self.periods.saturating_sub(earlier.periods),
            throttled_periods: self
                .throttled_periods
                .saturating_sub(earlier.throttled_periods),
            throttled: self.throttled - earlier.throttled,
        }
    }
}
