//! Converts messages of sockets to script values.

use rquickjs::{Ctx, Result, Value};

use crate::host::{Message, ServerEvent};
use crate::payload::payload_value;
use crate::state::State;
use crate::{nats, redis};

/// Converts a message. `connection` is the key of the connection that carries its socket, if there is one.
pub(crate) fn message_value<'js>(
    ctx: &Ctx<'js>,
    state: &State,
    connection: Option<u32>,
    message: &Message,
) -> Result<Value<'js>> {
    match message {
        Message::Plain(payload) => payload_value(ctx, payload),
        Message::Event(event) => event_object(ctx, state, event),
        Message::Nats(message) => nats::message_object(ctx, state, connection, message),
        Message::Redis(message) => redis::message_object(ctx, state, message),
    }
}

fn event_object<'js>(ctx: &Ctx<'js>, state: &State, event: &ServerEvent) -> Result<Value<'js>> {
    let ServerEvent { event, id, data } = event;
    let make = state.constructor("makeServerEvent")?.restore(ctx)?;
    make.call((event.as_str(), id.as_str(), data.as_str()))
}
