use std::collections::BTreeMap;

use crate::bits::Bits;

/// The reason why headcount itself ended the wait for a delivery before its settling time was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CutOff {
    /// The iteration failed, and its sockets were closed at once.
    IterationFailed,
    /// The iteration ended.
    IterationEnded,
    /// The level ended.
    LevelEnded,
}

/// The way in which a member stopped listening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// Members who stopped listening. `None` if they stopped after the settling time of the message, because leaving is
    /// then not the reason for the loss.
    how: BTreeMap<u32, Option<Leaving>>,
}

impl Departures {
    /// Records a departure. Only the first departure counts: even if the member returns and leaves again, the first is
    /// why it missed the message.
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
