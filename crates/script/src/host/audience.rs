use model::Nanos;

use super::{Payload, SocketCall, StampPlace};

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
    /// Messages to send as soon as the connection is open. Those of Socket.IO are events: JSON lists of the name and the
    /// arguments.
    pub first: Vec<Payload>,
    /// The member listens from the first message with these values on, as in [`StampPlace::only`]. If empty, it listens
    /// as soon as the connection is open.
    pub ready: Vec<(String, String)>,
    /// The name of the event that has these values; `None` for any message. The member then waits for this event even if
    /// `ready` is empty.
    pub ready_event: Option<String>,
}

macro_rules! define_opening {
    ($(
        $(#[$doc:meta])*
        $module:ident: $name:ident($host:ident, $member:ident) $(message $message:ident($content:ty))?
            prelude [$($path:literal = $source:expr),*],
    )*) => {
        /// The connection of a member of a passive audience.
        #[derive(Clone, Debug)]
        pub enum MemberOpening {
            /// A WebSocket.
            WebSocket(SocketCall),
            $($(#[$doc])* $name(super::$member),)*
        }

        impl From<SocketCall> for MemberOpening {
            fn from(call: SocketCall) -> Self {
                Self::WebSocket(call)
            }
        }

        $(impl From<super::$member> for MemberOpening {
            fn from(call: super::$member) -> Self {
                Self::$name(call)
            }
        })*
    };
}
with_protocols!(define_opening);
