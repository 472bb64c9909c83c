//! Connects the members of passive audiences.

use delivery::Documents;
use model::{Fault, Nanos};
use rand_core::RngCore;
use rand_pcg::Pcg64Mcg;
use script::host::{
    EventsCall, MemberCall, MemberOpening as Opens, NatsCall, Payload, RedisCall, SocketCall,
    SocketIoCall, SubscribeCall,
};
use wire::http::Request;
use wire::socketio::{Kind, Session, header};
use wire::websocket::Handshake;

use super::failing::fail;
use super::member::{First, MemberOpening, MemberState, Ready};
use super::nats;
use crate::base::Base;
use crate::dial::{Dial, MemberDial, Opener};
use crate::filter::Filter;
use crate::nats::login::{SharedLogin, locate, login_of};
use crate::net::EndpointIndex;
use crate::net::socket::EventStream;
use crate::owner::MemberId;
use crate::people::add_missing;
use crate::redis::redis_login;
use crate::socket::framing_of;
use crate::socketio::{Talk, websocket_call};

/// The connection of a member, as its protocol describes it.
struct Described {
    endpoint: EndpointIndex,
    opener: Opener,
    documents: Documents,
    /// The Socket.IO session.
    talk: Option<Box<Talk>>,
    first: First,
    ready: Ready,
    /// Time limit until the member listens.
    limit: Nanos,
    /// The login with which the member shares a connection to a NATS server.
    shared: Option<SharedLogin>,
}

impl Described {
    /// Makes the member listen from the first message with these values on, in an event of this name, if any are given.
    fn or_from(self, values: Vec<(String, String)>, event: Option<String>) -> Result<Self, Fault> {
        if values.is_empty() && event.is_none() {
            return Ok(self);
        }
        let ready = Ready::Message(Filter::new(values)?, event);
        Ok(Self { ready, ..self })
    }
}

/// Connects a member now, or queues it.
pub(super) fn start(
    base: &mut Base,
    (member, number): (MemberId, u32),
    call: MemberCall,
    random: &mut Pcg64Mcg,
) {
    let MemberCall {
        opening,
        first,
        ready,
        ready_event,
    } = call;
    let described = match opening {
        Opens::WebSocket(call) => websocket(base, &call, first, random),
        Opens::Events(call) => events(base, call),
        Opens::SocketIo(call) => socketio(base, call, &first, random),
        Opens::Nats { call, subject } => subject_of(base, &call, subject),
        Opens::Redis { call, subscribe } => channels_of(base, &call, subscribe),
    };
    let described = match described.and_then(|described| described.or_from(ready, ready_event)) {
        Ok(described) => described,
        Err(fault) => return fail(base, member, &fault),
    };
    let state = MemberState {
        opening: Some(Box::new(MemberOpening {
            is_open: false,
            first: described.first,
            ready: described.ready,
            until: Nanos::MAX,
            limit: described.limit,
        })),
        documents: described.documents,
        talk: described.talk,
        close: None,
    };
    let dial = MemberDial {
        member,
        endpoint: described.endpoint,
        opener: described.opener,
        state,
        number,
    };
    match described.shared {
        Some(login) => nats::share(base, dial, login),
        None => base.dial(Dial::Member(Box::new(dial))),
    }
}

fn websocket(
    base: &mut Base,
    call: &SocketCall,
    first: Vec<Payload>,
    random: &mut Pcg64Mcg,
) -> Result<Described, Fault> {
    let located = base.net.connector.locate(&call.url)?;
    let mut nonce = [0; 16];
    random.fill_bytes(&mut nonce);
    let handshake = Handshake::new(&located.url, &call.subprotocols, &call.headers, nonce)?;
    let seed = random.next_u64();
    let max_message = base.config.options.max_message;
    Ok(Described {
        endpoint: located.endpoint,
        opener: Opener::WebSocket { handshake, seed },
        documents: Documents::new(framing_of(call.documents), max_message),
        talk: None,
        first: First::Messages(first),
        ready: Ready::Open,
        limit: base.opening_limit(call.timeout),
        shared: None,
    })
}

fn socketio(
    base: &mut Base,
    call: SocketIoCall,
    first: &[Payload],
    random: &mut Pcg64Mcg,
) -> Result<Described, Fault> {
    let (namespace, auth) = (call.namespace.clone(), call.auth.clone());
    let head = header(Kind::Event, 0, &namespace, None);
    let event =
        |list: &Payload| Payload::Text(head.clone() + &String::from_utf8_lossy(list.bytes()));
    let first = first.iter().map(event).collect();
    let session = Session::new(namespace, auth, base.config.options.max_message);
    let described = websocket(base, &websocket_call(call), first, random)?;
    Ok(Described {
        talk: Some(Box::new(Talk::new(session))),
        ..described
    })
}

fn events(base: &mut Base, call: EventsCall) -> Result<Described, Fault> {
    let located = base.net.connector.locate(&call.url)?;
    let limit = base.opening_limit(call.timeout);
    let mut headers = call.headers;
    add_missing(&mut headers, &base.config.options.headers);
    let request = Request {
        headers,
        ..Request::new("GET", located.url)
    };
    let max_event = base.config.options.max_message;
    // A member that loses its connection is counted and does not return.
    let continues = (String::new(), false);
    let stream = EventStream::new(request, limit, max_event, continues);
    Ok(Described {
        endpoint: located.endpoint,
        opener: Opener::Events(Box::new(stream)),
        documents: Documents::default(),
        talk: None,
        first: First::default(),
        ready: Ready::Open,
        limit,
        shared: None,
    })
}

fn subject_of(base: &mut Base, call: &NatsCall, subject: String) -> Result<Described, Fault> {
    let (url, endpoint) = locate(&mut base.net.connector, call.url.as_deref())?;
    let shared = call
        .is_shared
        .then(|| SharedLogin::new(endpoint, call, &url));
    Ok(Described {
        endpoint,
        opener: Opener::Nats(Box::new(login_of(call, &url, "(audience)")?)),
        documents: Documents::default(),
        talk: None,
        first: First::Subject(subject),
        ready: Ready::Confirmed,
        limit: base.opening_limit(call.timeout),
        shared,
    })
}

fn channels_of(
    base: &mut Base,
    call: &RedisCall,
    subscribe: SubscribeCall,
) -> Result<Described, Fault> {
    let (url, login) = redis_login(call, base.net.connector.target())?;
    Ok(Described {
        endpoint: base.net.connector.endpoint_of(&url)?,
        opener: Opener::Redis(Box::new(login)),
        documents: Documents::default(),
        talk: None,
        first: First::Channels(subscribe),
        ready: Ready::Confirmed,
        limit: base.opening_limit(call.timeout),
        shared: None,
    })
}
