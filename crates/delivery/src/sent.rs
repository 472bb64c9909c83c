use crate::stamp::Stamp;
use serde::{Deserialize, Serialize};

/// The index of a channel in a ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ChannelIndex(pub u16);

/// Identifies a sent message, for [`crate::Ledger::refuse`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    pub(crate) channel: ChannelIndex,
    pub(crate) sender: u32,
    pub(crate) sequence: u32,
}

impl Sent {
    pub(crate) fn of(stamp: &Stamp) -> Self {
        Self {
            channel: ChannelIndex(stamp.channel),
            sender: stamp.sender,
            sequence: stamp.sequence,
        }
    }

    /// Whether the stamp belongs to this message.
    pub fn is_of(&self, stamp: &Stamp) -> bool {
        let Self {
            channel,
            sender,
            sequence,
        } = *self;
        (channel.0, sender, sequence) == (stamp.channel, stamp.sender, stamp.sequence)
    }
}
