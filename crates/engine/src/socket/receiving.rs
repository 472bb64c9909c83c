use std::rc::Rc;

use delivery::{ChannelIndex, Garbled, Leaving, Stamp, find_stamp};
use model::{Fault, Nanos, UserId};
use script::host::{ChannelId, SocketId, StampPlace};
use wire::socketio::Event;

use super::sight::Sight;
use crate::conn::Link;
use crate::world::World;

/// Received data as channels see it: a message, or the arguments of a Socket.IO event.
#[derive(Clone, Copy)]
pub(crate) struct Came<'a> {
    pub(crate) bytes: &'a [u8],
    pub(super) event: Option<&'a Event<'a>>,
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

/// A channel that looks for its stamps in all data that a socket receives.
#[derive(Debug)]
pub(crate) struct Receiving {
    number: u32,
    pub(crate) channel: ChannelIndex,
    pub(crate) tally: usize,
    pub(crate) sight: Rc<Sight>,
    /// The last value at the channel's place, if values are stored.
    last: Option<Vec<u8>>,
    /// When the user stopped listening. Data that the kernel had received by then still counts.
    ended: Option<Nanos>,
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

impl World {
    pub(crate) fn start_receiving(
        &mut self,
        id: SocketId,
        channel: ChannelIndex,
        place: StampPlace,
    ) -> Result<u32, Fault> {
        let (user, _) = self.socket(id)?;
        let keeps = place.keep;
        let sight = self.sights.of(place)?;
        let Some((group, member, _)) = self.group_of(user) else {
            return Ok(0);
        };
        let mut receiving = Receiving::new(channel, group.ledger.tally_of(channel), sight, keeps);
        group.ledger.join(channel, member);
        let state = &mut self.socket(id)?.1.state;
        let number = state.next_receiving;
        state.next_receiving += 1;
        receiving.number = number;
        state.receives.push(receiving);
        Ok(number)
    }

    /// Ends this entry, which follows a channel. The user stays in the channel's audience while another entry follows
    /// it.
    pub(crate) fn end_receiving(&mut self, id: SocketId, number: u32) {
        let now = self.clock.now();
        let Ok((user, socket)) = self.socket(id) else {
            return;
        };
        let mut receives = socket.state.receives.iter_mut();
        let Some(over) = receives.find(|one| one.number == number && one.ended.is_none()) else {
            return;
        };
        over.ended = Some(now);
        let channel = over.channel;
        self.leave_unless_followed(user, &[channel], Leaving::Left);
    }

    /// Stops following all channels of the socket.
    pub(super) fn leave_channels(&mut self, key: u32, how: Leaving) {
        let now = self.clock.now();
        let Ok((user, socket)) = self.socket(SocketId(key)) else {
            return;
        };
        let mut left = Vec::new();
        for over in &mut socket.state.receives {
            if over.ended.is_none() {
                over.ended = Some(now);
                left.push(over.channel);
            }
        }
        self.leave_unless_followed(user, &left, how);
    }

    /// Removes the user from the audiences of these channels, except those that the user also follows elsewhere.
    fn leave_unless_followed(&mut self, user: UserId, left: &[ChannelIndex], how: Leaving) {
        let now = self.clock.now();
        let sockets = self.level.users.get(user).map(|user| user.sockets.clone());
        let followed: Vec<_> = sockets
            .unwrap_or_default()
            .into_iter()
            .filter_map(|key| Some(&self.conns.get(key)?.link))
            .filter_map(|link| match link {
                Link::Socket(socket) => Some(&socket.state.receives),
                _ => None,
            })
            .flatten()
            .filter(|one| one.ended.is_none())
            .map(|one| one.channel)
            .collect();
        let Some((group, member, _)) = self.group_of(user) else {
            return;
        };
        for &channel in left.iter().filter(|left| !followed.contains(left)) {
            group.ledger.leave(channel, member, now, how);
        }
    }

    /// The last value received for a channel, as JSON text, if values are stored and one has arrived.
    pub(crate) fn last_received(&mut self, id: SocketId, channel: ChannelId) -> Option<String> {
        let (_, socket) = self.socket(id).ok()?;
        let receives = &socket.state.receives;
        let its = receives
            .iter()
            .filter(|one| u32::from(one.channel.0) == channel.0 && one.ended.is_none());
        its.filter_map(Receiving::last)
            .next_back()
            .map(str::to_owned)
    }
}
