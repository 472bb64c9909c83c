use model::Nanos;

use super::{EventsCall, NatsCall, Payload, RedisCall, SocketCall, StampPlace, SubscribeCall};

/// A passive audience of the scenario: receivers without a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AudienceSpec {
    /// Name in messages and reports.
    pub name: String,
    /// Number of members, on all workers together.
    pub members: u32,
    /// The channels whose messages the members receive.
    pub channels: Vec<AudienceChannel>,
}

/// A channel whose messages a passive audience receives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AudienceChannel {
    /// Name of the channel.
    pub name: String,
    /// How to find the channel's stamps.
    pub place: StampPlace,
    /// Later deliveries are late. `None` means the run's deadline.
    pub deadline: Option<Nanos>,
}

/// How a member of a passive audience connects.
#[derive(Clone, Debug)]
pub struct MemberCall {
    /// The connection.
    pub opening: MemberOpening,
    /// Messages to send as soon as the connection is open.
    pub first: Vec<Payload>,
    /// The member listens from the first message with these values on, as in [`StampPlace::only`]. If empty, it listens
    /// as soon as the connection is open.
    pub ready: Vec<(String, String)>,
}

/// The connection of a member of a passive audience.
#[derive(Clone, Debug)]
pub enum MemberOpening {
    /// A WebSocket.
    WebSocket(SocketCall),
    /// A stream of server-sent events.
    Events(EventsCall),
    /// A subscription on a NATS server.
    Nats {
        /// The connection.
        call: NatsCall,
        /// The subject, which can contain wildcards.
        subject: String,
    },
    /// A subscription on a Redis server.
    Redis {
        /// The connection.
        call: RedisCall,
        /// The channels or patterns.
        subscribe: SubscribeCall,
    },
}
