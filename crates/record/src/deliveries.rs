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
    /// All of them.
    pub fn count(&self) -> u64 {
        self.iteration_failed + self.iteration_ended + self.level_ended
    }

    fn merge(&mut self, other: &Self) {
        self.iteration_failed += other.iteration_failed;
        self.iteration_ended += other.iteration_ended;
        self.level_ended += other.level_ended;
    }
}

/// What a channel looks for, and how a message with its stamp differed from that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "cause", rename_all = "snake_case")]
pub enum Mismatch {
    /// The stamp stands at another place: JSON pointers, or the numbers of bytes.
    Place {
        /// Where the channel looks (`at`).
        looks: String,
        /// Where the stamp stands.
        stands: String,
    },
    /// Another value stands where the channel wants one (`only`): JSON texts.
    Value {
        /// The JSON pointer.
        at: String,
        /// What the channel wants there.
        wanted: String,
        /// What came; `None`: nothing.
        came: Option<String>,
    },
    /// Another event of Socket.IO.
    Event {
        /// Which the channel wants.
        wanted: String,
        /// Which came.
        came: String,
    },
}

/// Stamps that arrived where their channel does not look.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Misplaced {
    /// How many did.
    pub stamps: u64,
    /// Deliveries that count as lost, whose stamp arrived so.
    pub lost: u64,
    /// How the first of them differed from what the channel looks for.
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
    /// How many were expected.
    pub expected: u64,
    /// How many of them were never seen, without another reason.
    pub lost: u64,
}

/// What became of the messages of one channel. Every message × every member of its audience has exactly one fate:
/// delivered, late, lost or cut off. Duplicated, reordered and misdelivered are extras.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Deliveries {
    /// Messages that were stamped and sent; a send that failed counts too, its deliveries are lost with that reason.
    pub messages: u64,
    /// Messages that were stamped and never sent; nobody expects them.
    pub unsent: u64,
    /// Messages × the members of their audiences.
    pub expected: u64,
    /// Those of them that should go to the sender itself.
    #[serde(default)]
    pub own_copies: OwnCopies,
    /// Seen within the deadline.
    pub delivered: u64,
    /// Seen after the deadline.
    pub late: u64,
    /// Never seen by the end of the settling time, by reason.
    pub lost: BTreeMap<LossReason, u64>,
    /// Not seen when headcount itself ended the wait: whether the target would have delivered them is not known.
    #[serde(default)]
    pub cut_off: CutOff,
    /// Seen again by the same receiver.
    pub duplicated: u64,
    /// Seen after a later message of the same sender.
    pub reordered: u64,
    /// Seen by someone outside the audience, by reason.
    pub misdelivered: BTreeMap<MisdeliveryReason, u64>,
    /// Stamps that arrived where the channel is followed but does not look: no receipts.
    #[serde(default)]
    pub misplaced: Misplaced,
    /// From the sending to each receipt, of what was delivered or late.
    pub latency: Histogram,
    /// How they came in the course of the measured time; empty in records of version 1.
    #[serde(default, skip_serializing_if = "Blocks::is_empty")]
    pub blocks: Blocks,
    /// Per message: to its first receiver.
    pub first: Histogram,
    /// Per message: to the median of its receivers.
    pub median: Histogram,
    /// Per message: to the last of its receivers.
    pub last: Histogram,
    /// Messages that reached their whole audience.
    pub whole_audience: u64,
}

impl Deliveries {
    /// How many were lost, whatever the reason.
    pub fn lost_count(&self) -> u64 {
        self.lost.values().sum()
    }

    /// Deliveries whose fate is known: shares are taken of these.
    pub fn judged(&self) -> u64 {
        self.expected.saturating_sub(self.cut_off.count())
    }

    /// Losses that show a mistake in the script rather than one of the target: more stamps arrived where the channel does
    /// not look than where it does; or no sender got its own copy, of several.
    pub fn lost_by_script(&self) -> u64 {
        self.looks_elsewhere() + self.has_no_echo()
    }

    /// Losses whose stamps arrived elsewhere, where that is more than arrived where the channel looks; else 0.
    pub fn looks_elsewhere(&self) -> u64 {
        let lost = self.misplaced.lost;
        if lost > self.received() { lost } else { 0 }
    }

    /// Senders' own copies that were never seen, where none was; else 0.
    pub fn has_no_echo(&self) -> u64 {
        let OwnCopies { expected, lost } = self.own_copies;
        if lost == expected { lost } else { 0 }
    }

    /// How many were misdelivered, for any reason.
    pub fn misdelivered_count(&self) -> u64 {
        self.misdelivered.values().sum()
    }

    /// How many were seen, in time or not.
    pub fn received(&self) -> u64 {
        self.delivered + self.late
    }

    /// Quantile `q` of the latency. The deliveries of one message are not independent, nor are messages that follow each
    /// other: the interval is as wide as the blocks show.
    pub fn latency_at(&self, q: f64) -> Estimate {
        estimate_in_blocks(&self.latency, 0, &self.blocks, q)
    }

    /// Adds what another worker measured.
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
