use super::{NatsMessage, Payload, RedisMessage, ServerEvent};

/// A message that a socket received.
#[derive(Clone, Debug)]
pub enum Message {
    /// A string or an `ArrayBuffer`.
    Plain(Payload),
    /// A server-sent event.
    Event(ServerEvent),
    /// A message of NATS.
    Nats(Box<NatsMessage>),
    /// A message of a Redis subscription.
    Redis(RedisMessage),
}

impl Message {
    /// Returns the content, in which filters look for values.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Plain(payload) => payload.bytes(),
            Self::Event(event) => event.data.as_bytes(),
            Self::Nats(message) => message.payload.bytes(),
            Self::Redis(message) => &message.payload,
        }
    }

    /// Returns whether this is a server-sent event of this name.
    #[must_use]
    pub fn is_event(&self, name: &str) -> bool {
        matches!(self, Self::Event(event) if event.event == name)
    }
}
