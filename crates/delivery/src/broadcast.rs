//! Messages to passive audiences: how their stamps name the channel, and the log of those that a group has sent.
//!
//! The receivers of such a message are on all workers, and none of them is a member of the group. The group's ledger
//! therefore only notes when each message was sent. [`crate::Listeners`] note on each worker who received it, and
//! [`crate::Broadcasts`] compares both when the level has ended.

use model::{GroupId, Nanos};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::pairs;
use crate::sent::{ChannelIndex, Sent};
use crate::stamp::Stamp;
use crate::tally::Tally;

/// Set in the channel of a stamp whose message is for a passive audience.
const BROADCAST: u16 = 1 << 15;
/// Set in addition if the message counts.
const MEASURED: u16 = 1 << 14;

/// A channel to a passive audience. The channels of all audiences are numbered together, alike on every worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BroadcastChannel {
    /// The number of the channel.
    pub number: u16,
    /// Whether the message belongs to the measured time. The stamp says so, so that sender and receivers agree.
    pub measured: bool,
}

impl BroadcastChannel {
    /// Maximum number of channels.
    pub const LIMIT: u16 = MEASURED;

    fn code(self) -> u16 {
        BROADCAST | if self.measured { MEASURED } else { 0 } | (self.number % Self::LIMIT)
    }

    fn of(code: u16) -> Option<Self> {
        (code & BROADCAST != 0).then_some(Self {
            number: code % Self::LIMIT,
            measured: code & MEASURED != 0,
        })
    }
}

impl ChannelIndex {
    pub(crate) fn is_broadcast(self) -> bool {
        self.0 & BROADCAST != 0
    }
}

impl Stamp {
    /// The channel, if the message is for a passive audience.
    pub fn broadcast(&self) -> Option<BroadcastChannel> {
        BroadcastChannel::of(self.channel)
    }
}

/// The messages that one group has sent to passive audiences. Takes 16 bytes for each message.
#[derive(Debug, Serialize, Deserialize)]
pub struct BroadcastLog {
    pub(crate) group: GroupId,
    #[serde(with = "pairs")]
    pub(crate) streams: FxHashMap<SenderStream, SentMessages>,
    /// Messages that are stamped but not sent yet, with their senders.
    unsent: Vec<(SenderStream, Sent)>,
}

/// The messages of one sender on one channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct SenderStream {
    pub(crate) number: u16,
    pub(crate) sender: u32,
}

/// The messages of a stream, in the order of their sequence numbers.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct SentMessages {
    tally: usize,
    pub(crate) messages: Vec<SentMessage>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct SentMessage {
    /// The time at which the message was sent, or was stamped if it was not sent.
    pub(crate) at: Nanos,
    pub(crate) progress: Progress,
    pub(crate) measured: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Progress {
    Stamped,
    Sent,
    /// The send failed, or the target refused the message.
    Refused,
}

impl BroadcastLog {
    pub(crate) fn new(group: GroupId) -> Self {
        Self {
            group,
            streams: FxHashMap::default(),
            unsent: Vec::new(),
        }
    }

    pub(crate) fn stamp(
        &mut self,
        run: u32,
        channel: BroadcastChannel,
        tally: usize,
        (sender, made): (u32, Nanos),
    ) -> Stamp {
        let id = SenderStream {
            number: channel.number,
            sender,
        };
        let stream = self.streams.entry(id).or_default();
        stream.tally = tally;
        let sequence = u32::try_from(stream.messages.len()).unwrap_or(u32::MAX);
        stream.messages.push(SentMessage {
            at: made,
            progress: Progress::Stamped,
            measured: channel.measured,
        });
        let stamp = Stamp {
            run,
            group: self.group,
            channel: channel.code(),
            sender,
            sequence,
            made,
        };
        self.unsent.push((id, Sent::of(&stamp)));
        stamp
    }

    /// Marks the stamped messages of this sender as sent, and returns them.
    pub(crate) fn send(&mut self, sender: u32, now: Nanos, tallies: &mut [Tally]) -> Vec<Sent> {
        let Self {
            streams, unsent, ..
        } = self;
        let carried = unsent.extract_if(.., |(id, _)| id.sender == sender);
        carried
            .map(|(id, sent)| {
                if let Some((tally, message)) = message_of(streams, id, sent.sequence) {
                    message.at = now;
                    message.progress = Progress::Sent;
                    tallies[tally].messages += u64::from(message.measured);
                }
                sent
            })
            .collect()
    }

    /// Records that the send failed or the target refused the message.
    pub(crate) fn refuse(&mut self, sent: Sent) {
        let Some(BroadcastChannel { number, .. }) = BroadcastChannel::of(sent.channel.0) else {
            return;
        };
        let id = SenderStream {
            number,
            sender: sent.sender,
        };
        if let Some((_, message)) = message_of(&mut self.streams, id, sent.sequence) {
            message.progress = Progress::Refused;
        }
    }

    /// Counts the stamps that were never sent.
    pub(crate) fn count_unsent(&mut self, tallies: &mut [Tally]) {
        for (id, _) in self.unsent.drain(..) {
            if let Some(stream) = self.streams.get(&id) {
                tallies[stream.tally].unsent += 1;
            }
        }
    }

    /// Adds the number of measured messages on each channel that left their senders to `counts`.
    pub fn count_sent(&self, counts: &mut [u64]) {
        for (id, stream) in &self.streams {
            let left =
                |message: &&SentMessage| message.measured && message.progress != Progress::Stamped;
            let count = stream.messages.iter().filter(left).count();
            counts[usize::from(id.number)] += count as u64;
        }
    }
}

fn message_of(
    streams: &mut FxHashMap<SenderStream, SentMessages>,
    id: SenderStream,
    sequence: u32,
) -> Option<(usize, &mut SentMessage)> {
    let stream = streams.get_mut(&id)?;
    let message = stream.messages.get_mut(sequence as usize)?;
    Some((stream.tally, message))
}
