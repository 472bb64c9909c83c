//! How a member of a passive audience connects: the result of `connect`.

use model::Nanos;
use rquickjs::{Ctx, Result, Value};

use super::super::arg::{kind, span, text, type_error, url_text};
use super::super::options::{each, pointers};
use super::super::payload::message;
use super::super::request::{Address, documents_in, texts};
use crate::host::{DocumentsIn, MemberCall, MemberOpening, Payload, SocketCall, SubscribeCall};

pub(in crate::api) const CONNECT: &str = "audience(count, options): the result of `connect`";
/// The options that are no protocol's own.
const KNOWN: [&str; 8] = [
    "headers",
    "subprotocols",
    "documents",
    "query",
    "params",
    "timeout",
    "send",
    "ready",
];

/// A protocol of members, with its call of the host.
pub(in crate::api) trait MemberKind: Sized {
    /// The option that chooses the protocol.
    const KEY: &'static str;
    /// What a member has, in messages.
    const NOUN: &'static str;
    /// The common options that have a meaning for the protocol, except `timeout`.
    const TAKES: &'static [&'static str] = &[];
    /// The protocol's own options.
    const OWN: &'static [&'static str] = &[];
    /// Whether `ready` can be the name of an event.
    const HAS_EVENTS: bool = false;

    /// Converts a message that a member sends first.
    fn first<'js>(ctx: &Ctx<'js>, value: &Value<'js>, what: &str) -> Result<Payload> {
        message(ctx, value, what)
    }

    /// Sets an option of the protocol's own.
    fn set<'js>(
        _: &Ctx<'js>,
        _: &mut SubscribeCall,
        _option: (&str, &Value<'js>),
        _call: &str,
    ) -> Result<()> {
        Ok(())
    }

    /// The call with all options. `connection` is the value of the option that chooses the protocol, and `what` names it.
    fn call<'js>(
        ctx: &Ctx<'js>,
        options: &mut Options<'js>,
        connection: &Value<'js>,
        what: &str,
    ) -> Result<Self>;
}

macro_rules! define_protocol {
    ($($kind:ident $name:ident)*) => {
        /// The protocols of members.
        #[derive(Clone, Copy, PartialEq, Eq)]
        enum Protocol {
            $($name,)*
        }

        impl Protocol {
            const ALL: &[Self] = &[$(Self::$name,)*];
            /// The protocols' own options.
            const OWN: &[&[&str]] = &[$(<crate::host::$kind as MemberKind>::OWN,)*];

            /// The option that chooses the protocol.
            fn key(self) -> &'static str {
                match self {
                    $(Self::$name => <crate::host::$kind as MemberKind>::KEY,)*
                }
            }

            fn noun(self) -> &'static str {
                match self {
                    $(Self::$name => <crate::host::$kind as MemberKind>::NOUN,)*
                }
            }

            fn has_events(self) -> bool {
                match self {
                    $(Self::$name => <crate::host::$kind as MemberKind>::HAS_EVENTS,)*
                }
            }

            /// Whether an option has a meaning for the protocol.
            fn takes(self, key: &str) -> bool {
                let (common, own) = match self {
                    $(Self::$name => (<crate::host::$kind as MemberKind>::TAKES, <crate::host::$kind as MemberKind>::OWN),)*
                };
                key == "timeout" || key == self.key() || common.contains(&key) || own.contains(&key)
            }

            fn first<'js>(
                self,
                ctx: &Ctx<'js>,
                value: &Value<'js>,
                what: &str,
            ) -> Result<Payload> {
                match self {
                    $(Self::$name => <crate::host::$kind as MemberKind>::first(ctx, value, what),)*
                }
            }

            fn set<'js>(
                self,
                ctx: &Ctx<'js>,
                subscription: &mut SubscribeCall,
                option: (&str, &Value<'js>),
            ) -> Result<()> {
                match self {
                    $(Self::$name => <crate::host::$kind as MemberKind>::set(ctx, subscription, option, CONNECT),)*
                }
            }

            fn opening<'js>(
                self,
                ctx: &Ctx<'js>,
                options: &mut Options<'js>,
                connection: &Value<'js>,
                what: &str,
            ) -> Result<MemberOpening> {
                Ok(match self {
                    $(Self::$name => {
                        MemberOpening::$name(MemberKind::call(ctx, options, connection, what)?)
                    })*
                })
            }
        }
    };
}

macro_rules! define_protocols {
    ($(
        $(#[$doc:meta])*
        $module:ident: $name:ident($host:ident, $member:ident) $(message $message:ident($content:ty))?
            prelude [$($path:literal = $source:expr),*],
    )*) => {
        define_protocol!(SocketCall WebSocket $($member $name)*);
    };
}
with_protocols!(define_protocols);

/// The options of a member, as far as they are read.
#[derive(Default)]
pub(in crate::api) struct Options<'js> {
    /// The value of the option that chooses the protocol.
    connection: Option<Value<'js>>,
    pub(in crate::api) address: Address,
    subprotocols: Vec<String>,
    documents: DocumentsIn,
    first: Vec<Payload>,
    ready: Vec<(String, String)>,
    ready_event: Option<String>,
    pub(in crate::api) subscription: SubscribeCall,
    pub(in crate::api) timeout: Option<Nanos>,
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
    let known = known();
    each(ctx, described, CONNECT, &known, |key, value| {
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

/// The names of all options.
fn known() -> Vec<&'static str> {
    let keys = Protocol::ALL.iter().map(|protocol| protocol.key());
    let own = Protocol::OWN.iter().copied().flatten().copied();
    keys.chain(KNOWN).chain(own).collect()
}

/// The protocol whose option is given.
fn protocol_of<'js>(ctx: &Ctx<'js>, described: &Value<'js>) -> Result<Protocol> {
    let mut given = Vec::new();
    if let Some(object) = described.as_object() {
        for &protocol in Protocol::ALL {
            let value: Value<'js> = object.get(protocol.key())?;
            given.extend((!value.is_undefined()).then_some(protocol));
        }
    }
    if let [protocol] = given[..] {
        return Ok(protocol);
    }
    let keys = Protocol::ALL.iter();
    let keys: Vec<_> = keys
        .map(|protocol| format!("`{}`", protocol.key()))
        .collect();
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
                let one =
                    |ctx: &Ctx<'js>, one: &Value<'js>, what: &str| protocol.first(ctx, one, what);
                self.first = list_of(ctx, &value, &what, one)?;
            }
            "ready" if value.is_string() && protocol.has_events() => {
                self.ready_event = Some(text(ctx, &value, &what)?);
            }
            "ready" => self.ready = pointers(ctx, &value, &what)?,
            key if key == protocol.key() => self.connection = Some(value),
            key => protocol.set(ctx, &mut self.subscription, (key, &value))?,
        }
        Ok(())
    }

    /// The connection.
    fn opening(&mut self, ctx: &Ctx<'js>, protocol: Protocol) -> Result<MemberOpening> {
        let what = format!("{CONNECT}: `{}`", protocol.key());
        let Some(connection) = self.connection.take() else {
            return Err(type_error(ctx, &format!("{what} is missing")));
        };
        protocol.opening(ctx, self, &connection, &what)
    }
}

impl MemberKind for SocketCall {
    const KEY: &'static str = "websocket";
    const NOUN: &'static str = "a WebSocket";
    const TAKES: &'static [&'static str] = &[
        "headers",
        "query",
        "params",
        "ready",
        "send",
        "subprotocols",
        "documents",
    ];

    fn call<'js>(
        ctx: &Ctx<'js>,
        options: &mut Options<'js>,
        connection: &Value<'js>,
        what: &str,
    ) -> Result<Self> {
        let url = url_text(ctx, connection, what)?;
        Ok(Self {
            url: options.address.url(ctx, CONNECT, &url)?,
            headers: std::mem::take(&mut options.address.headers),
            subprotocols: std::mem::take(&mut options.subprotocols),
            documents: options.documents,
            timeout: options.timeout,
            ..Self::default()
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
