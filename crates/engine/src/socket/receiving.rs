use delivery::{ChannelIndex, Garbled, Leaving, Stamp, find_stamp};
use model::Fault;
use script::host::{ChannelId, SocketId, StampPlace};
use wire::socketio::Event;

use crate::filter::Filter;
use crate::place::Place;
use crate::world::World;

/// What came, as channels look at it: a message, or the arguments of an event of Socket.IO.
#[derive(Clone, Copy)]
pub(crate) struct Came<'a> {
    pub(crate) bytes: &'a [u8],
    event: Option<&'a Event<'a>>,
}

impl<'a> Came<'a> {
    pub(crate) fn message(bytes: &'a [u8]) -> Self {
        Self { bytes, event: None }
    }

    pub(crate) fn event(event: &'a Event<'a>) -> Self {
        let bytes = event.arguments.as_bytes();
        let event = Some(event);
        Self { bytes, event }
    }
}

/// A channel whose stamps are looked for in what a socket receives.
#[derive(Debug)]
pub(crate) struct Receiving {
    number: u32,
    pub(crate) channel: ChannelIndex,
    pub(crate) tally: usize,
    pub(crate) at: Place,
    pub(crate) only: Filter,
    /// On Socket.IO: the event that carries them.
    event: Option<String>,
    /// What stood last at the place, where it is kept.
    last: Option<Vec<u8>>,
}

impl Receiving {
    pub(crate) fn new(
        channel: ChannelIndex,
        tally: usize,
        place: StampPlace,
    ) -> Result<Self, Fault> {
        Ok(Self {
            number: 0,
            channel,
            tally,
            at: Place::new(place.at)?,
            only: Filter::new(place.only)?,
            event: place.event,
            last: place.keep.then(Vec::new),
        })
    }

    /// Whether the channel is about this at all: on Socket.IO, about the event.
    pub(crate) fn hears(&self, came: Came<'_>) -> bool {
        match (&self.event, came.event) {
            (Some(name), Some(event)) => event.is(name),
            (None, _) => true,
            (Some(_), None) => false,
        }
    }

    /// Keeps what stands at the place, where that is wanted, and gives it.
    pub(crate) fn keep<'a>(&mut self, came: Came<'a>) -> Option<&'a [u8]> {
        if self.last.is_none() || !self.hears(came) || !self.only.fits(came.bytes) {
            return None;
        }
        let value = self.at.of(came.bytes)?;
        let last = self.last.as_mut()?;
        last.clear();
        last.extend_from_slice(value);
        Some(value)
    }

    /// What stood last at the place, where it is kept and where something came.
    pub(crate) fn last(&self) -> Option<&str> {
        let text = str::from_utf8(self.last.as_deref()?).ok()?;
        (!text.is_empty()).then_some(text)
    }

    /// Whether this stamp, in what fits, is among those that stand where the channel looks.
    pub(crate) fn reads(&self, came: Came<'_>, stamp: &Result<Stamp, Garbled>) -> bool {
        let mut reads = false;
        let first = || find_stamp(came.bytes);
        if self.hears(came) {
            self.at
                .each_stamp(came.bytes, first, |found| reads |= found == *stamp);
        }
        reads && self.only.fits(came.bytes)
    }
}

impl World {
    pub(crate) fn start_receiving(
        &mut self,
        id: SocketId,
        channel: ChannelIndex,
        place: StampPlace,
    ) -> Result<u32, Fault> {
        let (user, _) = self.socket(id)?;
        let Some((group, member, _)) = self.group_of(user) else {
            return Ok(0);
        };
        let mut receiving = Receiving::new(channel, group.ledger.tally_of(channel), place)?;
        group.ledger.join(channel, member);
        let state = &mut self.socket(id)?.1.state;
        let number = state.next_receiving;
        state.next_receiving += 1;
        receiving.number = number;
        state.receives.push(receiving);
        Ok(number)
    }

    /// The script wants it no longer; the user is in the channel's audience as long as another looks for it.
    pub(crate) fn end_receiving(&mut self, id: SocketId, number: u32) {
        let now = self.clock.now();
        let Ok((user, socket)) = self.socket(id) else {
            return;
        };
        let receives = &mut socket.state.receives;
        let Some(at) = receives.iter().position(|one| one.number == number) else {
            return;
        };
        let gone = receives.remove(at).channel;
        let goes_on = receives.iter().any(|one| one.channel == gone);
        if let Some((group, member, _)) = self.group_of(user).filter(|_| !goes_on) {
            group.ledger.leave(gone, member, now, Leaving::Left);
        }
    }

    /// The last value that came for a channel, as JSON text, where it is kept and where one came.
    pub(crate) fn last_received(&mut self, id: SocketId, channel: ChannelId) -> Option<String> {
        let (_, socket) = self.socket(id).ok()?;
        let receives = &socket.state.receives;
        let its = receives
            .iter()
            .filter(|one| u32::from(one.channel.0) == channel.0);
        its.filter_map(Receiving::last)
            .next_back()
            .map(str::to_owned)
    }
}
