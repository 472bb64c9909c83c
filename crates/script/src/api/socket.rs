//! `WebSocket`s, and calls shared with Socket.IO.

use std::sync::Arc;

use rquickjs::{Ctx, Function, IntoJs, Persistent, Promise, Result, Value};

use super::arg::{ended, kind, span, text, type_error, whole};
use super::native::{Call, Natives};
use super::op::begin;
use super::options::{each, pointer, pointers};
use super::payload::{bytes, message};
use super::receiver::Held;
use crate::host::{
    ChannelId, NextCall, Payload, ReplyBy, RoundTripCall, SocketId, StampAt, StampPlace,
};
use crate::work::{Socket, Then};

/// WebSocket close code for a normal closure.
const NORMAL: u16 = 1000;

pub(super) fn install(natives: &Natives<'_>) -> Result<()> {
    natives.add("send", send)?;
    natives.add("roundTrip", round_trip)?;
    natives.add("next", next)?;
    natives.add("receives", receives)?;
    natives.add("stopReceiving", stop_receiving)?;
    natives.add("last", last)?;
    natives.add("listen", listen)?;
    natives.add("isOpen", is_open)?;
    natives.add("ping", ping)?;
    natives.add("closeSocket", close)
}

fn send<'js>(call: &Call<'_, 'js>, socket: Held, value: Value<'js>) -> Result<()> {
    let payload = message(&call.ctx, &value, "socket.send(message): the message")?;
    let sent = call.host().send(socket.id, payload, call.planned());
    call.or_throw(sent)
}

fn round_trip<'js>(
    call: &Call<'_, 'js>,
    socket: Held,
    value: Value<'js>,
    options: Value<'js>,
) -> Result<Promise<'js>> {
    let made = round_trip_call(call, &socket, &value, &options)?;
    let then = if sent_as_json(&value) {
        Then::Parsed
    } else {
        Then::Plain
    };
    begin(call, socket.who, then, |host, op| {
        host.round_trip(op, socket.id, made)
    })
}

/// Whether the message is sent as JSON. Its reply is then parsed as JSON.
fn sent_as_json(value: &Value<'_>) -> bool {
    value.is_object() && bytes(value).is_none()
}

fn round_trip_call<'js>(
    native: &Call<'_, 'js>,
    socket: &Held,
    value: &Value<'js>,
    options: &Value<'js>,
) -> Result<RoundTripCall> {
    let ctx = &native.ctx;
    let call = "socket.request(message, options)";
    let payload = message(ctx, value, "socket.request(message): the message")?;
    let name = {
        let work = native.state.work.borrow();
        let socket = work.sockets.get(socket.key);
        socket.map(|socket| Arc::clone(&socket.name))
    };
    let mut made = RoundTripCall {
        name: name.unwrap_or_else(|| Arc::from("")),
        payload,
        by: ReplyBy::FirstInFirstOut,
        only: Vec::new(),
        timeout: None,
        planned: native.planned(),
    };
    let known = ["name", "by", "only", "timeout"];
    each(ctx, options, call, &known, |key, value| {
        let what = format!("{call}: `{key}`");
        match key {
            "name" => made.name = text(ctx, &value, &what)?.into(),
            "only" => made.only = pointers(ctx, &value, &what)?,
            "timeout" => made.timeout = Some(span(ctx, &value, &what)?),
            _ => {
                let at = pointer(ctx, text(ctx, &value, &what)?, &what)?;
                made.by = reply_by(ctx, &made.payload, at, &what)?;
            }
        }
        Ok(())
    })?;
    Ok(made)
}

/// Matches the reply whose value at this pointer equals the message's value there.
fn reply_by(ctx: &Ctx<'_>, payload: &Payload, at: String, what: &str) -> Result<ReplyBy> {
    let parsed: Option<serde_json::Value> = match payload {
        // Only the first document counts. The text after it, such as SignalR's 0x1e, is a terminator.
        Payload::Text(text) => {
            let mut documents = serde_json::Deserializer::from_str(text).into_iter();
            documents.next().and_then(serde_json::Result::ok)
        }
        Payload::Binary(_) => None,
    };
    match parsed.as_ref().and_then(|message| message.pointer(&at)) {
        Some(value) => Ok(ReplyBy::Id {
            value: value.to_string(),
            at,
        }),
        None => Err(type_error(
            ctx,
            &format!("{what}: the message has no value at {at:?}"),
        )),
    }
}

fn next<'js>(call: &Call<'_, 'js>, socket: Held, options: Value<'js>) -> Result<Promise<'js>> {
    let known = ["only", "timeout", "json"];
    await_next(call, &socket, &options, "socket.next(options)", &known)
}

/// Awaits a message of a socket, or an event of a stream. `what` is the call as messages name it.
pub(super) fn await_next<'js>(
    native: &Call<'_, 'js>,
    socket: &Held,
    options: &Value<'js>,
    what: &str,
    known: &[&str],
) -> Result<Promise<'js>> {
    let ctx = &native.ctx;
    let connection = native.state.work.borrow().connection_of(socket.id);
    let mut then = connection.map_or(Then::Plain, Then::Message);
    let mut call = NextCall::default();
    each(ctx, options, what, known, |key, value| {
        let what = format!("{what}: `{key}`");
        match key {
            "event" => call.event = Some(text(ctx, &value, &what)?),
            "only" => call.only = pointers(ctx, &value, &what)?,
            "timeout" => call.timeout = Some(span(ctx, &value, &what)?),
            _ if value.as_bool() == Some(true) => then = Then::Parsed,
            _ => then = Then::Plain,
        }
        Ok(())
    })?;
    begin(native, socket.who, then, |host, op| {
        host.next_message(op, socket.id, call)
    })
}

fn receives<'js>(
    call: &Call<'_, 'js>,
    socket: Held,
    channel: u32,
    options: Value<'js>,
) -> Result<u32> {
    follow(call, &socket, channel, &options, &IN_MESSAGES)
}

/// How the messages of a protocol can carry the stamps of a channel.
pub(super) struct Follows {
    /// The call, as messages name it.
    pub(super) call: &'static str,
    /// The options of the call.
    pub(super) known: &'static [&'static str],
    /// Whether each stamp is in a value of a named event, so that a byte offset has no meaning.
    pub(super) in_events: bool,
}

const IN_MESSAGES: Follows = Follows {
    call: "socket.receives(channel, options)",
    known: &["at", "only", "except", "keep"],
    in_events: false,
};

/// Makes a socket follow a channel.
pub(super) fn follow<'js>(
    native: &Call<'_, 'js>,
    socket: &Held,
    channel: u32,
    options: &Value<'js>,
    follows: &Follows,
) -> Result<u32> {
    let ctx = &native.ctx;
    let mut place = StampPlace::default();
    let Follows {
        call,
        known,
        in_events,
    } = *follows;
    each(ctx, options, call, known, |key, value| {
        let what = format!("{call}: `{key}`");
        if in_events && key == "at" {
            place.at = Some(value_at(ctx, &value, &what)?);
            return Ok(());
        }
        set_place(ctx, &mut place, (key, &value), &what)
    })?;
    if in_events && place.event.is_none() {
        return Err(type_error(ctx, &format!("{call}: `event` is missing")));
    }
    let channel = ChannelId(channel);
    let done = native.host().receives(socket.id, channel, place);
    native.or_throw(done)
}

/// Sets an option of the place at which a channel looks for its stamps.
pub(super) fn set_place<'js>(
    ctx: &Ctx<'js>,
    place: &mut StampPlace,
    (key, value): (&str, &Value<'js>),
    what: &str,
) -> Result<()> {
    match key {
        "at" => place.at = Some(stamp_at(ctx, value, what)?),
        "event" => place.event = Some(text(ctx, value, what)?),
        "keep" => place.keep = value.as_bool() == Some(true),
        "except" => place.except = pointers(ctx, value, what)?,
        _ => place.only = pointers(ctx, value, what)?,
    }
    Ok(())
}

fn stop_receiving(call: &Call<'_, '_>, key: u32, receiving: u32) {
    let work = call.state.work.borrow();
    let socket = work.sockets.get(key).map(|socket| socket.id);
    drop(work);
    if let Some(socket) = socket {
        call.host().stop_receiving(socket, receiving);
    }
}

/// Returns the last value of a channel.
fn last<'js>(call: &Call<'_, 'js>, socket: Held, channel: u32) -> Result<Value<'js>> {
    let last = call.host().last(socket.id, ChannelId(channel));
    match last.as_deref().map(serde_json::from_str::<String>) {
        Some(Ok(text)) => text.into_js(&call.ctx),
        _ => last.into_js(&call.ctx),
    }
}

/// Converts the location of a stamp: a JSON pointer, or a byte offset.
fn stamp_at<'js>(ctx: &Ctx<'js>, value: &Value<'js>, what: &str) -> Result<StampAt> {
    if value.is_number() {
        let byte = whole(ctx, value, what, (0, u32::MAX))?;
        return Ok(StampAt::Byte(byte as usize));
    }
    if !value.is_string() {
        let refusal = format!(
            "{what} must be a JSON pointer or a byte offset, not {}",
            kind(value)
        );
        return Err(type_error(ctx, &refusal));
    }
    value_at(ctx, value, what)
}

fn value_at<'js>(ctx: &Ctx<'js>, value: &Value<'js>, what: &str) -> Result<StampAt> {
    pointer(ctx, text(ctx, value, what)?, what).map(StampAt::Pointer)
}

fn listen<'js>(
    call: &Call<'_, 'js>,
    key: u32,
    event: String,
    function: Function<'js>,
) -> Result<()> {
    let function = Persistent::save(&call.ctx, function);
    let messages = event == "message";
    let added = add_handler(call, key, |socket| {
        let handlers = if messages {
            &mut socket.on_message
        } else {
            &mut socket.on_close
        };
        handlers.push(function);
        handlers.len()
    });
    if let (Some((id, 1)), true) = (added?, messages) {
        call.host().listen(id, true);
    }
    Ok(())
}

/// Adds a handler to a socket with `add`. Returns the socket's ID and what `add` returns. `None` if the socket is closed,
/// so that the handler would never be called.
pub(super) fn add_handler<T>(
    call: &Call<'_, '_>,
    key: u32,
    add: impl FnOnce(&mut Socket) -> T,
) -> Result<Option<(SocketId, T)>> {
    let mut work = call.state.work.borrow_mut();
    let Some(socket) = work.sockets.get_mut(key) else {
        drop(work);
        return Err(ended(&call.ctx));
    };
    if !socket.open {
        return Ok(None);
    }
    let (id, group) = (socket.id, socket.group);
    let added = add(socket);
    work.listening(group);
    Ok(Some((id, added)))
}

fn is_open(call: &Call<'_, '_>, key: u32) -> bool {
    let work = call.state.work.borrow();
    work.sockets.get(key).is_some_and(|socket| socket.open)
}

fn ping<'js>(call: &Call<'_, 'js>, socket: Held) -> Result<Promise<'js>> {
    let then = Then::Elapsed(call.state.host.borrow().now());
    begin(call, socket.who, then, |host, op| host.ping(op, socket.id))
}

fn close<'js>(
    call: &Call<'_, 'js>,
    socket: Held,
    code: Value<'js>,
    reason: Value<'js>,
) -> Result<Promise<'js>> {
    let what = "socket.close(code, reason)";
    let code = if code.is_undefined() {
        NORMAL
    } else {
        let what = format!("{what}: the code");
        u16::try_from(whole(&call.ctx, &code, &what, (1000, 4999))?).unwrap_or(NORMAL)
    };
    let reason = if reason.is_undefined() {
        String::new()
    } else {
        text(&call.ctx, &reason, &format!("{what}: the reason"))?
    };
    begin(call, socket.who, Then::Closing, |host, op| {
        host.close_socket(op, socket.id, code, &reason)
    })
}
