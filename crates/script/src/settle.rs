//! Settles promises with results of the engine, converted to script values.

use std::rc::Rc;
use std::sync::Arc;

use model::{Fault, FaultKind};
use rquickjs::{ArrayBuffer, Ctx, IntoJs, Result, String as JsString, Undefined, Value};

use crate::api::Response;
use crate::failure::{error_of, failure};
use crate::host::{Heard, NatsMessage, Payload, ServerEvent, SocketId, Value as HostValue};
use crate::redis;
use crate::state::State;
use crate::work::{Op, Socket, Then};

/// Resolves or rejects the promise of an operation.
pub(crate) fn settle(
    ctx: &Ctx<'_>,
    state: &Rc<State>,
    op: Op,
    result: std::result::Result<HostValue, Fault>,
) -> Result<()> {
    let settled = match result {
        Ok(value) => value_of(ctx, state, &op, value),
        Err(fault) => {
            let entry = state.entry().ok_or(rquickjs::Error::Unknown)?;
            let error = error_of(ctx, &entry.rejection, &fault)?;
            return op.reject.restore(ctx)?.call((error,));
        }
    };
    match settled {
        Ok(value) => op.resolve.restore(ctx)?.call((value,)),
        Err(error) if error.is_exception() => op.reject.restore(ctx)?.call((ctx.catch(),)),
        Err(error) => Err(error),
    }
}

fn value_of<'js>(
    ctx: &Ctx<'js>,
    state: &Rc<State>,
    op: &Op,
    value: HostValue,
) -> Result<Value<'js>> {
    match value {
        HostValue::Nothing => match &op.then {
            Then::Elapsed(since) => (state.host.borrow().now() - *since)
                .as_millis_f64()
                .into_js(ctx),
            _ => Undefined.into_js(ctx),
        },
        HostValue::Response(reply) => Response::object(ctx, reply),
        HostValue::Socket(id, subprotocol) => socket_object(ctx, state, op, id, subprotocol),
        HostValue::Message(Payload::Text(text)) if op.then == Then::Parsed => {
            parse_received(ctx, state, text)
        }
        HostValue::Message(payload) => message_value(ctx, &payload),
        HostValue::ServerEvent(event) => event_object(ctx, state, &event),
        HostValue::Nats(message) => match op.then {
            Then::Message(connection) => nats_message(ctx, state, connection, &message),
            _ => Err(rquickjs::Error::Unknown),
        },
        HostValue::NatsMessages(messages) => match op.then {
            Then::Message(connection) => {
                let each = messages.iter();
                let each = each.map(|message| nats_message(ctx, state, connection, message));
                each.collect::<Result<Vec<_>>>()?.into_js(ctx)
            }
            _ => Err(rquickjs::Error::Unknown),
        },
        HostValue::Redis(value) => redis::value(ctx, state, &value, op.then == Then::RedisBinary),
        HostValue::RedisError(error) => Err(ctx.throw(redis::error_object(ctx, state, &error)?)),
        HostValue::RedisMessage(message) => redis::message_object(ctx, state, &message),
        HostValue::Heard(heard) => {
            let entry = state.entry().ok_or(rquickjs::Error::Unknown)?;
            let (list, bytes) = heard_values(ctx, state, &heard)?;
            entry.heard.clone().restore(ctx)?.call((list, bytes))
        }
    }
}

/// Converts the arguments of an event to a list, and to the bytes for the list's placeholders.
pub(crate) fn heard_values<'js>(
    ctx: &Ctx<'js>,
    state: &State,
    heard: &Heard,
) -> Result<(Value<'js>, Option<Vec<ArrayBuffer<'js>>>)> {
    let list = parse_received(ctx, state, heard.arguments.as_str())?;
    let bytes = heard.attachments.iter();
    let bytes = bytes.map(|bytes| ArrayBuffer::new_copy(ctx.clone(), bytes));
    let bytes: Vec<_> = bytes.collect::<Result<_>>()?;
    Ok((list, (!bytes.is_empty()).then_some(bytes)))
}

/// Parses JSON that the protocol requires, or that the script expects in a message. Invalid JSON, which includes too
/// deeply nested JSON, is a failure of the target. Running out of memory remains a failure of the script.
fn parse_received<'js>(
    ctx: &Ctx<'js>,
    state: &State,
    text: impl Into<Vec<u8>>,
) -> Result<Value<'js>> {
    let error = match ctx.json_parse(text) {
        Err(error) if error.is_exception() => error,
        parsed => return parsed,
    };
    let thrown = ctx.catch();
    let why = thrown
        .as_object()
        .and_then(|thrown| thrown.get::<_, String>("message").ok());
    let Some(why) = why.filter(|why| !why.contains("out of memory")) else {
        ctx.throw(thrown);
        return Err(error);
    };
    let detail = format!("the target sent JSON that cannot be parsed: {why}");
    let fault = Fault::target(FaultKind::Protocol, detail);
    Err(ctx.throw(failure(ctx, state, &fault)?))
}

pub(crate) fn message_value<'js>(ctx: &Ctx<'js>, payload: &Payload) -> Result<Value<'js>> {
    match payload {
        Payload::Text(text) => JsString::from_str(ctx.clone(), text).map(JsString::into_value),
        Payload::Binary(bytes) => {
            ArrayBuffer::new_copy(ctx.clone(), bytes).map(ArrayBuffer::into_value)
        }
    }
}

/// Converts a server-sent event to its script object.
pub(crate) fn event_object<'js>(
    ctx: &Ctx<'js>,
    state: &State,
    event: &ServerEvent,
) -> Result<Value<'js>> {
    let entry = state.entry().ok_or(rquickjs::Error::Unknown)?;
    let ServerEvent { event, id, data } = event;
    let make = entry.server_event.clone().restore(ctx)?;
    make.call((event.as_str(), id.as_str(), data.as_str()))
}

/// Converts a message of the NATS connection with this key to its script object.
pub(crate) fn nats_message<'js>(
    ctx: &Ctx<'js>,
    state: &State,
    connection: u32,
    message: &NatsMessage,
) -> Result<Value<'js>> {
    let entry = state.entry().ok_or(rquickjs::Error::Unknown)?;
    let make = entry.nats_message.clone().restore(ctx)?;
    let payload = message_value(ctx, &message.payload)?;
    let headers: Vec<_> = message
        .headers
        .iter()
        .map(|(name, value)| vec![name, value])
        .collect();
    let (subject, reply) = (message.subject.as_str(), message.reply.as_deref());
    let status = message
        .status
        .as_ref()
        .map(|(code, text)| (*code, text.as_str()));
    let (code, description) = status.unzip();
    make.call((
        connection,
        subject,
        reply,
        payload,
        headers,
        code,
        description,
    ))
}

fn socket_object<'js>(
    ctx: &Ctx<'js>,
    state: &Rc<State>,
    op: &Op,
    id: SocketId,
    subprotocol: Option<String>,
) -> Result<Value<'js>> {
    let entry = state.entry().ok_or(rquickjs::Error::Unknown)?;
    let (name, make) = match &op.then {
        Then::SocketIo(name) => (Arc::clone(name), &entry.socketio),
        Then::Events(name) => (Arc::clone(name), &entry.events),
        Then::Nats(name) => (Arc::clone(name), &entry.nats),
        Then::Subscription(_) => (Arc::from(""), &entry.subscription),
        Then::Socket(name) => (Arc::clone(name), &entry.socket),
        Then::Redis => (Arc::from(""), &entry.redis),
        Then::RedisSubscription => (Arc::from(""), &entry.redis_subscription),
        _ => (Arc::from(""), &entry.socket),
    };
    let socket = Socket {
        id,
        group: op.group,
        user: op.user,
        name,
        open: true,
        connection: match op.then {
            Then::Subscription(connection) => Some(connection),
            _ => None,
        },
        on_message: Vec::new(),
        on_close: Vec::new(),
        on_event: Vec::new(),
    };
    let key = state
        .work
        .borrow_mut()
        .add_socket(socket)
        .ok_or(rquickjs::Error::Allocation)?;
    make.clone().restore(ctx)?.call((key, subprotocol))
}
