use delivery::{ChannelIndex, Leaving};
use model::{Fault, UserId};
use script::host::{ChannelId, SocketId, StampPlace};

use super::receiving::Receiving;
use crate::link::Link;
use crate::world::World;

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
        let Some((group, member, _)) = self.level.group_of(user) else {
            return Ok(0);
        };
        let mut receiving = Receiving::new(channel, group.ledger.tally_of(channel), sight, keeps);
        group.ledger.join(channel, member);
        let state = &mut self.socket(id)?.1.state;
        let number = state.followed.next;
        state.followed.next += 1;
        receiving.number = number;
        state.followed.receives.push(receiving);
        Ok(number)
    }

    /// Ends this entry, which follows a channel. The user stays in the channel's audience while another entry follows
    /// it.
    pub(crate) fn end_receiving(&mut self, id: SocketId, number: u32) {
        let now = self.clock.now();
        let Ok((user, socket)) = self.socket(id) else {
            return;
        };
        let mut receives = socket.state.followed.receives.iter_mut();
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
        for over in &mut socket.state.followed.receives {
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
            .filter_map(|key| Some(&self.net.conns.get(key)?.link))
            .filter_map(|link| match link {
                Link::Socket(socket) => Some(&socket.state.followed.receives),
                _ => None,
            })
            .flatten()
            .filter(|one| one.ended.is_none())
            .map(|one| one.channel)
            .collect();
        let Some((group, member, _)) = self.level.group_of(user) else {
            return;
        };
        for &channel in left.iter().filter(|left| !followed.contains(left)) {
            group.ledger.leave(channel, member, now, how);
        }
    }

    /// The last value received for a channel, as JSON text, if values are stored and one has arrived.
    pub(crate) fn last_received(&mut self, id: SocketId, channel: ChannelId) -> Option<String> {
        let (_, socket) = self.socket(id).ok()?;
        let receives = &socket.state.followed.receives;
        let its = receives
            .iter()
            .filter(|one| u32::from(one.channel.0) == channel.0 && one.ended.is_none());
        its.filter_map(Receiving::last)
            .next_back()
            .map(str::to_owned)
    }
}
