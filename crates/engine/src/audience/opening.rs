//! Connects the members of passive audiences.

use delivery::Documents;
use model::{Fault, Nanos};
use rand_core::RngCore;
use rand_pcg::Pcg64Mcg;
use script::host::{EventsCall, MemberCall, MemberOpening as Opens, SocketCall};
use wire::http::Request;
use wire::websocket::Handshake;

use super::link::{MemberLink, MemberOpening, MemberState};
use crate::dial::{Dial, MemberDial, Opener};
use crate::filter::Filter;
use crate::http::add_missing;
use crate::link::Link;
use crate::net::Located;
use crate::net::socket::EventStream;
use crate::owner::MemberId;
use crate::socket::framing_of;
use crate::world::World;

/// Connects a member now, or queues it.
pub(super) fn start(
    world: &mut World,
    (member, number): (MemberId, u32),
    call: MemberCall,
    random: &mut Pcg64Mcg,
) {
    match dial_of(world, (member, number), call, random) {
        Ok(dial) => world.dial(Dial::Member(Box::new(dial))),
        Err(fault) => fail(world, member, &fault),
    }
}

fn dial_of(
    world: &mut World,
    (member, number): (MemberId, u32),
    call: MemberCall,
    random: &mut Pcg64Mcg,
) -> Result<MemberDial, Fault> {
    let MemberCall {
        opening,
        first,
        ready,
    } = call;
    let (url, timeout) = match &opening {
        Opens::WebSocket(call) => (&call.url, call.timeout),
        Opens::Events(call) => (&call.url, call.timeout),
    };
    let located = world.net.connector.locate(url)?;
    let endpoint = located.endpoint;
    let limit = world.opening_limit(timeout);
    let (opener, documents) = match opening {
        Opens::WebSocket(call) => websocket(world, &located, &call, random)?,
        Opens::Events(call) => (events(world, located, call, limit), Documents::default()),
    };
    let state = MemberState {
        opening: Some(Box::new(MemberOpening {
            is_open: false,
            first,
            ready: Filter::new(ready)?,
            until: Nanos::MAX,
            limit,
        })),
        documents,
        close: None,
    };
    Ok(MemberDial {
        member,
        endpoint,
        opener,
        state,
        number,
    })
}

fn websocket(
    world: &World,
    located: &Located,
    call: &SocketCall,
    random: &mut Pcg64Mcg,
) -> Result<(Opener, Documents), Fault> {
    let mut nonce = [0; 16];
    random.fill_bytes(&mut nonce);
    let handshake = Handshake::new(&located.url, &call.subprotocols, &call.headers, nonce)?;
    let seed = random.next_u64();
    let max_message = world.config.options.max_message;
    let documents = Documents::new(framing_of(call.documents), max_message);
    Ok((Opener::WebSocket { handshake, seed }, documents))
}

fn events(world: &World, located: Located, call: EventsCall, limit: Nanos) -> Opener {
    let mut headers = call.headers;
    add_missing(&mut headers, &world.config.options.headers);
    let request = Request {
        headers,
        ..Request::new("GET", located.url)
    };
    let max_event = world.config.options.max_message;
    // A member that loses its connection is counted and does not return.
    let continues = (String::new(), false);
    Opener::Events(Box::new(EventStream::new(
        request, limit, max_event, continues,
    )))
}

/// Starts to connect. The time limit counts from here, not from the start of the wait in the connect queue.
pub(crate) fn open(world: &mut World, dial: MemberDial) {
    let MemberDial {
        member,
        endpoint,
        opener,
        mut state,
        number,
    } = dial;
    let now = world.clock.now();
    if let Some(opening) = &mut state.opening {
        opening.until = now + opening.limit;
        world.net.watch_limit(now + opening.limit);
    }
    let source = world.source_of_number(number);
    let stream = world.net.connector.connect(endpoint, source);
    let max_message = world.config.options.max_message;
    let opened = stream.and_then(|stream| {
        let wire = opener.open_on(stream, max_message, None)?;
        let link = Link::Member(Box::new(MemberLink { wire, state }));
        world.admit(member, endpoint, link)
    });
    match opened {
        Ok(key) => {
            let shard = &mut world.level.audience.shards[member.audience];
            shard.connections.push(key);
            world.look_if_open(key);
        }
        Err(fault) => fail(world, member, &fault),
    }
}

/// Counts a member that could not connect.
fn fail(world: &mut World, member: MemberId, fault: &Fault) {
    let now = world.clock.now();
    let level = &mut world.level;
    level
        .audience
        .fail(&mut level.recorder, (member, false), now, fault);
}
