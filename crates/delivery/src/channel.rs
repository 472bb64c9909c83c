use std::collections::VecDeque;

use model::Nanos;

use crate::bits::Bits;
use crate::message::Message;

/// Who must get the messages of a channel, among those who listen at the moment of sending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Audience {
    /// All but the sender.
    Others,
    /// All.
    Everyone,
    /// These members.
    Members(Vec<u32>),
}

impl Audience {
    /// Whether the member may see what `sender` says, listening or not.
    pub(crate) fn admits(&self, member: u32, sender: u32) -> bool {
        match self {
            Self::Everyone => true,
            Self::Others => member != sender,
            Self::Members(members) => members.contains(&member),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Channel {
    pub(crate) tally: usize,
    pub(crate) audience: Audience,
    pub(crate) deadline: Nanos,
    pub(crate) listening: Bits,
    pub(crate) senders: Vec<Sender>,
}

#[derive(Debug, Default)]
pub(crate) struct Sender {
    pub(crate) messages: VecDeque<Message>,
    /// Sequence of `messages[0]`.
    pub(crate) base: u32,
    /// By receiver: the highest sequence seen.
    highest: Vec<u32>,
}

impl Sender {
    pub(crate) fn get(&mut self, sequence: u32) -> Option<&mut Message> {
        self.messages
            .get_mut(sequence.checked_sub(self.base)? as usize)
    }

    /// Notes the first receipt of a message; whether a later message had come before it.
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

/// Who must get a message that is sent now.
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
