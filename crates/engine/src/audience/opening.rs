//! Connects the members of passive audiences.

use delivery::Documents;
use model::{Fault, Nanos};
use rand_core::RngCore;
use rand_pcg::Pcg64Mcg;
use script::host::{EventsCall, MemberCall, MemberOpening as Opens, SocketCall};
use wire::http::Request;
use wire::websocket::Handshake;

use super::link::{MemberLink, MemberOpening, MemberState};
use crate::base::Base;
use crate::dial::{Dial, MemberDial, Opener};
use crate::filter::Filter;
use crate::link::Link;
use crate::net::Located;
use crate::net::socket::EventStream;
use crate::news::News;
use crate::owner::MemberId;
use crate::people::add_missing;
use crate::socket::framing_of;

/// Connects a member now, or queues it.
pub(super) fn start(
    base: &mut Base,
    (member, number): (MemberId, u32),
    call: MemberCall,
    random: &mut Pcg64Mcg,
) {
    match dial_of(base, (member, number), call, random) {
        Ok(dial) => base.dial(Dial::Member(Box::new(dial))),
        Err(fault) => fail(base, member, &fault),
    }
}

fn dial_of(
    base: &mut Base,
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
    let located = base.net.connector.locate(url)?;
    let endpoint = located.endpoint;
    let limit = base.opening_limit(timeout);
    let (opener, documents) = match opening {
        Opens::WebSocket(call) => websocket(base, &located, &call, random)?,
        Opens::Events(call) => (events(base, located, call, limit), Documents::default()),
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
    base: &Base,
    located: &Located,
    call: &SocketCall,
    random: &mut Pcg64Mcg,
) -> Result<(Opener, Documents), Fault> {
    let mut nonce = [0; 16];
    random.fill_bytes(&mut nonce);
    let handshake = Handshake::new(&located.url, &call.subprotocols, &call.headers, nonce)?;
    let seed = random.next_u64();
    let max_message = base.config.options.max_message;
    let documents = Documents::new(framing_of(call.documents), max_message);
    Ok((Opener::WebSocket { handshake, seed }, documents))
}

fn events(base: &Base, located: Located, call: EventsCall, limit: Nanos) -> Opener {
    let mut headers = call.headers;
    add_missing(&mut headers, &base.config.options.headers);
    let request = Request {
        headers,
        ..Request::new("GET", located.url)
    };
    let max_event = base.config.options.max_message;
    // A member that loses its connection is counted and does not return.
    let continues = (String::new(), false);
    Opener::Events(Box::new(EventStream::new(
        request, limit, max_event, continues,
    )))
}

/// Starts to connect. The time limit counts from here, not from the start of the wait in the connect queue.
pub(crate) fn open(base: &mut Base, dial: MemberDial) {
    let MemberDial {
        member,
        endpoint,
        opener,
        mut state,
        number,
    } = dial;
    let now = base.clock.now();
    if let Some(opening) = &mut state.opening {
        opening.until = now + opening.limit;
        base.net.watch_limit(now + opening.limit);
    }
    let source = base.source_of_number(number);
    let stream = base.net.connector.connect(endpoint, source);
    let max_message = base.config.options.max_message;
    let opened = stream.and_then(|stream| {
        let wire = opener.open_on(stream, max_message, None)?;
        let link = Link::Member(Box::new(MemberLink { wire, state }));
        base.admit(member, endpoint, link)
    });
    match opened {
        Ok(key) => {
            let shard = &mut base.level.audience.shards[member.audience];
            shard.connections.push(key);
            base.tell(News::Added(key));
        }
        Err(fault) => fail(base, member, &fault),
    }
}

/// Counts a member that could not connect.
fn fail(base: &mut Base, member: MemberId, fault: &Fault) {
    let now = base.clock.now();
    let level = &mut base.level;
    level
        .audience
        .fail(&mut level.recorder, (member, false), now, fault);
}
