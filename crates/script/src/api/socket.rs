//! `WebSocket`s, and calls shared with Socket.IO.

use std::rc::Rc;
use std::sync::Arc;

use model::Nanos;
use rquickjs::{Ctx, Function, IntoJs, Persistent, Promise, Result, Value};

use super::Natives;
use super::arg::{ended, kind, span, text, throw, type_error, whole};
use super::op::begin;
use super::options::{each, pointer, pointers};
use super::payload::message;
use crate::host::{ChannelId, Payload, ReplyBy, RoundTripCall, SocketId, StampAt, StampPlace};
use crate::state::State;
use crate::work::Then;

/// WebSocket close code for a normal closure.
const NORMAL: u16 = 1000;

/// Returns a socket's ID, and the keys of its group and user, if its iteration has not ended.
pub(super) fn held(ctx: &Ctx<'_>, state: &State, key: u32) -> Result<(SocketId, (u32, u32))> {
    let work = state.work.borrow();
    let socket = work
        .sockets
        .get(key)
        .map(|socket| (socket.id, (socket.group, socket.user)));
    socket.ok_or_else(|| ended(ctx))
}

pub(super) fn install(natives: &Natives<'_>) -> Result<()> {
    sending(natives)?;
    receiving(natives)?;
    received(natives)?;
    listening(natives)?;
    ending(natives)
}

fn sending<'js>(natives: &Natives<'js>) -> Result<()> {
    let state = natives.state.clone();
    natives.add(
        "send",
        move |ctx: Ctx<'js>, key: u32, value: Value<'js>| -> Result<()> {
            let (socket, _) = held(&ctx, &state, key)?;
            let payload = message(&ctx, &value, "socket.send(message): the message")?;
            let sent = state
                .host
                .borrow_mut()
                .send(socket, payload, state.now.planned.get());
            sent.map_err(|fault| throw(&ctx, &state, &fault))
        },
    )?;
    let state = natives.state.clone();
    natives.add(
        "roundTrip",
        move |ctx: Ctx<'js>,
              key: u32,
              value: Value<'js>,
              options: Value<'js>|
              -> Result<Promise<'js>> {
            let (socket, who) = held(&ctx, &state, key)?;
            let call = round_trip_call(&ctx, &state, key, &value, &options)?;
            let then = if sent_as_json(&value) {
                Then::Parsed
            } else {
                Then::Plain
            };
            begin(&ctx, &state, who, then, |host, op| {
                host.round_trip(op, socket, call)
            })
        },
    )
}

/// Whether the message is sent as JSON. Its reply is then parsed as JSON.
fn sent_as_json(value: &Value<'_>) -> bool {
    value.is_object() && super::payload::bytes(value).is_none()
}

fn round_trip_call<'js>(
    ctx: &Ctx<'js>,
    state: &Rc<State>,
    key: u32,
    value: &Value<'js>,
    options: &Value<'js>,
) -> Result<RoundTripCall> {
    let call = "socket.request(message, options)";
    let payload = message(ctx, value, "socket.request(message): the message")?;
    let name = state
        .work
        .borrow()
        .sockets
        .get(key)
        .map(|socket| Arc::clone(&socket.name));
    let mut made = RoundTripCall {
        name: name.unwrap_or_else(|| Arc::from("")),
        payload,
        by: ReplyBy::FirstInFirstOut,
        only: Vec::new(),
        timeout: None,
        planned: state.now.planned.get(),
    };
    each(
        ctx,
        options,
        call,
        &["name", "by", "only", "timeout"],
        |key, value| {
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
        },
    )?;
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

fn receiving<'js>(natives: &Natives<'js>) -> Result<()> {
    let state = natives.state.clone();
    natives.add(
        "next",
        move |ctx: Ctx<'js>, key: u32, options: Value<'js>| -> Result<Promise<'js>> {
            let (socket, who) = held(&ctx, &state, key)?;
            let (mut only, mut timeout, mut then) = (Vec::new(), None::<Nanos>, Then::Plain);
            let call = "socket.next(options)";
            each(
                &ctx,
                &options,
                call,
                &["only", "timeout", "json"],
                |key, value| {
                    let what = format!("{call}: `{key}`");
                    match key {
                        "only" => only = pointers(&ctx, &value, &what)?,
                        "timeout" => timeout = Some(span(&ctx, &value, &what)?),
                        _ if value.as_bool() == Some(true) => then = Then::Parsed,
                        _ => then = Then::Plain,
                    }
                    Ok(())
                },
            )?;
            begin(&ctx, &state, who, then, |host, op| {
                host.next_message(op, socket, only, timeout)
            })
        },
    )?;
    channels(natives, "receives", &["at", "only", "except", "keep"])
}

/// Registers the call that makes a socket follow a channel, under this name and with these options.
pub(super) fn channels<'js>(
    natives: &Natives<'js>,
    name: &str,
    known: &'static [&'static str],
) -> Result<()> {
    let state = natives.state.clone();
    natives.add(
        name,
        move |ctx: Ctx<'js>, key: u32, channel: u32, options: Value<'js>| -> Result<u32> {
            let (socket, _) = held(&ctx, &state, key)?;
            let mut place = StampPlace::default();
            let call = "socket.receives(channel, options)";
            let of_event = known.contains(&"event");
            each(&ctx, &options, call, known, |key, value| {
                let what = format!("{call}: `{key}`");
                match key {
                    "at" if of_event => place.at = Some(value_at(&ctx, &value, &what)?),
                    "at" => place.at = Some(stamp_at(&ctx, &value, &what)?),
                    "event" => place.event = Some(text(&ctx, &value, &what)?),
                    "keep" => place.keep = value.as_bool() == Some(true),
                    "except" => place.except = pointers(&ctx, &value, &what)?,
                    _ => place.only = pointers(&ctx, &value, &what)?,
                }
                Ok(())
            })?;
            if of_event && place.event.is_none() {
                return Err(type_error(&ctx, &format!("{call}: `event` is missing")));
            }
            let channel = ChannelId(channel);
            let done = state.host.borrow_mut().receives(socket, channel, place);
            done.map_err(|fault| throw(&ctx, &state, &fault))
        },
    )
}

/// Registers the calls that read a channel's last value, and that stop following a channel.
fn received<'js>(natives: &Natives<'js>) -> Result<()> {
    let state = natives.state.clone();
    natives.add("stopReceiving", move |key: u32, receiving: u32| {
        let socket = state.work.borrow().sockets.get(key).map(|socket| socket.id);
        if let Some(socket) = socket {
            state.host.borrow_mut().stop_receiving(socket, receiving);
        }
    })?;
    let state = natives.state.clone();
    natives.add(
        "last",
        move |ctx: Ctx<'js>, key: u32, channel: u32| -> Result<Value<'js>> {
            let (socket, _) = held(&ctx, &state, key)?;
            let last = state.host.borrow_mut().last(socket, ChannelId(channel));
            match last.as_deref().map(serde_json::from_str::<String>) {
                Some(Ok(text)) => text.into_js(&ctx),
                _ => last.into_js(&ctx),
            }
        },
    )
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

fn listening<'js>(natives: &Natives<'js>) -> Result<()> {
    let state = natives.state.clone();
    natives.add(
        "listen",
        move |ctx: Ctx<'js>, key: u32, event: String, function: Function<'js>| -> Result<()> {
            let function = Persistent::save(&ctx, function);
            let mut work = state.work.borrow_mut();
            let Some(socket) = work.sockets.get_mut(key) else {
                drop(work);
                return Err(ended(&ctx));
            };
            if !socket.open {
                return Ok(());
            }
            let (id, group) = (socket.id, socket.group);
            let messages = event == "message";
            let handlers = if messages {
                &mut socket.on_message
            } else {
                &mut socket.on_close
            };
            handlers.push(function);
            let first = handlers.len() == 1;
            work.listening(group);
            drop(work);
            if messages && first {
                state.host.borrow_mut().listen(id, true);
            }
            Ok(())
        },
    )
}

fn ending<'js>(natives: &Natives<'js>) -> Result<()> {
    let state = natives.state.clone();
    natives.add("isOpen", move |key: u32| {
        state
            .work
            .borrow()
            .sockets
            .get(key)
            .is_some_and(|socket| socket.open)
    })?;
    let state = natives.state.clone();
    natives.add(
        "ping",
        move |ctx: Ctx<'js>, key: u32| -> Result<Promise<'js>> {
            let (socket, who) = held(&ctx, &state, key)?;
            let then = Then::Elapsed(state.host.borrow().now());
            begin(&ctx, &state, who, then, |host, op| host.ping(op, socket))
        },
    )?;
    let state = natives.state.clone();
    natives.add(
        "closeSocket",
        move |ctx: Ctx<'js>,
              key: u32,
              code: Value<'js>,
              reason: Value<'js>|
              -> Result<Promise<'js>> {
            let (socket, who) = held(&ctx, &state, key)?;
            let what = "socket.close(code, reason)";
            let code = if code.is_undefined() {
                NORMAL
            } else {
                u16::try_from(whole(
                    &ctx,
                    &code,
                    &format!("{what}: the code"),
                    (1000, 4999),
                )?)
                .unwrap_or(NORMAL)
            };
            let reason = if reason.is_undefined() {
                String::new()
            } else {
                text(&ctx, &reason, &format!("{what}: the reason"))?
            };
            begin(&ctx, &state, who, Then::Closing, |host, op| {
                host.close_socket(op, socket, code, &reason)
            })
        },
    )
}
