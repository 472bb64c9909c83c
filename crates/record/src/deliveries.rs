use std::collections::BTreeMap;

use model::{LossReason, MisdeliveryReason};
use serde::{Deserialize, Serialize};
use stats::{Blocks, Estimate, Histogram, Samples, estimate_in_blocks};

/// Deliveries for which headcount itself stopped waiting before the settling time was over, counted by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutOff {
    /// Deliveries of failed iterations, whose sockets were closed at once.
    pub iteration_failed: u64,
    /// Deliveries of iterations that ended.
    pub iteration_ended: u64,
    /// Deliveries that were in flight when the level ended.
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

/// How a message with a stamp differs from the messages that its channel accepts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "cause", rename_all = "snake_case")]
pub enum Mismatch {
    /// The stamp is at another place in the message. Both fields are JSON pointers or byte offsets.
    Place {
        /// The place at which the channel expects the stamp (`at`).
        looks: String,
        /// The place at which the stamp is.
        stands: String,
    },
    /// A value in the message differs from the one that the channel requires (`only`). Both values are JSON texts.
    Value {
        /// The JSON pointer.
        at: String,
        /// The required value.
        wanted: String,
        /// The received value. `None` if the message has no such value.
        came: Option<String>,
    },
    /// The message is another Socket.IO event.
    Event {
        /// The required event.
        wanted: String,
        /// The received event.
        came: String,
    },
    /// The message is an array of objects, and the channel would accept one of them as a message.
    Array,
    /// The message begins or ends within a document, so documents continue in other messages.
    Cut {
        /// The option that joins them: `newline` or `0x1e`.
        documents: String,
    },
}

impl Mismatch {
    /// The difference that explains more, this one if both explain the same.
    #[must_use]
    pub fn clearer(self, other: Self) -> Self {
        match other {
            Self::Array | Self::Cut { .. } => other,
            Self::Place { .. } | Self::Value { .. } | Self::Event { .. } => self,
        }
    }

    /// Whether the channel's messages were packed in a way that the socket does not read.
    pub fn is_packing(&self) -> bool {
        matches!(self, Self::Array | Self::Cut { .. })
    }
}

/// Stamps that were not at the place at which their channel expects them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Misplaced {
    /// Number of misplaced stamps.
    pub stamps: u64,
    /// Number of deliveries that count as lost because their stamp was misplaced.
    pub lost: u64,
    /// The difference for the first misplaced stamp. If a stamp was in an element of an array, that difference.
    pub first: Option<Mismatch>,
}

impl Misplaced {
    fn merge(&mut self, other: &Self) {
        self.stamps += other.stamps;
        self.lost += other.lost;
        let first = self.first.take().into_iter().chain(other.first.clone());
        self.first = first.reduce(Mismatch::clearer);
    }
}

/// Deliveries of messages to their own senders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnCopies {
    /// Number of expected deliveries.
    pub expected: u64,
    /// Number of expected deliveries that were never received and whose loss has no other explanation.
    pub lost: u64,
    /// Number of messages that returned to their senders although they were addressed only to others. These messages
    /// count as misdelivered.
    #[serde(default)]
    pub unexpected: u64,
}

/// Counts and latencies of one channel. Every message has exactly one fate for each member of its audience: delivered,
/// late, lost or cut off. Duplicated, reordered and misdelivered messages are counted in addition.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Deliveries {
    /// Messages stamped and sent. A message whose sending failed counts too; its deliveries are lost for that reason.
    pub messages: u64,
    /// Messages stamped but never sent. headcount expects no deliveries of these messages.
    pub unsent: u64,
    /// Sum of the audience sizes of all messages.
    pub expected: u64,
    /// The expected deliveries that go to the sender itself.
    #[serde(default)]
    pub own_copies: OwnCopies,
    /// Deliveries received within the deadline.
    pub delivered: u64,
    /// Deliveries received after the deadline.
    pub late: u64,
    /// Deliveries not received by the end of the settling time, counted by reason.
    pub lost: BTreeMap<LossReason, u64>,
    /// Deliveries for which headcount itself stopped waiting. Whether the target would have made them is unknown.
    #[serde(default)]
    pub cut_off: CutOff,
    /// Deliveries that the same receiver received again.
    pub duplicated: u64,
    /// Deliveries received after a later message of the same sender.
    pub reordered: u64,
    /// Messages received by someone outside the audience, counted by reason.
    pub misdelivered: BTreeMap<MisdeliveryReason, u64>,
    /// Stamps that arrived on a followed socket, but not at the place at which the channel expects them. Misplaced
    /// stamps do not count as deliveries.
    #[serde(default)]
    pub misplaced: Misplaced,
    /// Number of expected stamps that arrived in messages which the channel takes for snapshots (`except`). They do not
    /// count as deliveries.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub in_snapshots: u64,
    /// The largest error of the latencies in ms, if sender and receivers can have different clocks: on a fleet, the errors of
    /// two agents' clocks together. `None` if one clock measured all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_error_ms: Option<f64>,
    /// Latencies of delivered and late deliveries, from the planned sending to the receive timestamp.
    pub latency: Histogram,
    /// The latencies over the measured time, in blocks. Empty in records of version 1.
    #[serde(default, skip_serializing_if = "Blocks::is_empty")]
    pub blocks: Blocks,
    /// Time until the first receiver had the message, for each message.
    pub first: Histogram,
    /// Time until half of the receivers had the message, for each message.
    pub median: Histogram,
    /// Time until the last receiver had the message, for each message.
    pub last: Histogram,
    /// Messages that reached their whole audience.
    pub whole_audience: u64,
}

impl Deliveries {
    /// Number of lost deliveries, whatever the reason.
    pub fn lost_count(&self) -> u64 {
        self.lost.values().sum()
    }

    /// Number of deliveries with a known fate. Shares are relative to this number.
    pub fn judged(&self) -> u64 {
        self.expected.saturating_sub(self.cut_off.count())
    }

    /// Number of losses that the script probably caused, not the target. Either most stamps arrived at a place where
    /// the channel does not expect them, or all arrived in snapshots, or no sender received its own copy.
    pub fn lost_by_script(&self) -> u64 {
        let losses = self.looks_elsewhere() + self.has_no_echo();
        losses.max(self.only_in_snapshots())
    }

    /// Number of losses whose stamps arrived at another place, if these stamps outnumber the received deliveries or
    /// arrived in arrays; otherwise 0. A server that batches messages sends them in arrays only under load. If the
    /// target cuts documents, it may also have cut the stamps of the other losses.
    pub fn looks_elsewhere(&self) -> u64 {
        let Misplaced { lost, first, .. } = &self.misplaced;
        match first {
            Some(Mismatch::Cut { .. }) => self.lost_count().saturating_sub(self.has_no_echo()),
            Some(Mismatch::Array) => *lost,
            _ if *lost > self.received() => *lost,
            _ => 0,
        }
    }

    /// Number of losses, if nothing was received and as many stamps arrived in snapshots; otherwise 0. A snapshot
    /// excuses no loss if other messages arrive.
    pub fn only_in_snapshots(&self) -> u64 {
        let lost = self.lost_count();
        let all = self.received() == 0 && self.in_snapshots >= lost;
        if all { lost } else { 0 }
    }

    /// Number of lost own copies, if every own copy was lost; otherwise 0.
    pub fn has_no_echo(&self) -> u64 {
        let OwnCopies { expected, lost, .. } = self.own_copies;
        if lost == expected { lost } else { 0 }
    }

    /// Number of messages to others that returned to their senders, if most did and nothing else was misdelivered;
    /// otherwise 0. If only a few messages return, the target itself is at fault.
    pub fn has_echo(&self) -> u64 {
        let returned = self.own_copies.unexpected;
        let is_rule = 2 * returned > self.messages && returned == self.misdelivered_count();
        if is_rule { returned } else { 0 }
    }

    /// Number of misdelivered messages, whatever the reason.
    pub fn misdelivered_count(&self) -> u64 {
        self.misdelivered.values().sum()
    }

    /// Number of deliveries received, on time or late.
    pub fn received(&self) -> u64 {
        self.delivered + self.late
    }

    /// Whether any stamped message arrived, wherever it belonged.
    pub fn anything_arrived(&self) -> bool {
        self.received() + self.duplicated + self.reordered + self.misdelivered_count() > 0
    }

    /// Returns quantile `q` of the latency. The confidence interval is computed from blocks, because deliveries of the
    /// same message and of consecutive messages are not independent.
    pub fn latency_at(&self, q: f64) -> Estimate {
        estimate_in_blocks(&self.latency, 0, &self.blocks, q)
    }

    /// Returns the standard error of the logarithm of quantile `q` of the latency, as this run alone shows it.
    pub fn latency_log_error_at(&self, q: f64) -> Option<f64> {
        let all = Samples {
            times: &self.latency,
            open: Histogram::NONE,
            endless: 0,
        };
        all.log_error_in(&self.blocks, q)
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
        self.in_snapshots += other.in_snapshots;
        self.clock_error_ms = larger(self.clock_error_ms, other.clock_error_ms);
        self.latency.merge(&other.latency);
        self.blocks.merge(&other.blocks);
        self.first.merge(&other.first);
        self.median.merge(&other.median);
        self.last.merge(&other.last);
        self.whole_audience += other.whole_audience;
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn larger(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.max(other)),
        _ => one.or(other),
    }
}

fn add_counts<R: Copy + Ord>(ours: &mut BTreeMap<R, u64>, theirs: &BTreeMap<R, u64>) {
    for (reason, count) in theirs {
        *ours.entry(*reason).or_default() += count;
    }
}

#[cfg(test)]
mod tests;
