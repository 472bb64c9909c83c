//! Gives each delivery to a passive audience its fate, once the level has ended.
//!
//! Deliveries that arrived were counted when they arrived. Only here it is known which messages were sent, so only here
//! the expected deliveries and the lost ones are counted.

use std::collections::BTreeMap;

use model::{GroupId, LossReason, Nanos};
use serde::{Deserialize, Serialize};

use crate::broadcast::{BroadcastLog, Progress, SenderStream, SentMessage};
use crate::departures::{CutOff, Leaving};
use crate::listeners::{Listeners, ReceivedMessage};
use crate::tally::Tally;

/// Everything that the workers know about the messages of a level to passive audiences.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Broadcasts {
    sent: BTreeMap<u32, BroadcastLog>,
    /// For each audience, its members on each worker, and the time at which they were closed.
    audiences: Vec<Vec<(Listeners, Nanos)>>,
}

/// The parts of the messages of one stream that the workers know.
struct Stream<'a> {
    group: GroupId,
    id: SenderStream,
    shards: &'a [(Listeners, Nanos)],
    settle: Nanos,
}

impl Broadcasts {
    /// Adds the messages that a group has sent.
    pub fn add_sent(&mut self, log: BroadcastLog) {
        if !log.streams.is_empty() {
            self.sent.insert(log.group.0, log);
        }
    }

    /// Adds the members of an audience on one worker. Their connections were closed at `closed`.
    pub fn add_listeners(&mut self, audience: usize, listeners: Listeners, closed: Nanos) {
        if self.audiences.len() <= audience {
            self.audiences.resize_with(audience + 1, Vec::new);
        }
        self.audiences[audience].push((listeners, closed));
    }

    /// Adds what another worker knows.
    pub fn merge(&mut self, other: Self) {
        self.sent.extend(other.sent);
        for (audience, shards) in other.audiences.into_iter().enumerate() {
            for (listeners, closed) in shards {
                self.add_listeners(audience, listeners, closed);
            }
        }
    }

    /// Counts the expected, lost and cut-off deliveries of the measured messages, and the latencies to the first and the
    /// last member. The tallies are keyed by the number of the channel; all other counts in them are zero.
    /// `audience_of` has the audience of each channel. A delivery that takes longer than `settle` is lost.
    pub fn fates(&self, audience_of: &[usize], settle: Nanos) -> BTreeMap<u16, Tally> {
        let mut tallies = BTreeMap::new();
        for log in self.sent.values() {
            for (&id, stream) in &log.streams {
                let stream_of_all = Stream {
                    group: log.group,
                    id,
                    shards: self.shards_of(audience_of, id.number),
                    settle,
                };
                let tally: &mut Tally = tallies.entry(id.number).or_default();
                for (sequence, message) in stream.messages.iter().enumerate() {
                    if message.measured {
                        stream_of_all.count(sequence, *message, tally);
                    }
                }
            }
        }
        self.count_without_sender(&mut tallies);
        tallies
    }

    fn shards_of(&self, audience_of: &[usize], number: u16) -> &[(Listeners, Nanos)] {
        let audience = audience_of.get(usize::from(number));
        let shards = audience.and_then(|&audience| self.audiences.get(audience));
        shards.map_or(&[], Vec::as_slice)
    }

    /// Messages of a worker that did not finish are known only from their receivers. Who did not receive them is
    /// unknown.
    fn count_without_sender(&self, tallies: &mut BTreeMap<u16, Tally>) {
        for (listeners, _) in self.audiences.iter().flatten() {
            for (&(group, id), stream) in listeners.streams() {
                let sent = self.sent.get(&group.0).and_then(|log| log.streams.get(&id));
                let known = sent.map_or(0, |sent| sent.messages.len());
                let unknown = stream.messages.iter().skip(known);
                let received = unknown.filter(|message| message.measured);
                let count = received
                    .map(|message| u64::from(message.count))
                    .sum::<u64>();
                if count > 0 {
                    tallies.entry(id.number).or_default().expected += count;
                }
            }
        }
    }
}

impl Stream<'_> {
    /// Counts one message of the stream.
    fn count(&self, sequence: usize, message: SentMessage, tally: &mut Tally) {
        let (mut received, mut missed) = (0, 0);
        let (mut first, mut last) = (Nanos::MAX, Nanos::ZERO);
        for (shard, closed) in self.shards {
            let stream = shard.stream(self.group, self.id);
            let row = stream.and_then(|stream| stream.messages.get(sequence));
            if let Some(row) = row.filter(|row| row.count > 0) {
                received += u64::from(row.count);
                first = first.min(row.first);
                last = last.max(row.last);
            }
            if message.progress == Progress::Stamped {
                continue;
            }
            for member in shard.missing(stream, sequence) {
                let left = shard.departure(member);
                if left.is_some_and(|(at, _)| at <= message.at) {
                    continue;
                }
                missed += 1;
                self.count_missing((row, member), message, (left, *closed), tally);
            }
        }
        tally.expected += received + missed;
        if received > 0 {
            tally.first.record(first);
        }
        if received > 0 && missed == 0 {
            tally.last.record(last);
        }
    }

    /// Counts a delivery that did not happen.
    fn count_missing(
        &self,
        (row, member): (Option<&ReceivedMessage>, u32),
        message: SentMessage,
        (left, closed): (Option<(Nanos, Leaving)>, Nanos),
        tally: &mut Tally,
    ) {
        let settled = message.at + self.settle;
        let left = left.filter(|(at, _)| *at < settled).map(|(_, how)| how);
        let reason = if message.progress == Progress::Refused {
            LossReason::SendFailed
        } else if row.is_some_and(|row| row.was_misplaced_at(member)) {
            LossReason::Misplaced
        } else {
            match left {
                Some(Leaving::Left) => LossReason::ReceiverLeft,
                Some(Leaving::Disconnected) => LossReason::ReceiverDisconnected,
                Some(Leaving::CutOff(why)) => {
                    *tally.cut_off.entry(why).or_default() += 1;
                    return;
                }
                None if closed < settled => {
                    *tally.cut_off.entry(CutOff::LevelEnded).or_default() += 1;
                    return;
                }
                None => LossReason::NeverSeen,
            }
        };
        *tally.lost.entry(reason).or_default() += 1;
    }
}

#[cfg(test)]
#[path = "broadcast_fates_tests.rs"]
mod tests;
