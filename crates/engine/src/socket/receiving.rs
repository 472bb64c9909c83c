use std::rc::Rc;

use delivery::ChannelIndex;
use model::Nanos;

use super::sight::{Came, Sight};

/// A channel that looks for its stamps in all data that a socket receives.
#[derive(Debug)]
pub(crate) struct Receiving {
    number: u32,
    pub(crate) channel: ChannelIndex,
    pub(crate) tally: usize,
    pub(crate) sight: Rc<Sight>,
    /// Whether messages repeat earlier ones, so that a stamp that was received before is no duplicate.
    pub(crate) repeats: bool,
    /// The last value at the channel's place, if values are stored.
    last: Option<Vec<u8>>,
    /// When the user stopped listening. Data that the kernel had received by then still counts.
    ended: Option<Nanos>,
}

/// The channels that look for their stamps on a socket, or in the responses to a user's requests of one name.
#[derive(Debug, Default)]
pub(crate) struct Followed {
    pub(crate) receives: Vec<Receiving>,
    /// Number of messages that were searched for misplaced stamps, and contained no stamp.
    pub(crate) searched: u16,
}

impl Followed {
    /// Ends the entry with this number. Returns its channel.
    pub(crate) fn end(&mut self, number: u32, now: Nanos) -> Option<ChannelIndex> {
        let mut receives = self.receives.iter_mut();
        let over = receives.find(|one| one.number == number && one.ended.is_none())?;
        over.ended = Some(now);
        Some(over.channel)
    }

    /// Ends all entries. Returns their channels.
    pub(crate) fn end_all(&mut self, now: Nanos) -> Vec<ChannelIndex> {
        let running = self.receives.iter_mut().filter(|one| one.ended.is_none());
        running
            .map(|over| {
                over.ended = Some(now);
                over.channel
            })
            .collect()
    }

    /// The channels that are followed now.
    pub(crate) fn channels(&self) -> impl Iterator<Item = ChannelIndex> {
        let running = self.receives.iter().filter(|one| one.ended.is_none());
        running.map(|one| one.channel)
    }
}

impl Receiving {
    pub(crate) fn new(
        (number, channel, tally): (u32, ChannelIndex, usize),
        sight: Rc<Sight>,
        (keeps, repeats): (bool, bool),
    ) -> Self {
        Self {
            number,
            repeats,
            channel,
            tally,
            sight,
            last: keeps.then(Vec::new),
            ended: None,
        }
    }

    /// Whether the user listened when this data was received.
    pub(crate) fn listened(&self, received: Nanos) -> bool {
        self.ended.is_none_or(|ended| received <= ended)
    }

    /// Stores the value at the channel's place, if values are stored, and returns it. Snapshots are stored too.
    pub(crate) fn keep<'a>(&mut self, came: Came<'a>) -> Option<&'a [u8]> {
        let last = self.last.as_mut()?;
        if !self.sight.only.fits(came.bytes) {
            return None;
        }
        let value = self.sight.at.of(came.bytes)?;
        last.clear();
        last.extend_from_slice(value);
        Some(value)
    }

    /// Whether the user still listens.
    pub(crate) fn is_active(&self) -> bool {
        self.ended.is_none()
    }

    /// The last value at the channel's place, if values are stored and one has arrived.
    pub(crate) fn last(&self) -> Option<&str> {
        let text = str::from_utf8(self.last.as_deref()?).ok()?;
        (!text.is_empty()).then_some(text)
    }
}
