//! The fates of deliveries, and the times of the first, the median and the last receiver of each message.

use format::percent;
use record::{Deliveries, Level};
use serde::Serialize;
use stats::{Histogram, estimate, zero_failures_bound};

use super::times::Figure;
use crate::section::deliveries::reasons_of_channel;

/// One channel in one level.
#[derive(Serialize)]
pub(super) struct Channel {
    name: String,
    messages: u64,
    expected: u64,
    delivered: u64,
    late: u64,
    lost: u64,
    cut_off: u64,
    duplicated: u64,
    reordered: u64,
    misdelivered: u64,
    /// Why deliveries were lost, cut off or misdelivered, for readers.
    reasons: Vec<String>,
    /// Upper bound of a share of which none was seen, for readers: `0.0015 %`.
    bound: Option<String>,
    /// Whether messages have several receivers. Otherwise first, median and last are the same.
    several: bool,
    /// p95 over messages: the time until the first, the median and the last receiver had the message.
    first: Figure,
    median: Figure,
    last: Figure,
}

impl Channel {
    /// Returns the channels of a level.
    pub(super) fn all(level: &Level) -> Vec<Self> {
        let channels = level.measured.deliveries.iter();
        channels.map(|(name, one)| Self::of(name, one)).collect()
    }

    fn of(name: &str, one: &Deliveries) -> Self {
        let p95 = |times: &Histogram| Figure::of(estimate(times, 0, 0.95), None);
        // Deliveries of the same message are not independent, so the bound counts messages.
        let bound = zero_failures_bound(one.messages).filter(|_| one.messages > 0);
        Self {
            name: name.to_owned(),
            messages: one.messages,
            expected: one.expected,
            delivered: one.delivered,
            late: one.late,
            lost: one.lost_count(),
            cut_off: one.cut_off.count(),
            duplicated: one.duplicated,
            reordered: one.reordered,
            misdelivered: one.misdelivered_count(),
            reasons: reasons_of_channel(one),
            bound: bound.map(|share| percent(share * 100.0)),
            several: one.expected > one.messages,
            first: p95(&one.first),
            median: p95(&one.median),
            last: p95(&one.last),
        }
    }
}
