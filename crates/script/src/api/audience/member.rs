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
pub(in crate::api) trait MemberKind: Into<MemberOpening> {
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

/// Reads the result of `connect` for one protocol.
type Read = for<'js> fn(&Ctx<'js>, &Value<'js>) -> Result<MemberCall>;

macro_rules! define_kinds {
    ($(
        $(#[$doc:meta])*
        $module:ident: $name:ident($host:ident, $member:ident) $(message $message:ident($content:ty))?
            prelude [$($path:literal = $source:expr),*],
    )*) => {
        /// The protocols of members: the option that chooses each, and how the others are read.
        const KINDS: &[(&str, Read)] = &[
            (SocketCall::KEY, read::<SocketCall>),
            $((crate::host::$member::KEY, read::<crate::host::$member>),)*
        ];

        /// The protocols' own options.
        const OWN: &[&[&str]] = &[$(crate::host::$member::OWN,)*];
    };
}
with_protocols!(define_kinds);

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
    let read = reader_of(ctx, described)?;
    read(ctx, described)
}

/// How the protocol is read whose option is given.
fn reader_of<'js>(ctx: &Ctx<'js>, described: &Value<'js>) -> Result<Read> {
    let mut given = Vec::new();
    if let Some(object) = described.as_object() {
        for &(key, read) in KINDS {
            let value: Value<'js> = object.get(key)?;
            given.extend((!value.is_undefined()).then_some(read));
        }
    }
    if let [read] = given[..] {
        return Ok(read);
    }
    let keys: Vec<_> = KINDS.iter().map(|(key, _)| format!("`{key}`")).collect();
    let refusal = format!(
        "{CONNECT}: it must have exactly one of {}, which states how to connect",
        keys.join(", ")
    );
    Err(type_error(ctx, &refusal))
}

fn read<'js, K: MemberKind>(ctx: &Ctx<'js>, described: &Value<'js>) -> Result<MemberCall> {
    let keys = KINDS.iter().map(|(key, _)| *key);
    let own = OWN.iter().copied().flatten().copied();
    let known: Vec<&str> = keys.chain(KNOWN).chain(own).collect();
    let mut options = Options::default();
    each(ctx, described, CONNECT, &known, |key, value| {
        options.set::<K>(ctx, (key, value))
    })?;
    let what = format!("{CONNECT}: `{}`", K::KEY);
    let Some(connection) = options.connection.take() else {
        return Err(type_error(ctx, &format!("{what} is missing")));
    };
    let call = K::call(ctx, &mut options, &connection, &what)?;
    Ok(MemberCall {
        opening: call.into(),
        first: options.first,
        ready: options.ready,
        ready_event: options.ready_event,
    })
}

impl<'js> Options<'js> {
    fn set<K: MemberKind>(
        &mut self,
        ctx: &Ctx<'js>,
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
        let is_common = key == "timeout" || key == K::KEY || K::TAKES.contains(&key);
        if !is_common && !K::OWN.contains(&key) {
            let refusal = format!("{what} has no meaning for {}", K::NOUN);
            return Err(type_error(ctx, &refusal));
        }
        match key {
            "timeout" => self.timeout = Some(span(ctx, &value, &what)?),
            _ if self.address.take(ctx, CONNECT, key, &value)? => {}
            "subprotocols" => self.subprotocols = texts(ctx, &value, &what)?,
            "documents" => self.documents = documents_in(ctx, &value, &what)?,
            "send" => self.first = list_of::<K>(ctx, &value, &what)?,
            "ready" if value.is_string() && K::HAS_EVENTS => {
                self.ready_event = Some(text(ctx, &value, &what)?);
            }
            "ready" => self.ready = pointers(ctx, &value, &what)?,
            key if key == K::KEY => self.connection = Some(value),
            key => K::set(ctx, &mut self.subscription, (key, &value), CONNECT)?,
        }
        Ok(())
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

/// Converts the messages that a member sends first.
fn list_of<'js, K: MemberKind>(
    ctx: &Ctx<'js>,
    value: &Value<'js>,
    what: &str,
) -> Result<Vec<Payload>> {
    let refusal = || type_error(ctx, &format!("{what} must be a list of messages"));
    let list = value.as_array().ok_or_else(refusal)?;
    list.iter::<Value<'js>>()
        .map(|each| K::first(ctx, &each?, what))
        .collect()
}
