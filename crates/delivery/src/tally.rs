use std::collections::BTreeMap;

use model::{LossReason, MisdeliveryReason};
use stats::Histogram;

use crate::departures::CutOff;

/// What a receipt turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Seen within the deadline.
    Delivered,
    /// Seen after the deadline.
    Late,
    /// Seen again.
    Duplicated,
    /// Seen by one whom it is for and who did not listen yet when it was sent: counted nowhere.
    Unexpected,
    /// Seen by somebody who should not see it.
    Misdelivered(MisdeliveryReason),
}

/// What came of all deliveries of one kind of message.
///
/// Once every ledger is closed: `expected == delivered + late + lost + cut_off`.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Messages sent.
    pub messages: u64,
    /// Stamps that were made and never sent.
    pub unsent: u64,
    /// Deliveries that should happen: the audiences of all messages together.
    pub expected: u64,
    /// Those of them that should go to the sender itself.
    pub own_copies: u64,
    /// Seen within the deadline.
    pub delivered: u64,
    /// Seen after it.
    pub late: u64,
    /// Never seen, by reason.
    pub lost: BTreeMap<LossReason, u64>,
    /// Not seen when headcount itself ended the wait for them, by reason.
    pub cut_off: BTreeMap<CutOff, u64>,
    /// Receipts beyond the first.
    pub duplicated: u64,
    /// First receipts that came after a later message of the same sender.
    pub reordered: u64,
    /// Stamps that were read where their channel is followed but does not look: no receipts.
    pub misplaced: u64,
    /// Receipts by those who should not have them, by reason.
    pub misdelivered: BTreeMap<MisdeliveryReason, u64>,
    /// Delivery latency, from the planned sending to the receipt at the receiver's end; late ones too.
    pub latency: Histogram,
    /// Latency of each message to its first receiver.
    pub first: Histogram,
    /// To half of its audience.
    pub median: Histogram,
    /// To the last of its audience; only messages that all have received.
    pub last: Histogram,
}

impl Tally {
    /// All that was lost.
    pub fn lost_total(&self) -> u64 {
        self.lost.values().sum()
    }

    /// All that was cut off.
    pub fn cut_off_total(&self) -> u64 {
        self.cut_off.values().sum()
    }

    /// All that strayed.
    pub fn misdelivered_total(&self) -> u64 {
        self.misdelivered.values().sum()
    }

    /// Counts one stray.
    pub fn stray(&mut self, reason: MisdeliveryReason) {
        *self.misdelivered.entry(reason).or_default() += 1;
    }
}
