use script::host::{NatsMessage, Payload, RedisMessage, ServerEvent, SocketId, Value, Wake};

/// A message for the script: a message of a socket, a server-sent event, or a message of a NATS or Redis subscription.
#[derive(Debug)]
pub(crate) enum Received {
    Message(Payload),
    Event(ServerEvent),
    Nats(Box<NatsMessage>),
    Redis(RedisMessage),
}

impl Received {
    /// The message, in which filters look for values.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Message(payload) => payload.bytes(),
            Self::Event(event) => event.data.as_bytes(),
            Self::Nats(message) => message.payload.bytes(),
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
            Self::Nats(message) => Value::Nats(message),
            Self::Redis(message) => Value::RedisMessage(message),
        }
    }

    /// The call of the script's handlers on this socket.
    pub(crate) fn into_wake(self, socket: SocketId) -> Wake {
        match self {
            Self::Message(payload) => Wake::Message { socket, payload },
            Self::Event(event) => Wake::ServerEvent { socket, event },
            Self::Nats(message) => Wake::Nats { socket, message },
            Self::Redis(message) => Wake::RedisMessage { socket, message },
        }
    }
}
