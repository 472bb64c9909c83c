use std::collections::BTreeMap;

use model::{LossReason, MisdeliveryReason};
use stats::Histogram;

use crate::departures::CutOff;

/// The fate of a received stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Received within the deadline.
    Delivered,
    /// Received after the deadline.
    Late,
    /// Received again.
    Duplicated,
    /// Received by a member of the channel's audience who did not listen yet when the message was sent. Not counted.
    Unexpected,
    /// Received by someone outside the audience.
    Misdelivered(MisdeliveryReason),
}

/// The counts and latencies of all deliveries of one kind of message.
///
/// Once every ledger is closed, `expected == delivered + late + lost + cut_off`.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Messages sent.
    pub messages: u64,
    /// Stamps that were made and never sent.
    pub unsent: u64,
    /// Expected deliveries: the sum of the audience sizes of all messages.
    pub expected: u64,
    /// Expected deliveries to the sender itself.
    pub own_copies: u64,
    /// Messages that returned to their sender although they were only for others. They also count as misdelivered.
    pub echoes: u64,
    /// Deliveries within the deadline.
    pub delivered: u64,
    /// Deliveries after the deadline.
    pub late: u64,
    /// Deliveries that did not happen, by reason.
    pub lost: BTreeMap<LossReason, u64>,
    /// Deliveries for which headcount stopped waiting early, by reason.
    pub cut_off: BTreeMap<CutOff, u64>,
    /// Repeated arrivals of a message at the same member.
    pub duplicated: u64,
    /// Messages that first arrived after a later message of the same sender.
    pub reordered: u64,
    /// Stamps that are not at the place in the message where their channel looks. They are not deliveries.
    pub misplaced: u64,
    /// Stamps in messages that their channel takes for snapshots, at members who have not received them otherwise. They
    /// are not deliveries.
    pub in_snapshots: u64,
    /// Messages received by someone outside the audience, by reason.
    pub misdelivered: BTreeMap<MisdeliveryReason, u64>,
    /// Delivery latency, from the planned sending to the receive time, including late deliveries.
    pub latency: Histogram,
    /// Latency of each message to its first receiver.
    pub first: Histogram,
    /// Latency of each message until half of its audience has received it.
    pub median: Histogram,
    /// Latency of each message to its last receiver. Covers only messages that the whole audience received.
    pub last: Histogram,
}

impl Tally {
    /// The number of lost deliveries.
    pub fn lost_total(&self) -> u64 {
        self.lost.values().sum()
    }

    /// The number of deliveries cut off.
    pub fn cut_off_total(&self) -> u64 {
        self.cut_off.values().sum()
    }

    /// The number of misdelivered stamps.
    pub fn misdelivered_total(&self) -> u64 {
        self.misdelivered.values().sum()
    }

    /// Counts a message that reached a member outside the channel's audience.
    pub(crate) fn outside(&mut self, is_echo: bool) {
        self.echoes += u64::from(is_echo);
        self.stray(MisdeliveryReason::OutsideAudience);
    }

    /// Counts one misdelivered stamp.
    pub fn stray(&mut self, reason: MisdeliveryReason) {
        *self.misdelivered.entry(reason).or_default() += 1;
    }
}
