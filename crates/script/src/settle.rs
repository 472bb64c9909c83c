//! Settles promises with results of the engine, converted to script values.

use std::rc::Rc;
use std::sync::Arc;

use model::{Fault, FaultKind};
use rquickjs::{ArrayBuffer, Ctx, IntoJs, Result, Undefined, Value};

use crate::api::Response;
use crate::failure::{error_of, failure};
use crate::host::{Heard, Message, Payload, SocketId, Value as HostValue};
use crate::message::{Origin, message_value};
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
    let origin = Origin::of(&op.then);
    match value {
        HostValue::Nothing => match &op.then {
            Then::Elapsed(since) => (state.host.borrow().now() - *since)
                .as_millis_f64()
                .into_js(ctx),
            _ => Undefined.into_js(ctx),
        },
        HostValue::Response(reply) => Response::object(ctx, reply),
        HostValue::Socket(id, subprotocol) => socket_object(ctx, state, op, id, subprotocol),
        HostValue::Message(Message::Plain(Payload::Text(text))) if op.then == Then::Parsed => {
            parse_received(ctx, state, text)
        }
        HostValue::Message(message) => message_value(ctx, state, origin, &message),
        HostValue::Messages(messages) => {
            let each = messages.iter();
            let each = each.map(|message| message_value(ctx, state, origin, message));
            each.collect::<Result<Vec<_>>>()?.into_js(ctx)
        }
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

fn socket_object<'js>(
    ctx: &Ctx<'js>,
    state: &State,
    op: &Op,
    id: SocketId,
    subprotocol: Option<String>,
) -> Result<Value<'js>> {
    let Then::Socket {
        constructor,
        name,
        connection,
    } = &op.then
    else {
        return Err(rquickjs::Error::Unknown);
    };
    let make = state.constructor(constructor)?.restore(ctx)?;
    let socket = Socket {
        id,
        group: op.group,
        user: op.user,
        name: Arc::clone(name),
        open: true,
        connection: *connection,
        on_message: Vec::new(),
        on_close: Vec::new(),
        on_event: Vec::new(),
    };
    let key = state
        .work
        .borrow_mut()
        .add_socket(socket)
        .ok_or(rquickjs::Error::Allocation)?;
    make.call((key, subprotocol))
}
