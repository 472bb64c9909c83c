use delivery::{ChannelIndex, Leaving, Pointer};
use model::Fault;
use script::host::{ChannelId, SocketId, StampPlace};
use wire::socketio::Event;

use crate::filter::{Filter, pointer};
use crate::world::World;

/// A channel whose stamps are looked for in what a socket receives.
#[derive(Debug)]
pub(crate) struct Receiving {
    number: u32,
    pub(crate) channel: ChannelIndex,
    pub(crate) tally: usize,
    pub(crate) at: Option<Pointer>,
    only: Filter,
    /// On Socket.IO: the event that carries them.
    event: Option<String>,
    /// The last value at the place, where it is kept.
    pub(crate) last: Option<Vec<u8>>,
}

impl Receiving {
    /// Where a stamp of this channel would stand: in a message, or in the arguments of an event.
    pub(crate) fn place<'a>(&self, bytes: &'a [u8], event: Option<&Event<'_>>) -> Option<&'a [u8]> {
        let its = match (&self.event, event) {
            (Some(name), Some(event)) => event.is(name),
            (None, _) => true,
            (Some(_), None) => false,
        };
        if !its {
            return None;
        }
        let place = match &self.at {
            Some(at) => at.find(bytes)?,
            None => bytes,
        };
        self.only.fits(bytes).then_some(place)
    }
}

impl World {
    pub(crate) fn start_receiving(
        &mut self,
        id: SocketId,
        channel: ChannelIndex,
        place: StampPlace,
    ) -> Result<u32, Fault> {
        let at = place.at.as_deref().map(pointer).transpose()?;
        let only = Filter::new(place.only)?;
        let (user, _) = self.socket(id)?;
        let Some((group, member, _)) = self.group_of(user) else {
            return Ok(0);
        };
        group.ledger.join(channel, member);
        let tally = group.ledger.tally_of(channel);
        let state = &mut self.socket(id)?.1.state;
        let number = state.next_receiving;
        state.next_receiving += 1;
        state.keeps |= place.keep;
        state.receives.push(Receiving {
            number,
            channel,
            tally,
            at,
            only,
            event: place.event,
            last: place.keep.then(Vec::new),
        });
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
        let last = its.filter_map(|one| one.last.as_ref()).next_back()?;
        let text = str::from_utf8(last).ok()?;
        (!text.is_empty()).then(|| text.to_owned())
    }
}
