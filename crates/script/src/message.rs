//! Converts messages of sockets to script values.

use rquickjs::{Ctx, Result, Value};

use crate::host::{Message, ServerEvent};
use crate::payload::payload_value;
use crate::state::State;
use crate::work::Then;

/// What decides how a message becomes a script value.
#[derive(Clone, Copy, Default)]
pub(crate) struct Origin {
    /// The key of the connection that carries the socket of the message, if there is one.
    pub(crate) connection: Option<u32>,
    /// Whether every string becomes an `ArrayBuffer`, instead of only those that are not UTF-8.
    pub(crate) is_binary: bool,
}

impl Origin {
    /// The message that completes an operation.
    pub(crate) fn of(then: &Then) -> Self {
        Self {
            connection: match then {
                Then::Message(connection) => Some(*connection),
                _ => None,
            },
            is_binary: *then == Then::Binary,
        }
    }
}

/// A message of a protocol.
pub(crate) trait ScriptMessage {
    fn to_script<'js>(&self, ctx: &Ctx<'js>, state: &State, origin: Origin) -> Result<Value<'js>>;
}

macro_rules! define_message_value {
    ($(
        $(#[$doc:meta])*
        $module:ident: $name:ident($host:ident, $member:ident) $(message $message:ident($content:ty))?
            prelude [$($path:literal = $source:expr),*],
    )*) => {
        /// Converts a message.
        pub(crate) fn message_value<'js>(
            ctx: &Ctx<'js>,
            state: &State,
            origin: Origin,
            message: &Message,
        ) -> Result<Value<'js>> {
            match message {
                Message::Plain(payload) => payload_value(ctx, payload),
                $($(Message::$message(message) => message.to_script(ctx, state, origin),)?)*
            }
        }
    };
}
with_protocols!(define_message_value);

impl ScriptMessage for ServerEvent {
    fn to_script<'js>(&self, ctx: &Ctx<'js>, state: &State, _: Origin) -> Result<Value<'js>> {
        let Self { event, id, data } = self;
        let make = state.constructor("makeServerEvent")?.restore(ctx)?;
        make.call((event.as_str(), id.as_str(), data.as_str()))
    }
}
