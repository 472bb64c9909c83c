use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use stats::{Estimate, Histogram, estimate_clustered};

/// What became of the messages of one channel. Every message × every member of its audience has exactly one fate:
/// delivered, late or lost. Duplicated, reordered and strayed are extras.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Deliveries {
    /// Messages that were stamped and sent; a send that failed counts too, its deliveries are lost with that reason.
    pub messages: u64,
    /// Messages that were stamped and never sent; nobody expects them.
    pub unsent: u64,
    /// Messages × the members of their audiences.
    pub expected: u64,
    /// Seen within the deadline.
    pub delivered: u64,
    /// Seen after the deadline.
    pub late: u64,
    /// Never seen by the end of the settling time, by reason.
    pub lost: BTreeMap<String, u64>,
    /// Seen again by the same receiver.
    pub duplicated: u64,
    /// Seen after a later message of the same sender.
    pub reordered: u64,
    /// Seen by somebody outside of the audience, by reason.
    pub strayed: BTreeMap<String, u64>,
    /// From the sending to each receipt, of what was delivered or late.
    pub latency: Histogram,
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

    /// How many strayed, whatever the reason.
    pub fn strayed_count(&self) -> u64 {
        self.strayed.values().sum()
    }

    /// How many were seen, in time or not.
    pub fn received(&self) -> u64 {
        self.delivered + self.late
    }

    /// Quantile `q` of the latency. The deliveries of one message are not independent, so the interval counts
    /// messages.
    pub fn latency_at(&self, q: f64) -> Estimate {
        estimate_clustered(&self.latency, 0, self.messages, q)
    }

    /// Adds what another worker measured.
    pub fn merge(&mut self, other: &Self) {
        self.messages += other.messages;
        self.unsent += other.unsent;
        self.expected += other.expected;
        self.delivered += other.delivered;
        self.late += other.late;
        add_counts(&mut self.lost, &other.lost);
        self.duplicated += other.duplicated;
        self.reordered += other.reordered;
        add_counts(&mut self.strayed, &other.strayed);
        self.latency.merge(&other.latency);
        self.first.merge(&other.first);
        self.median.merge(&other.median);
        self.last.merge(&other.last);
        self.whole_audience += other.whole_audience;
    }
}

fn add_counts(ours: &mut BTreeMap<String, u64>, theirs: &BTreeMap<String, u64>) {
    for (reason, count) in theirs {
        *ours.entry(reason.clone()).or_default() += count;
    }
}
