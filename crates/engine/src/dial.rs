use model::{Nanos, UserId};
use wire::websocket::Handshake;

use crate::http::InFlight;
use crate::net::EndpointIndex;
use crate::socket::SocketState;

/// A connection that waits to be opened.
#[derive(Debug)]
pub(crate) enum Dial {
    Http(Box<InFlight>),
    Socket(Box<SocketDial>),
}

/// A WebSocket that waits to be opened.
#[derive(Debug)]
pub(crate) struct SocketDial {
    pub(crate) user: UserId,
    /// The user's iteration. If the iteration ends before the socket is opened, the socket is not needed.
    pub(crate) epoch: u32,
    pub(crate) endpoint: EndpointIndex,
    pub(crate) handshake: Handshake,
    pub(crate) seed: u64,
    pub(crate) state: SocketState,
}

impl Dial {
    pub(crate) fn user(&self) -> UserId {
        match self {
            Self::Http(flight) => flight.context.user,
            Self::Socket(dial) => dial.user,
        }
    }

    /// The time at which the connection was requested.
    pub(crate) fn asked(&self) -> Nanos {
        match self {
            Self::Http(flight) => flight.started,
            Self::Socket(dial) => dial.state.opening.map_or(Nanos::ZERO, |it| it.asked),
        }
    }

    /// The time limit of a request. A socket has none here, because its time limit begins when it leaves the queue.
    pub(crate) fn limit(&self) -> Nanos {
        match self {
            Self::Http(flight) => flight.limit(),
            Self::Socket(_) => Nanos::MAX,
        }
    }
}
