//! The receivers of a passive audience on one worker, and which messages each of them has received.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use model::{GroupId, MisdeliveryReason, Nanos};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::bits::{Bits, members_in};
use crate::broadcast::{BroadcastChannel, SenderStream};
use crate::departures::Leaving;
use crate::ledger::Receipt;
use crate::pairs;
use crate::stamp::Stamp;
use crate::tally::{Fate, Tally};

/// A stamp whose sequence number is further ahead of all others than this is not one of ours. It would need memory for
/// all messages in between.
const MAX_GAP: usize = 1 << 16;
/// Maximum memory for the messages of an audience on a worker, in bytes. A hostile server can forge stamps of any sender
/// and sequence number, because it has seen real ones.
const MEMORY: usize = if cfg!(test) { 16 << 20 } else { 1 << 30 };

/// The members of an audience on one worker.
///
/// Takes one bit for each message and member, 4 bytes for each sender and member, and 32 bytes for each message.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Listeners {
    /// The numbers of the groups that can send to the audience.
    groups: Range<u32>,
    joined: Bits,
    /// When and how members stopped listening.
    departed: BTreeMap<u32, (Nanos, Leaving)>,
    /// Number of measured messages that each member has received.
    received: Vec<u64>,
    #[serde(with = "pairs")]
    streams: FxHashMap<(GroupId, SenderStream), ReceivedMessages>,
    /// Memory of the streams, in bytes.
    memory: usize,
    /// Whether a message had no room.
    is_full: bool,
}

/// What the members have received of one sender on one channel.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct ReceivedMessages {
    /// Words per message in `seen`.
    width: usize,
    /// One bit for each message and member: whether the member has received the message.
    seen: Vec<u64>,
    pub(crate) messages: Vec<ReceivedMessage>,
    /// For each member, the highest sequence number that it has received. 0 before the first.
    highest: Vec<u32>,
}

/// What all members together have received of one message.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ReceivedMessage {
    /// Latency to the first member.
    pub(crate) first: Nanos,
    /// Latency to the last member so far.
    pub(crate) last: Nanos,
    /// Members who received the stamp at a place where the channel does not look. Usually `None`.
    misplaced: Option<Box<Bits>>,
    /// Number of members who have received the message.
    pub(crate) count: u32,
    pub(crate) measured: bool,
}

impl Listeners {
    /// Sets the groups whose messages the members can receive.
    pub fn expect_groups(&mut self, groups: Range<u32>) {
        self.groups = groups;
    }

    /// Records that the member listens from now on.
    pub fn join(&mut self, member: u32) {
        self.joined.insert(member);
        let needed = member as usize + 1;
        self.received.resize(self.received.len().max(needed), 0);
    }

    /// Records that the member stops listening for good.
    pub fn leave(&mut self, member: u32, now: Nanos, how: Leaving) {
        if self.joined.contains(member) {
            self.departed.entry(member).or_insert((now, how));
        }
    }

    /// The number of members who listened at any time.
    pub fn count(&self) -> u32 {
        self.joined.count()
    }

    /// Whether each member who still listens has received this number of measured messages.
    pub fn have_all(&self, messages: u64) -> bool {
        let mut members = self.joined.iter();
        members.all(|member| {
            self.received[member as usize] >= messages || self.departed.contains_key(&member)
        })
    }

    /// Whether messages were not counted, because their number needs more memory than an audience may take.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Records that a member received a stamp of this run. `channel` is the stamp's channel, `now` the receive time.
    /// Latencies count from the time in the stamp.
    pub fn receive(
        &mut self,
        (stamp, channel): (&Stamp, BroadcastChannel),
        member: u32,
        now: Nanos,
        deadline: Nanos,
        tally: &mut Tally,
    ) -> Receipt {
        let Some((stream, sequence)) = self.stream_of(stamp, channel) else {
            let reason = self.unknown(stamp);
            tally.stray(reason);
            return Receipt::uncounted(Fate::Misdelivered(reason));
        };
        let latency = now - stamp.made;
        if !stream.see(sequence, member) {
            tally.duplicated += u64::from(channel.measured);
            return Receipt::uncounted(Fate::Duplicated);
        }
        let is_overtaken = stream.is_overtaken(stamp.sequence, member);
        stream.messages[sequence].arrived(channel.measured, latency);
        let fate = if latency > deadline {
            Fate::Late
        } else {
            Fate::Delivered
        };
        if channel.measured {
            self.received[member as usize] += 1;
            match fate {
                Fate::Late => tally.late += 1,
                _ => tally.delivered += 1,
            }
            tally.reordered += u64::from(is_overtaken);
            tally.latency.record(latency);
        }
        Receipt {
            fate,
            latency: channel.measured.then_some(latency),
        }
    }

    /// Whether the member has received this stamp of the run before, at the place where the channel looks.
    pub fn has_received(&self, (stamp, channel): (&Stamp, BroadcastChannel), member: u32) -> bool {
        let id = SenderStream {
            number: channel.number,
            sender: stamp.sender,
        };
        let stream = self.streams.get(&(stamp.group, id));
        stream.is_some_and(|stream| stream.has_seen(stamp.sequence as usize, member))
    }

    /// Records that a member received a stamp of this run at the wrong place in a message. The stamp is not a delivery.
    /// Returns whether the tally counts it.
    pub fn misplaced(
        &mut self,
        (stamp, channel): (&Stamp, BroadcastChannel),
        member: u32,
        tally: &mut Tally,
    ) -> bool {
        let Some((stream, sequence)) = self.stream_of(stamp, channel) else {
            return false;
        };
        let message = &mut stream.messages[sequence];
        message.misplaced.get_or_insert_default().insert(member);
        tally.misplaced += u64::from(channel.measured);
        channel.measured
    }

    /// The stream of a stamp, with room for the message. `None` if the stamp cannot be one of this level.
    fn stream_of(
        &mut self,
        stamp: &Stamp,
        channel: BroadcastChannel,
    ) -> Option<(&mut ReceivedMessages, usize)> {
        if !self.groups.contains(&stamp.group.0) {
            return None;
        }
        let id = SenderStream {
            number: channel.number,
            sender: stamp.sender,
        };
        let members = self.received.len();
        let sequence = stamp.sequence as usize;
        let stream = self.streams.entry((stamp.group, id));
        let stream = match stream {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(_) if self.memory >= MEMORY => {
                self.is_full = true;
                return None;
            }
            Entry::Vacant(new) => {
                let stream = ReceivedMessages::of(members);
                self.memory += stream.memory();
                new.insert(stream)
            }
        };
        if sequence > stream.messages.len() + MAX_GAP {
            return None;
        }
        let missing = (sequence + 1).saturating_sub(stream.messages.len());
        let more = missing * stream.memory_of_message();
        if more > MEMORY.saturating_sub(self.memory) {
            self.is_full = true;
            return None;
        }
        self.memory += more;
        stream.make_room(sequence);
        Some((stream, sequence))
    }

    fn unknown(&self, stamp: &Stamp) -> MisdeliveryReason {
        if stamp.group.0 < self.groups.start {
            MisdeliveryReason::Forgotten
        } else {
            MisdeliveryReason::Garbled
        }
    }

    pub(crate) fn streams(
        &self,
    ) -> impl Iterator<Item = (&(GroupId, SenderStream), &ReceivedMessages)> {
        self.streams.iter()
    }

    /// What the members have received of a stream.
    pub(crate) fn stream(&self, group: GroupId, id: SenderStream) -> Option<&ReceivedMessages> {
        self.streams.get(&(group, id))
    }

    /// The members who listened at some time, and have not received the message.
    pub(crate) fn missing(
        &self,
        stream: Option<&ReceivedMessages>,
        sequence: usize,
    ) -> impl Iterator<Item = u32> {
        let seen = stream.map_or(&[][..], |stream| stream.seen_of(sequence));
        let joined = self.joined.words().enumerate();
        members_in(joined.map(move |(at, joined)| joined & !seen.get(at).copied().unwrap_or(0)))
    }

    /// When and how the member stopped listening.
    pub(crate) fn departure(&self, member: u32) -> Option<(Nanos, Leaving)> {
        self.departed.get(&member).copied()
    }
}

impl ReceivedMessages {
    fn of(members: usize) -> Self {
        Self {
            width: members.div_ceil(64).max(1),
            highest: vec![0; members],
            ..Self::default()
        }
    }

    /// Memory without messages, in bytes.
    fn memory(&self) -> usize {
        size_of::<(GroupId, SenderStream, Self)>() + size_of_val(&*self.highest)
    }

    /// Memory of each message, in bytes.
    fn memory_of_message(&self) -> usize {
        size_of::<ReceivedMessage>() + self.width * size_of::<u64>()
    }

    fn make_room(&mut self, sequence: usize) {
        if self.messages.len() <= sequence {
            let count = sequence + 1;
            self.messages.resize_with(count, ReceivedMessage::default);
            self.seen.resize(count * self.width, 0);
        }
    }

    /// Notes that the member has received the message. Returns whether it is the first copy.
    fn see(&mut self, sequence: usize, member: u32) -> bool {
        let word = &mut self.seen[sequence * self.width + (member / 64) as usize];
        let bit = 1 << (member % 64);
        let is_first = *word & bit == 0;
        *word |= bit;
        is_first
    }

    /// Notes the order of a first copy. Returns whether the member had received a later message of the sender before.
    fn is_overtaken(&mut self, sequence: u32, member: u32) -> bool {
        let highest = &mut self.highest[member as usize];
        let overtaken = sequence < *highest;
        *highest = (*highest).max(sequence);
        overtaken
    }

    fn has_seen(&self, sequence: usize, member: u32) -> bool {
        let word = self.seen_of(sequence).get((member / 64) as usize);
        word.is_some_and(|word| word & (1 << (member % 64)) != 0)
    }

    fn seen_of(&self, sequence: usize) -> &[u64] {
        let start = sequence * self.width;
        self.seen.get(start..start + self.width).unwrap_or(&[])
    }
}

impl ReceivedMessage {
    fn arrived(&mut self, measured: bool, latency: Nanos) {
        let is_first = self.count == 0;
        self.first = if is_first {
            latency
        } else {
            self.first.min(latency)
        };
        self.last = self.last.max(latency);
        self.measured = measured;
        self.count += 1;
    }

    pub(crate) fn was_misplaced_at(&self, member: u32) -> bool {
        let misplaced = self.misplaced.as_ref();
        misplaced.is_some_and(|misplaced| misplaced.contains(member))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_takes_32_bytes_on_each_worker() {
        assert_eq!(size_of::<ReceivedMessage>(), 32);
    }

    /// A server can send stamps with the largest gap again and again.
    #[test]
    fn forged_stamps_do_not_take_memory_without_end() {
        let mut listeners = Listeners::default();
        listeners.expect_groups(0..4);
        let members = 1000;
        (0..members).for_each(|member| listeners.join(member));
        let channel = BroadcastChannel {
            number: 0,
            measured: true,
        };
        let mut tally = Tally::default();
        let mut forged = |sender, sequence| {
            let stamp = Stamp {
                run: 1,
                group: GroupId(3),
                channel: 0,
                sender,
                sequence,
                made: Nanos::ZERO,
            };
            let deadline = Nanos::from_secs(1);
            let receipt =
                listeners.receive((&stamp, channel), 7, Nanos::ZERO, deadline, &mut tally);
            (receipt.fate, listeners.memory, listeners.is_full())
        };
        let garbled = Fate::Misdelivered(MisdeliveryReason::Garbled);
        // 65,537 messages to 1,000 members take 10 MiB.
        let (fate, memory, is_full) = forged(0, 1 << 16);
        assert_eq!((fate, is_full), (Fate::Delivered, false));
        assert!((10 << 20..MEMORY).contains(&memory));
        assert_eq!(forged(0, 1 << 17), (garbled, memory, true));
        for sender in 1..10_000 {
            let (_, memory, _) = forged(sender, 0);
            assert!(memory < MEMORY + (1 << 16), "{memory}");
        }
        assert_eq!(forged(10_000, 0).0, garbled);
        assert_eq!(forged(0, 5).0, Fate::Delivered);
    }

    #[test]
    fn each_member_who_ever_listened_counts_once() {
        let mut listeners = Listeners::default();
        assert_eq!(listeners.count(), 0);
        for member in [3, 70, 3, 64] {
            listeners.join(member);
        }
        listeners.leave(70, Nanos::from_secs(1), Leaving::Left);
        assert_eq!(listeners.count(), 3);
    }
}
