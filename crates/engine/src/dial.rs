use model::{Fault, Nanos, UserId};
use wire::websocket::{Connection, Handshake};
use wire::{Stream, nats, resp};

use crate::audience::MemberState;
use crate::http::InFlight;
use crate::net::EndpointIndex;
use crate::net::socket::{Detachable, EventStream, NatsLink, NatsWire, Redis, RedisWire, Wire};
use crate::owner::MemberId;
use crate::socket::SocketState;

/// A connection that waits to be opened.
#[derive(Debug)]
pub(crate) enum Dial {
    Http(Box<InFlight>),
    Socket(Box<SocketDial>),
    Reconnect(Reconnect),
    Member(Box<MemberDial>),
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

/// A member of a passive audience that waits to be connected.
#[derive(Debug)]
pub(crate) struct MemberDial {
    pub(crate) member: MemberId,
    pub(crate) endpoint: EndpointIndex,
    pub(crate) opener: Opener,
    pub(crate) state: MemberState,
    /// The member's number among all users and members, which determines its source address.
    pub(crate) number: u32,
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

impl Opener {
    /// Sends the opening request on a connection that is being opened. `cookies` are sent with a request for server-sent
    /// events; the request for a WebSocket already has them.
    pub(crate) fn open_on(
        self,
        stream: Stream,
        max_message: usize,
        cookies: Option<&str>,
    ) -> Result<Wire, Fault> {
        match self {
            Self::WebSocket { handshake, seed } => {
                let opened = Connection::with_message_limit(stream, handshake, seed, max_message);
                opened.map(Wire::WebSocket)
            }
            Self::Events(mut events) => {
                events.connect(stream, cookies)?;
                Ok(Wire::Events(events))
            }
            Self::Nats(login) => {
                let connection = nats::Connection::new(stream, *login, max_message);
                Ok(Wire::Nats(NatsWire::Connection(Box::new(NatsLink::new(
                    connection,
                )))))
            }
            Self::Redis(login) => {
                let redis = Redis::open(stream, &login, max_message)?;
                Ok(Wire::Redis(RedisWire::Connection(Detachable::new(redis))))
            }
        }
    }
}

impl Dial {
    /// The user who needs the connection; `None` for a member of a passive audience.
    pub(crate) fn user(&self) -> Option<UserId> {
        match self {
            Self::Http(flight) => Some(flight.context.user),
            Self::Socket(dial) => Some(dial.user),
            Self::Reconnect(dial) => Some(dial.user),
            Self::Member(_) => None,
        }
    }

    /// The time at which the connection was requested.
    pub(crate) fn asked(&self) -> Nanos {
        match self {
            Self::Http(flight) => flight.started,
            Self::Socket(dial) => dial.state.opening.map_or(Nanos::ZERO, |it| it.asked),
            Self::Reconnect(dial) => dial.asked,
            // Members connect before the level starts, where no start is measured.
            Self::Member(_) => Nanos::ZERO,
        }
    }

    /// The time limit of a request. A socket has none here, because its time limit begins when it leaves the queue. The
    /// connection table has the time limit of a stream that reconnects.
    pub(crate) fn limit(&self) -> Nanos {
        match self {
            Self::Http(flight) => flight.limit(),
            Self::Socket(_) | Self::Reconnect(_) | Self::Member(_) => Nanos::MAX,
        }
    }
}
