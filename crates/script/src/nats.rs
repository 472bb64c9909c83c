//! Converts messages of NATS to script values.

use rquickjs::{Ctx, Error, Result, Value};

use crate::host::NatsMessage;
use crate::message::{Origin, ScriptMessage};
use crate::payload::payload_value;
use crate::state::State;

impl ScriptMessage for NatsMessage {
    fn to_script<'js>(&self, ctx: &Ctx<'js>, state: &State, origin: Origin) -> Result<Value<'js>> {
        let connection = origin.connection.ok_or(Error::Unknown)?;
        let make = state.constructor("makeNatsMessage")?.restore(ctx)?;
        let payload = payload_value(ctx, &self.payload)?;
        let headers: Vec<_> = self
            .headers
            .iter()
            .map(|(name, value)| vec![name, value])
            .collect();
        let (subject, reply) = (self.subject.as_str(), self.reply.as_deref());
        let status = self
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
}
