use std::rc::Rc;

use delivery::{ChannelIndex, Garbled, Stamp, find_stamp};
use model::Nanos;

use super::sight::{Came, Sight};

/// A channel that looks for its stamps in all data that a socket receives.
#[derive(Debug)]
pub(crate) struct Receiving {
    pub(super) number: u32,
    pub(crate) channel: ChannelIndex,
    pub(crate) tally: usize,
    pub(crate) sight: Rc<Sight>,
    /// The last value at the channel's place, if values are stored.
    last: Option<Vec<u8>>,
    /// When the user stopped listening. Data that the kernel had received by then still counts.
    pub(super) ended: Option<Nanos>,
}

impl Receiving {
    pub(crate) fn new(channel: ChannelIndex, tally: usize, sight: Rc<Sight>, keeps: bool) -> Self {
        Self {
            number: 0,
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

    /// The last value at the channel's place, if values are stored and one has arrived.
    pub(crate) fn last(&self) -> Option<&str> {
        let text = str::from_utf8(self.last.as_deref()?).ok()?;
        (!text.is_empty()).then_some(text)
    }

    /// Whether this stamp is at the channel's place, in a message that passes its filters.
    pub(crate) fn reads(&self, came: Came<'_>, stamp: &Result<Stamp, Garbled>) -> bool {
        let mut reads = false;
        let first = || find_stamp(came.bytes);
        if self.sight.hears(came) {
            self.sight
                .at
                .each_stamp(came.bytes, first, |found| reads |= found == *stamp);
        }
        reads && self.sight.fits(came)
    }
}
