//! Converts messages of NATS to script values.

use rquickjs::{Ctx, Error, Result, Value};

use crate::host::NatsMessage;
use crate::payload::payload_value;
use crate::state::State;

/// Converts a message that arrived on the connection with this key.
pub(crate) fn message_object<'js>(
    ctx: &Ctx<'js>,
    state: &State,
    connection: Option<u32>,
    message: &NatsMessage,
) -> Result<Value<'js>> {
    let connection = connection.ok_or(Error::Unknown)?;
    let make = state.constructor("makeNatsMessage")?.restore(ctx)?;
    let payload = payload_value(ctx, &message.payload)?;
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
