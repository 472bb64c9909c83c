use delivery::{ChannelIndex, Leaving};
use model::{Fault, UserId};
use script::host::{ChannelId, ResponsesCall, SocketId, StampPlace};

use super::receiving::{Followed, Receiving};
use crate::link::Link;
use crate::protocols::Channels;

impl Channels<'_> {
    /// Follows a channel in the messages of a socket.
    pub(crate) fn start(
        &mut self,
        id: SocketId,
        channel: ChannelIndex,
        place: StampPlace,
    ) -> Result<u32, Fault> {
        let (user, _) = self.base.socket(id)?;
        let keeps = place.keep;
        let Some((number, receiving)) =
            self.begin_following(user, channel, place, (keeps, false))?
        else {
            return Ok(0);
        };
        let state = &mut self.base.socket(id)?.1.state;
        state.followed.receives.push(receiving);
        Ok(number)
    }

    /// Follows a channel in the responses to a user's requests of one name.
    pub(crate) fn start_in_responses(
        &mut self,
        user: UserId,
        channel: ChannelIndex,
        call: ResponsesCall,
    ) -> Result<u32, Fault> {
        let ResponsesCall {
            request,
            place,
            repeats,
        } = call;
        let Some((number, receiving)) =
            self.begin_following(user, channel, place, (false, repeats))?
        else {
            return Ok(0);
        };
        if let Some(owner) = self.base.level.users.get(user) {
            owner.responses.follow(request, receiving);
        }
        Ok(number)
    }

    /// Adds the user to the channel's audience. Returns the number of the new entry, and the entry. `None` if the
    /// user's level is over.
    fn begin_following(
        &mut self,
        user: UserId,
        channel: ChannelIndex,
        place: StampPlace,
        (keeps, repeats): (bool, bool),
    ) -> Result<Option<(u32, Receiving)>, Fault> {
        let sight = self.base.sights.of(place)?;
        let Some((group, member, _)) = self.base.level.group_of(user) else {
            return Ok(None);
        };
        let tally = group.ledger.tally_of(channel);
        group.ledger.join(channel, member);
        let number = self.base.level.users.next_following(user);
        let receiving = Receiving::new((number, channel, tally), sight, (keeps, repeats));
        Ok(Some((number, receiving)))
    }

    /// Ends this entry, which follows a channel in responses.
    pub(crate) fn end_in_responses(&mut self, user: UserId, number: u32) {
        let now = self.base.clock.now();
        let Some(owner) = self.base.level.users.get(user) else {
            return;
        };
        let mut followed = owner.responses.followed.iter_mut();
        let channel = followed.find_map(|(_, followed)| followed.end(number, now));
        self.leave_unless_followed(user, channel.as_slice(), Leaving::Left);
    }

    /// Stops following channels in the responses to the user's requests.
    pub(super) fn leave_responses(&mut self, user: UserId, how: Leaving) {
        let now = self.base.clock.now();
        let Some(owner) = self.base.level.users.get(user) else {
            return;
        };
        let followed = std::mem::take(&mut owner.responses.followed).into_iter();
        let left: Vec<_> = followed
            .flat_map(|(_, mut followed)| followed.end_all(now))
            .collect();
        self.leave_unless_followed(user, &left, how);
    }

    /// Ends this entry, which follows a channel. The user stays in the channel's audience while another entry follows
    /// it.
    pub(crate) fn end(&mut self, id: SocketId, number: u32) {
        let now = self.base.clock.now();
        let Ok((user, socket)) = self.base.socket(id) else {
            return;
        };
        if let Some(channel) = socket.state.followed.end(number, now) {
            self.leave_unless_followed(user, &[channel], Leaving::Left);
        }
    }

    /// Stops following all channels of the socket.
    pub(super) fn leave(&mut self, key: u32, how: Leaving) {
        let now = self.base.clock.now();
        let Ok((user, socket)) = self.base.socket(SocketId(key)) else {
            return;
        };
        let left = socket.state.followed.end_all(now);
        self.leave_unless_followed(user, &left, how);
    }

    /// Removes the user from the audiences of these channels, except those that the user also follows elsewhere.
    fn leave_unless_followed(&mut self, user: UserId, left: &[ChannelIndex], how: Leaving) {
        let now = self.base.clock.now();
        let Some(owner) = self.base.level.users.get(user) else {
            return;
        };
        let on_sockets = owner.sockets.iter().filter_map(|&key| {
            let Link::Socket(socket) = &self.base.net.conns.get(key)?.link else {
                return None;
            };
            Some(&socket.state.followed)
        });
        let in_responses = owner
            .responses
            .followed
            .iter()
            .map(|(_, followed)| followed);
        let followed: Vec<ChannelIndex> = on_sockets
            .chain(in_responses)
            .flat_map(Followed::channels)
            .collect();
        let Some((group, member, _)) = self.base.level.group_of(user) else {
            return;
        };
        for &channel in left.iter().filter(|left| !followed.contains(left)) {
            group.ledger.leave(channel, member, now, how);
        }
    }

    /// The last value received for a channel, as JSON text, if values are stored and one has arrived.
    pub(crate) fn last(&mut self, id: SocketId, channel: ChannelId) -> Option<String> {
        let (_, socket) = self.base.socket(id).ok()?;
        let receives = &socket.state.followed.receives;
        let its = receives
            .iter()
            .filter(|one| u32::from(one.channel.0) == channel.0 && one.is_active());
        its.filter_map(Receiving::last)
            .next_back()
            .map(str::to_owned)
    }
}
