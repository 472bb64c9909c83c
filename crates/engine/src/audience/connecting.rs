//! Opens the connections of members.

use model::Fault;
use wire::Stream;

use super::failing::fail;
use super::http2;
use super::link::{MemberLink, OwnLink};
use super::member::{MemberOpening, MemberState};
use crate::dial::{MemberDial, Opener};
use crate::link::Link;
use crate::net::EndpointIndex;
use crate::net::socket::{EventStream, Wire};
use crate::owner::MemberId;
use crate::world::World;

/// Starts to connect. The time limit counts from here, not from the start of the wait in the connect queue.
pub(crate) fn open(world: &mut World, dial: MemberDial) {
    match connect(world, dial) {
        Ok(key) => world.look_if_open(key),
        Err((member, fault)) => fail(world, member, &fault),
    }
}

/// Starts to connect. Returns the key of the connection.
pub(super) fn connect(world: &mut World, dial: MemberDial) -> Result<u32, (MemberId, Fault)> {
    let MemberDial {
        member,
        endpoint,
        opener,
        mut state,
        number,
    } = dial;
    if let Some(opening) = &mut state.opening {
        opening.begin(world);
    }
    let source = world.source_of_number(number);
    let opened = match opener {
        Opener::Events(events) if world.streams().is_some() => {
            let stream = world.net.connector.connect_http2(endpoint, source);
            stream.and_then(|stream| over_http2(world, (stream, endpoint), events, state))
        }
        opener => {
            let stream = world.net.connector.connect(endpoint, source);
            let max_message = world.config.options.max_message;
            let wire = stream.and_then(|stream| opener.open_on(stream, max_message, None));
            wire.map(|wire| MemberLink::new(member, wire, state))
        }
    };
    let opened =
        opened.and_then(|link| world.admit(member, endpoint, Link::Member(Box::new(link))));
    let key = opened.map_err(|fault| (member, fault))?;
    let shard = &mut world.level.audience.shards[member.audience];
    shard.connections.push(key);
    Ok(key)
}

fn over_http2(
    world: &World,
    connection: (Stream, EndpointIndex),
    mut events: Box<EventStream>,
    state: MemberState,
) -> Result<MemberLink, Fault> {
    let options = &world.config.options;
    let limits = (options.timeouts, options.max_message);
    let http2 = http2::open(connection, &mut events, world.clock.now(), limits)?;
    Ok(MemberLink::Own(OwnLink {
        wire: Wire::Events(events),
        http2: Some(http2),
        state,
    }))
}

impl MemberOpening {
    /// Starts the time limit.
    pub(super) fn begin(&mut self, world: &mut World) {
        self.until = world.clock.now() + self.limit;
        world.net.watch_limit(self.until);
    }
}
