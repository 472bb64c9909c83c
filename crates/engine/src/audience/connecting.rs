//! Opens the connections of members.

use model::Fault;
use wire::Stream;

use super::events::http2;
use super::failing::fail;
use super::link::{MemberLink, OwnLink};
use super::member::{MemberOpening, MemberState};
use super::members::SharedMembers;
use super::transport::MemberTransport as _;
use crate::base::Base;
use crate::dial::{MemberDial, Opener};
use crate::link::Link;
use crate::net::EndpointIndex;
use crate::net::socket::{EventStream, Wire};
use crate::news::News;
use crate::owner::MemberId;

/// Starts to connect. The time limit counts from here, not from the start of the wait in the connect queue.
pub(crate) fn open(base: &mut Base, dial: MemberDial) {
    match connect(base, dial) {
        Ok(key) => base.tell(News::Added(key)),
        Err((member, fault)) => fail(base, member, &fault),
    }
}

/// Starts to connect. Returns the key of the connection.
pub(super) fn connect(base: &mut Base, dial: MemberDial) -> Result<u32, (MemberId, Fault)> {
    let MemberDial {
        member,
        endpoint,
        opener,
        mut state,
        number,
    } = dial;
    if let Some(opening) = &mut state.opening {
        opening.begin(base);
    }
    let source = base.source_of_number(number);
    let opened = match opener {
        Opener::Events(events) if base.streams().is_some() => {
            let stream = base.net.connector.connect_http2(endpoint, source);
            stream.and_then(|stream| over_http2(base, (stream, endpoint), events, state))
        }
        opener => {
            let stream = base.net.connector.connect(endpoint, source);
            let max_message = base.config.options.max_message;
            let wire = stream.and_then(|stream| opener.open_on(stream, max_message, None));
            wire.map(|wire| link_of(member, wire, state))
        }
    };
    let opened = opened.and_then(|link| base.admit(member, endpoint, Link::Member(Box::new(link))));
    let key = opened.map_err(|fault| (member, fault))?;
    let shard = &mut base.level.audience.shards[member.audience];
    shard.connections.push(key);
    Ok(key)
}

/// The link of a member on its connection.
fn link_of(member: MemberId, wire: Wire, state: MemberState) -> MemberLink {
    if on_wire!(&wire, it => it.carries_several()) {
        return MemberLink::Shared(SharedMembers::new(wire, member, state));
    }
    MemberLink::Own(OwnLink {
        wire,
        http2: None,
        state,
    })
}

fn over_http2(
    base: &Base,
    connection: (Stream, EndpointIndex),
    mut events: Box<EventStream>,
    state: MemberState,
) -> Result<MemberLink, Fault> {
    let options = &base.config.options;
    let limits = (options.timeouts, options.max_message);
    let http2 = http2::open(connection, &mut events, base.clock.now(), limits)?;
    Ok(MemberLink::Own(OwnLink {
        wire: Wire::Events(events),
        http2: Some(http2),
        state,
    }))
}

impl MemberOpening {
    /// Starts the time limit.
    pub(super) fn begin(&mut self, base: &mut Base) {
        self.until = base.clock.now() + self.limit;
        base.net.watch_limit(self.until);
    }
}
