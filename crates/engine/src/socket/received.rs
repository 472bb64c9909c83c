use script::host::{Payload, RedisMessage, ServerEvent, SocketId, Value, Wake};

/// A message for the script: a message of a socket, a server-sent event, or a message of a Redis subscription.
#[derive(Debug)]
pub(crate) enum Received {
    Message(Payload),
    Event(ServerEvent),
    Redis(RedisMessage),
}

impl Received {
    /// The message, in which filters look for values.
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Message(Payload::Text(text)) => text.as_bytes(),
            Self::Message(Payload::Binary(bytes)) => bytes,
            Self::Event(event) => event.data.as_bytes(),
            Self::Redis(message) => &message.payload,
        }
    }

    /// Whether this is a server-sent event of this name.
    pub(super) fn is_event(&self, name: &str) -> bool {
        matches!(self, Self::Event(event) if event.event == name)
    }

    /// The value for an operation that awaited the message.
    pub(crate) fn into_value(self) -> Value {
        match self {
            Self::Message(payload) => Value::Message(payload),
            Self::Event(event) => Value::ServerEvent(event),
            Self::Redis(message) => Value::RedisMessage(message),
        }
    }

    /// The call of the script's handlers on this socket.
    pub(crate) fn into_wake(self, socket: SocketId) -> Wake {
        match self {
            Self::Message(payload) => Wake::Message { socket, payload },
            Self::Event(event) => Wake::ServerEvent { socket, event },
            Self::Redis(message) => Wake::RedisMessage { socket, message },
        }
    }
}
