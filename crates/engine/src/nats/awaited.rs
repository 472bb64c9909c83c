use script::host::Message;

use crate::net::socket::Wire;
use crate::net::socket::nats::NatsWire;
use crate::socket::{Awaited, Awaits};

/// What the script awaits from a server.
#[derive(Debug)]
pub(crate) enum Expected {
    /// The reply to the request with this number.
    Reply {
        number: u64,
        /// Whether JetStream replies, so that the reply can be an error.
        is_jetstream: bool,
    },
    /// Messages of a JetStream consumer, of which these have arrived.
    Messages {
        missing: u64,
        messages: Vec<Message>,
    },
}

impl Awaited for Expected {
    /// The reply is late from now on.
    fn expire(&self, wire: &mut Wire) {
        if let Self::Reply { number, .. } = self
            && let Wire::Nats(nats) = wire
            && let Some(inbox) = nats.inbox_mut()
        {
            inbox.expire(*number);
        }
    }
}

impl Awaits for NatsWire {
    type Awaited = Expected;
}
