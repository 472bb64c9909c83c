use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::bits::Bits;

/// The reason why headcount stopped waiting for a delivery before the settling time had passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CutOff {
    /// The iteration failed, and its sockets were closed at once.
    IterationFailed,
    /// The iteration ended.
    IterationEnded,
    /// The level ended.
    LevelEnded,
}

/// The way in which a member stopped listening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Leaving {
    /// The script stopped listening or closed the connection.
    Left,
    /// The connection broke or the target closed it.
    Disconnected,
    /// headcount closed the connection.
    CutOff(CutOff),
}

/// Members who stopped listening or received a stamp at the wrong place. Usually empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct Departures {
    /// Members who received the stamp at a place where the channel does not look.
    pub(crate) misplaced: Bits,
    /// How each member stopped listening. `None` if the member stopped after the message's settling time, because
    /// leaving then did not cause the loss.
    how: BTreeMap<u32, Option<Leaving>>,
}

impl Departures {
    /// Records how a member stopped listening. Only the first departure counts, because it explains why the member
    /// missed the message.
    pub(crate) fn note(&mut self, member: u32, how: Option<Leaving>) {
        self.how.entry(member).or_insert(how);
    }

    pub(crate) fn forget(&mut self, member: u32) {
        self.how.remove(&member);
    }

    pub(crate) fn contains(&self, member: u32) -> bool {
        self.how.contains_key(&member)
    }

    pub(crate) fn count(&self) -> usize {
        self.how.len()
    }

    pub(crate) fn how(&self, member: u32) -> Option<Leaving> {
        self.how.get(&member).copied().flatten()
    }
}

#[cfg(test)]
#[path = "departures_tests.rs"]
mod tests;
