use std::collections::VecDeque;

use model::Nanos;

use crate::bits::Bits;
use crate::message::Message;

/// The members who must receive a channel's messages, provided that they listen when a message is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Audience {
    /// All members except the sender.
    Others,
    /// All members, including the sender.
    Everyone,
    /// Only these members.
    Members(Vec<u32>),
}

impl Audience {
    /// Whether the audience allows the member to receive messages of `sender`, listening or not.
    pub(crate) fn admits(&self, member: u32, sender: u32) -> bool {
        match self {
            Self::Everyone => true,
            Self::Others => member != sender,
            Self::Members(members) => members.contains(&member),
        }
    }

    /// Whether `member` received its own message on a channel that addresses only the others.
    pub(crate) fn is_echo(&self, member: u32, sender: u32) -> bool {
        *self == Self::Others && member == sender
    }
}

/// A channel of one group.
#[derive(Debug)]
pub(crate) struct Channel {
    /// Index of the tally that counts the channel's deliveries.
    pub(crate) tally: usize,
    pub(crate) audience: Audience,
    pub(crate) deadline: Nanos,
    pub(crate) listening: Bits,
    pub(crate) senders: Vec<Sender>,
}

/// The messages of one sender on a channel.
#[derive(Debug, Default)]
pub(crate) struct Sender {
    /// The messages that are still remembered, oldest first.
    pub(crate) messages: VecDeque<Message>,
    /// Sequence number of `messages[0]`.
    pub(crate) base: u32,
    /// The highest sequence number that each receiver has received, indexed by receiver.
    highest: Vec<u32>,
}

impl Sender {
    pub(crate) fn get(&mut self, sequence: u32) -> Option<&mut Message> {
        self.messages
            .get_mut(sequence.checked_sub(self.base)? as usize)
    }

    /// Records the first arrival of a message at a receiver. Returns whether a later message of the same sender arrived
    /// earlier.
    pub(crate) fn note_order(&mut self, receiver: u32, sequence: u32) -> bool {
        let index = receiver as usize;
        if self.highest.len() <= index {
            self.highest.resize(index + 1, 0);
        }
        let overtaken = sequence < self.highest[index];
        self.highest[index] = self.highest[index].max(sequence);
        overtaken
    }
}

/// The members who must receive a message that is sent now.
pub(crate) fn audience_of(channel: &Channel, sender: u32) -> Bits {
    let mut audience = channel.listening.clone();
    match &channel.audience {
        Audience::Everyone => {}
        Audience::Others => {
            audience.remove(sender);
        }
        Audience::Members(members) => audience.intersect(&members.iter().copied().collect()),
    }
    audience
}
