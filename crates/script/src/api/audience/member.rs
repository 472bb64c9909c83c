//! How a member of a passive audience connects: the result of `connect`.

use model::Nanos;
use rquickjs::{Ctx, Result, Value};

use super::super::arg::{kind, span, text, type_error, url_text};
use super::super::nats::nats_call;
use super::super::options::{each, pointers};
use super::super::payload::message;
use super::super::plain;
use super::super::redis::{names, redis_call, set_kind};
use super::super::request::{Address, documents_in, texts};
use super::super::socketio::names_an_event;
use super::super::socketio_options::socketio_options;
use crate::host::{
    DocumentsIn, EventsCall, MemberCall, MemberOpening, NatsCall, NatsMember, Payload, RedisCall,
    RedisMember, SocketCall, SocketIoCall, SubscribeCall,
};

const CONNECT: &str = "audience(count, options): the result of `connect`";
const KNOWN: [&str; 18] = [
    "websocket",
    "events",
    "socketio",
    "nats",
    "redis",
    "headers",
    "subprotocols",
    "documents",
    "query",
    "params",
    "timeout",
    "send",
    "ready",
    "subject",
    "queue",
    "channels",
    "pattern",
    "shard",
];
const KNOWN_NATS: [&str; 7] = [
    "url",
    "user",
    "password",
    "token",
    "nkey",
    "credentials",
    "connection",
];
const KNOWN_SOCKETIO: [&str; 6] = ["url", "namespace", "auth", "path", "query", "headers"];
const KNOWN_REDIS: [&str; 4] = ["url", "user", "password", "database"];

/// The protocols of members.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Protocol {
    WebSocket,
    Events,
    SocketIo,
    Nats,
    Redis,
}

impl Protocol {
    const ALL: [Self; 5] = [
        Self::WebSocket,
        Self::Events,
        Self::SocketIo,
        Self::Nats,
        Self::Redis,
    ];

    /// The option that chooses the protocol.
    fn key(self) -> &'static str {
        match self {
            Self::WebSocket => "websocket",
            Self::Events => "events",
            Self::SocketIo => "socketio",
            Self::Nats => "nats",
            Self::Redis => "redis",
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Self::WebSocket => "a WebSocket",
            Self::Events => "an event stream",
            Self::SocketIo => "a Socket.IO socket",
            Self::Nats => "a NATS subscription",
            Self::Redis => "a Redis subscription",
        }
    }

    /// Whether an option has a meaning for the protocol.
    fn takes(self, key: &str) -> bool {
        match key {
            "timeout" => true,
            "headers" | "query" | "params" => matches!(self, Self::WebSocket | Self::Events),
            "ready" => matches!(self, Self::WebSocket | Self::Events | Self::SocketIo),
            "send" => matches!(self, Self::WebSocket | Self::SocketIo),
            "subprotocols" | "documents" => self == Self::WebSocket,
            "subject" => self == Self::Nats,
            "channels" | "pattern" | "shard" => self == Self::Redis,
            key => key == self.key(),
        }
    }
}

/// The options of a member, as far as they are read.
#[derive(Default)]
struct Options<'js> {
    /// The value of the option that chooses the protocol.
    connection: Option<Value<'js>>,
    address: Address,
    subprotocols: Vec<String>,
    documents: DocumentsIn,
    first: Vec<Payload>,
    ready: Vec<(String, String)>,
    ready_event: Option<String>,
    subject: Option<String>,
    channels: SubscribeCall,
    timeout: Option<Nanos>,
}

/// Converts the result of `connect`.
pub(super) fn call<'js>(ctx: &Ctx<'js>, described: &Value<'js>) -> Result<MemberCall> {
    if !described.is_object() || described.is_promise() {
        let refusal = format!(
            "{CONNECT} must be an object such as `{{ websocket: url }}`, not {}",
            kind(described)
        );
        return Err(type_error(ctx, &refusal));
    }
    let protocol = protocol_of(ctx, described)?;
    let mut options = Options::default();
    each(ctx, described, CONNECT, &KNOWN, |key, value| {
        options.set(ctx, protocol, (key, value))
    })?;
    let opening = options.opening(ctx, protocol)?;
    Ok(MemberCall {
        opening,
        first: options.first,
        ready: options.ready,
        ready_event: options.ready_event,
    })
}

/// The protocol whose option is given.
fn protocol_of<'js>(ctx: &Ctx<'js>, described: &Value<'js>) -> Result<Protocol> {
    let mut given = Vec::new();
    if let Some(object) = described.as_object() {
        for protocol in Protocol::ALL {
            let value: Value<'js> = object.get(protocol.key())?;
            given.extend((!value.is_undefined()).then_some(protocol));
        }
    }
    if let [protocol] = given[..] {
        return Ok(protocol);
    }
    let keys = Protocol::ALL.map(|protocol| format!("`{}`", protocol.key()));
    let refusal = format!(
        "{CONNECT}: it must have exactly one of {}, which states how to connect",
        keys.join(", ")
    );
    Err(type_error(ctx, &refusal))
}

impl<'js> Options<'js> {
    fn set(
        &mut self,
        ctx: &Ctx<'js>,
        protocol: Protocol,
        (key, value): (&str, Value<'js>),
    ) -> Result<()> {
        let what = format!("{CONNECT}: `{key}`");
        if key == "queue" {
            let refusal = format!(
                "{what}: the members of a queue group share the messages, but every member of an audience must \
                 receive every message; remove `queue`"
            );
            return Err(type_error(ctx, &refusal));
        }
        if !protocol.takes(key) {
            let refusal = format!("{what} has no meaning for {}", protocol.noun());
            return Err(type_error(ctx, &refusal));
        }
        match key {
            "timeout" => self.timeout = Some(span(ctx, &value, &what)?),
            _ if self.address.take(ctx, CONNECT, key, &value)? => {}
            "subprotocols" => self.subprotocols = texts(ctx, &value, &what)?,
            "documents" => self.documents = documents_in(ctx, &value, &what)?,
            "send" => {
                let one = if protocol == Protocol::SocketIo {
                    event
                } else {
                    message
                };
                self.first = list_of(ctx, &value, &what, one)?;
            }
            "ready" if value.is_string() && protocol != Protocol::WebSocket => {
                self.ready_event = Some(text(ctx, &value, &what)?);
            }
            "ready" => self.ready = pointers(ctx, &value, &what)?,
            "subject" => self.subject = Some(text(ctx, &value, &what)?),
            "channels" => self.channels.names = names(ctx, &value, &what)?,
            "pattern" | "shard" => {
                set_kind(ctx, &mut self.channels, (key, &value), CONNECT)?;
            }
            _ => self.connection = Some(value),
        }
        Ok(())
    }

    /// The connection.
    fn opening(&mut self, ctx: &Ctx<'js>, protocol: Protocol) -> Result<MemberOpening> {
        let what = format!("{CONNECT}: `{}`", protocol.key());
        let Some(connection) = self.connection.take() else {
            return Err(type_error(ctx, &format!("{what} is missing")));
        };
        let timeout = self.timeout;
        Ok(match protocol {
            Protocol::WebSocket => {
                let url = url_text(ctx, &connection, &what)?;
                MemberOpening::WebSocket(SocketCall {
                    url: self.address.url(ctx, CONNECT, &url)?,
                    headers: std::mem::take(&mut self.address.headers),
                    subprotocols: std::mem::take(&mut self.subprotocols),
                    documents: self.documents,
                    timeout,
                    ..SocketCall::default()
                })
            }
            Protocol::Events => {
                let url = url_text(ctx, &connection, &what)?;
                MemberOpening::Events(EventsCall {
                    url: self.address.url(ctx, CONNECT, &url)?,
                    headers: std::mem::take(&mut self.address.headers),
                    timeout,
                    ..EventsCall::default()
                })
            }
            Protocol::SocketIo => {
                let made = SocketIoCall {
                    timeout,
                    ..SocketIoCall::default()
                };
                let of = (&*what, &KNOWN_SOCKETIO[..]);
                let url = url_in(ctx, &connection, &what)?;
                let call = socketio_options(ctx, (&url, &connection), of, made)?;
                MemberOpening::SocketIo(call)
            }
            Protocol::Nats => {
                let made = NatsCall {
                    is_shared: true,
                    timeout,
                    ..NatsCall::default()
                };
                let call = nats_call(ctx, &connection, (&what, &KNOWN_NATS), made)?;
                let missing = || type_error(ctx, &format!("{CONNECT}: `subject` is missing"));
                let subject = self.subject.take().ok_or_else(missing)?;
                MemberOpening::Nats(NatsMember { call, subject })
            }
            Protocol::Redis => {
                let made = RedisCall {
                    timeout,
                    ..RedisCall::default()
                };
                let call = redis_call(ctx, &connection, (&what, &KNOWN_REDIS), made)?;
                let subscribe = std::mem::take(&mut self.channels);
                if subscribe.names.is_empty() {
                    let refusal = format!("{CONNECT}: `channels` is missing");
                    return Err(type_error(ctx, &refusal));
                }
                MemberOpening::Redis(RedisMember { call, subscribe })
            }
        })
    }
}

/// Converts the messages that a member sends first. `one` converts each.
fn list_of<'js>(
    ctx: &Ctx<'js>,
    value: &Value<'js>,
    what: &str,
    one: impl Fn(&Ctx<'js>, &Value<'js>, &str) -> Result<Payload>,
) -> Result<Vec<Payload>> {
    let refusal = || type_error(ctx, &format!("{what} must be a list of messages"));
    let list = value.as_array().ok_or_else(refusal)?;
    list.iter::<Value<'js>>()
        .map(|each| one(ctx, &each?, what))
        .collect()
}

/// Converts an event of Socket.IO: a list of its name and its arguments, without bytes.
fn event<'js>(ctx: &Ctx<'js>, value: &Value<'js>, what: &str) -> Result<Payload> {
    let name = value.as_array().map(|list| list.get::<Value<'js>>(0));
    let is_named = name.transpose()?.is_some_and(|name| names_an_event(&name));
    let list = plain::json(ctx, value)?.filter(|_| is_named);
    let refusal = || {
        let example = "[\"join\", { room: 1 }]";
        type_error(
            ctx,
            &format!("{what} must be a list of events such as {example}, without bytes"),
        )
    };
    list.map(Payload::Text).ok_or_else(refusal)
}

/// The URL of the server in these options; empty for the target.
fn url_in<'js>(ctx: &Ctx<'js>, options: &Value<'js>, what: &str) -> Result<String> {
    let url = match options.as_object() {
        Some(options) => options.get::<_, Value<'js>>("url")?,
        None => return Ok(String::new()),
    };
    if url.is_undefined() {
        return Ok(String::new());
    }
    url_text(ctx, &url, &format!("{what}: `url`"))
}
