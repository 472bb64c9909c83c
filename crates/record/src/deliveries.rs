use std::collections::BTreeMap;

use model::{LossReason, MisdeliveryReason};
use serde::{Deserialize, Serialize};
use stats::{Blocks, Estimate, Histogram, estimate_in_blocks};

/// Deliveries for which headcount itself ended the wait before their settling time was over, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutOff {
    /// The iteration failed, and its sockets were closed at once.
    pub iteration_failed: u64,
    /// The iteration ended.
    pub iteration_ended: u64,
    /// The level ended.
    pub level_ended: u64,
}

impl CutOff {
    /// Number of all deliveries that were cut off.
    pub fn count(&self) -> u64 {
        self.iteration_failed + self.iteration_ended + self.level_ended
    }

    fn merge(&mut self, other: &Self) {
        self.iteration_failed += other.iteration_failed;
        self.iteration_ended += other.iteration_ended;
        self.level_ended += other.level_ended;
    }
}

/// Difference between the place where a channel looks and a message with its stamp.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "cause", rename_all = "snake_case")]
pub enum Mismatch {
    /// The stamp is at another place of the message. Both are JSON pointers or byte offsets.
    Place {
        /// The place where the channel looks (`at`).
        looks: String,
        /// The place of the stamp.
        stands: String,
    },
    /// The message has another value than the channel requires (`only`). Values are JSON texts.
    Value {
        /// The JSON pointer.
        at: String,
        /// The required value.
        wanted: String,
        /// The received value. `None`: there was none.
        came: Option<String>,
    },
    /// The message is another Socket.IO event.
    Event {
        /// The required event.
        wanted: String,
        /// The received event.
        came: String,
    },
}

/// Stamps that arrived at a place where their channel does not look.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Misplaced {
    /// Number of misplaced stamps.
    pub stamps: u64,
    /// Number of deliveries that count as lost because their stamp was misplaced.
    pub lost: u64,
    /// The difference for the first misplaced stamp.
    pub first: Option<Mismatch>,
}

impl Misplaced {
    fn merge(&mut self, other: &Self) {
        self.stamps += other.stamps;
        self.lost += other.lost;
        self.first = self.first.take().or_else(|| other.first.clone());
    }
}

/// Deliveries of messages to their own senders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnCopies {
    /// Number of expected deliveries.
    pub expected: u64,
    /// Number of expected deliveries that were never received and have no other reason for their loss.
    pub lost: u64,
    /// Copies that no delivery expected: messages to others that returned to their senders. They are misdelivered.
    #[serde(default)]
    pub unexpected: u64,
}

/// Counts and latencies of one channel. Every message has exactly one fate for each member of its audience: delivered,
/// late, lost or cut off. Duplicated, reordered and misdelivered messages are counted in addition.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Deliveries {
    /// Messages stamped and sent. A failed send counts too; its deliveries are lost with that reason.
    pub messages: u64,
    /// Messages stamped but never sent. No delivery is expected of them.
    pub unsent: u64,
    /// Sum of the audience sizes of all messages.
    pub expected: u64,
    /// The expected deliveries that go to the sender itself.
    #[serde(default)]
    pub own_copies: OwnCopies,
    /// Received within the deadline.
    pub delivered: u64,
    /// Received after the deadline.
    pub late: u64,
    /// Not received by the end of the settling time, by reason.
    pub lost: BTreeMap<LossReason, u64>,
    /// Not received when headcount itself ended the wait. It is unknown whether the target would have delivered them.
    #[serde(default)]
    pub cut_off: CutOff,
    /// Deliveries that the same receiver received again.
    pub duplicated: u64,
    /// Deliveries received after a later message of the same sender.
    pub reordered: u64,
    /// Messages received by someone outside the audience, by reason.
    pub misdelivered: BTreeMap<MisdeliveryReason, u64>,
    /// Stamps that arrived on a followed socket at a place where the channel does not look. They do not count as
    /// deliveries.
    #[serde(default)]
    pub misplaced: Misplaced,
    /// Latency from the planned sending to the receive timestamp, of delivered and late deliveries.
    pub latency: Histogram,
    /// The latencies over the measured time, in blocks. Empty in records of version 1.
    #[serde(default, skip_serializing_if = "Blocks::is_empty")]
    pub blocks: Blocks,
    /// Latency to the first receiver, per message.
    pub first: Histogram,
    /// Latency to the median of the receivers, per message.
    pub median: Histogram,
    /// Latency to the last receiver, per message.
    pub last: Histogram,
    /// Messages that reached their whole audience.
    pub whole_audience: u64,
}

impl Deliveries {
    /// Number of lost deliveries, for any reason.
    pub fn lost_count(&self) -> u64 {
        self.lost.values().sum()
    }

    /// Number of deliveries with a known fate. Shares are computed from this number.
    pub fn judged(&self) -> u64 {
        self.expected.saturating_sub(self.cut_off.count())
    }

    /// Number of losses that are probably due to the script and not the target. Either more stamps arrived where the
    /// channel does not look than where it does, or no sender received its own copy.
    pub fn lost_by_script(&self) -> u64 {
        self.looks_elsewhere() + self.has_no_echo()
    }

    /// Number of losses whose stamps arrived at another place, if these outnumber the received deliveries; otherwise 0.
    pub fn looks_elsewhere(&self) -> u64 {
        let lost = self.misplaced.lost;
        if lost > self.received() { lost } else { 0 }
    }

    /// Number of lost own copies, if all own copies were lost; otherwise 0.
    pub fn has_no_echo(&self) -> u64 {
        let OwnCopies { expected, lost, .. } = self.own_copies;
        if lost == expected { lost } else { 0 }
    }

    /// Number of messages to others that returned to their senders, if most did and nothing else was misdelivered;
    /// otherwise 0. A target that returns a few has made a mistake itself.
    pub fn has_echo(&self) -> u64 {
        let returned = self.own_copies.unexpected;
        let is_rule = 2 * returned > self.messages && returned == self.misdelivered_count();
        if is_rule { returned } else { 0 }
    }

    /// Number of misdelivered messages, for any reason.
    pub fn misdelivered_count(&self) -> u64 {
        self.misdelivered.values().sum()
    }

    /// Number of deliveries received, in time or late.
    pub fn received(&self) -> u64 {
        self.delivered + self.late
    }

    /// Returns quantile `q` of the latency. Its interval is computed from blocks, because neither the deliveries of one
    /// message nor consecutive messages are independent.
    pub fn latency_at(&self, q: f64) -> Estimate {
        estimate_in_blocks(&self.latency, 0, &self.blocks, q)
    }

    /// Adds the measurements of another worker.
    pub fn merge(&mut self, other: &Self) {
        self.messages += other.messages;
        self.unsent += other.unsent;
        self.expected += other.expected;
        self.delivered += other.delivered;
        self.late += other.late;
        add_counts(&mut self.lost, &other.lost);
        self.cut_off.merge(&other.cut_off);
        self.duplicated += other.duplicated;
        self.reordered += other.reordered;
        add_counts(&mut self.misdelivered, &other.misdelivered);
        self.own_copies.expected += other.own_copies.expected;
        self.own_copies.lost += other.own_copies.lost;
        self.own_copies.unexpected += other.own_copies.unexpected;
        self.misplaced.merge(&other.misplaced);
        self.latency.merge(&other.latency);
        self.blocks.merge(&other.blocks);
        self.first.merge(&other.first);
        self.median.merge(&other.median);
        self.last.merge(&other.last);
        self.whole_audience += other.whole_audience;
    }
}

fn add_counts<R: Copy + Ord>(ours: &mut BTreeMap<R, u64>, theirs: &BTreeMap<R, u64>) {
    for (reason, count) in theirs {
        *ours.entry(*reason).or_default() += count;
    }
}
