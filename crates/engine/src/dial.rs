use model::{Nanos, UserId};
use wire::websocket::Handshake;
use wire::{nats, resp};

use crate::http::InFlight;
use crate::net::EndpointIndex;
use crate::net::socket::EventStream;
use crate::socket::SocketState;

/// A connection that waits to be opened.
#[derive(Debug)]
pub(crate) enum Dial {
    Http(Box<InFlight>),
    Socket(Box<SocketDial>),
    Reconnect(Reconnect),
}

/// A WebSocket, a stream of server-sent events, or a connection to a NATS or Redis server that waits to be opened.
#[derive(Debug)]
pub(crate) struct SocketDial {
    pub(crate) user: UserId,
    /// The user's iteration. If the iteration ends before the socket is opened, the socket is not needed.
    pub(crate) epoch: u32,
    pub(crate) endpoint: EndpointIndex,
    pub(crate) opener: Opener,
    pub(crate) state: SocketState,
}

/// How a socket is opened on its connection.
#[derive(Debug)]
pub(crate) enum Opener {
    WebSocket {
        handshake: Handshake,
        /// Seeds the masks of the frames.
        seed: u64,
    },
    Events(Box<EventStream>),
    Nats(Box<nats::Login>),
    Redis(Box<resp::Login>),
}

/// A stream of server-sent events that waits for its next connection. The stream itself is in the connection table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reconnect {
    pub(crate) user: UserId,
    pub(crate) key: u32,
    pub(crate) asked: Nanos,
}

impl Dial {
    pub(crate) fn user(&self) -> UserId {
        match self {
            Self::Http(flight) => flight.context.user,
            Self::Socket(dial) => dial.user,
            Self::Reconnect(dial) => dial.user,
        }
    }

    /// The time at which the connection was requested.
    pub(crate) fn asked(&self) -> Nanos {
        match self {
            Self::Http(flight) => flight.started,
            Self::Socket(dial) => dial.state.opening.map_or(Nanos::ZERO, |it| it.asked),
            Self::Reconnect(dial) => dial.asked,
        }
    }

    /// The time limit of a request. A socket has none here, because its time limit begins when it leaves the queue. The
    /// connection table has the time limit of a stream that reconnects.
    pub(crate) fn limit(&self) -> Nanos {
        match self {
            Self::Http(flight) => flight.limit(),
            Self::Socket(_) | Self::Reconnect(_) => Nanos::MAX,
        }
    }
}
