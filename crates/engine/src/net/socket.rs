//! The transport of a socket's messages: a WebSocket, the requests of a Socket.IO session that has none yet, a stream of
//! server-sent events, or a connection to a NATS or Redis server with the subscriptions on it.

mod detachable;
mod events;
mod nats;
mod polling;
mod redis;

use std::collections::VecDeque;

use model::{Fault, FaultKind, Nanos};
use wire::http2::Content;
use wire::socketio::Part;
use wire::websocket::Connection;
use wire::{Stream, resp, sse, websocket};

pub(crate) use detachable::Detachable;
pub(crate) use events::EventStream;
pub(crate) use nats::{
    Inbox, NatsLink, NatsSubscription, NatsWire, Pong, Pulls, SharedNats, end_of_pull,
};
pub(crate) use polling::{Carrier, Method, Next, Poll, Polling, Queued};
pub(crate) use redis::{
    Change, Cluster, Own, Redis, RedisWire, SourceKind, Subscription, Subscriptions, Way, take_own,
};

/// The transport of a socket's messages.
#[derive(Debug)]
pub(crate) enum Wire {
    WebSocket(Connection),
    /// Requests on the user's own connections. The socket itself has no connection.
    Polling(Box<Polling>),
    /// Server-sent events. Nothing can be sent.
    Events(Box<EventStream>),
    Nats(NatsWire),
    Redis(RedisWire),
}

/// Something that a socket received.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event<'a> {
    WebSocket(websocket::Event<'a>),
    Sse(sse::Signal<'a>),
}

/// Received data that contains messages.
pub(crate) trait Feed {
    fn feed(self, wire: &mut Wire, sink: &mut impl FnMut(Event<'_>)) -> Result<(), Fault>;
}

/// Bytes of a connection.
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

/// A part of a response over HTTP/2.
pub(crate) struct ResponsePart(pub(crate) Content);

/// Messages in the response to a poll.
pub(crate) struct Parts<'a>(pub(crate) Vec<Part<'a>>);

impl Feed for Bytes<'_> {
    fn feed(self, wire: &mut Wire, sink: &mut impl FnMut(Event<'_>)) -> Result<(), Fault> {
        match wire {
            Wire::WebSocket(connection) => {
                connection.on_bytes(self.0, &mut |event| sink(Event::WebSocket(event)))
            }
            Wire::Events(stream) => stream.on_bytes(self.0, sink),
            // `nats` and `redis` handle the bytes of their connections.
            _ => Ok(()),
        }
    }
}

impl Feed for ResponsePart {
    fn feed(self, wire: &mut Wire, sink: &mut impl FnMut(Event<'_>)) -> Result<(), Fault> {
        match wire {
            Wire::Events(stream) => stream.on_part(&self.0, sink),
            // Only event streams share a connection of HTTP/2.
            _ => Ok(()),
        }
    }
}

impl Feed for Parts<'_> {
    fn feed(self, _: &mut Wire, sink: &mut impl FnMut(Event<'_>)) -> Result<(), Fault> {
        for part in self.0 {
            match part {
                Part::Text(text) => sink(Event::WebSocket(websocket::Event::Text(text))),
                Part::Binary(bytes) => sink(Event::WebSocket(websocket::Event::Binary(&bytes))),
            }
        }
        Ok(())
    }
}

impl Wire {
    /// Whether the opening is measured. That of a cluster is only measured if it fails after a connection to a node was
    /// open: before, the failure of that connection is counted.
    pub(crate) fn measures_opening(&self) -> bool {
        !matches!(self, Self::Redis(RedisWire::Cluster(cluster)) if !cluster.reached)
    }

    pub(crate) fn stream(&self) -> Option<&Stream> {
        match self {
            Self::WebSocket(connection) => Some(connection.stream()),
            Self::Events(stream) => stream.stream(),
            Self::Nats(nats) => nats.link()?.stream(),
            Self::Redis(redis) => redis.connection().map(resp::Connection::stream),
            Self::Polling(_) => None,
        }
    }

    pub(crate) fn stream_mut(&mut self) -> Option<&mut Stream> {
        match self {
            Self::WebSocket(connection) => Some(connection.stream_mut()),
            Self::Events(stream) => stream.stream_mut(),
            Self::Nats(nats) => nats.link_mut()?.stream_mut(),
            Self::Redis(redis) => redis.connection_mut().map(resp::Connection::stream_mut),
            Self::Polling(_) => None,
        }
    }

    pub(crate) fn send_text(&mut self, text: &str) -> Result<(), Fault> {
        self.send_text_of(&[text])
    }

    pub(crate) fn send_text_of(&mut self, parts: &[&str]) -> Result<(), Fault> {
        match self {
            Self::WebSocket(connection) => connection.send_text_of(parts),
            Self::Polling(polling) => polling.queue(Queued::Text(parts.concat())),
            _ => Err(only_receives()),
        }
    }

    pub(crate) fn send_binary(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        match self {
            Self::WebSocket(connection) => connection.send_binary(bytes),
            Self::Polling(polling) => polling.queue(Queued::Binary(bytes.to_vec())),
            _ => Err(only_receives()),
        }
    }

    /// Sends a text in parts on a WebSocket, encoded in `frame`, which the caller reuses.
    pub(crate) fn send_text_in(
        &mut self,
        frame: &mut Vec<u8>,
        parts: &[&str],
    ) -> Result<(), Fault> {
        match self {
            Self::WebSocket(connection) => connection.send_text_in(frame, parts),
            _ => self.send_text_of(parts),
        }
    }

    /// Sends bytes on a WebSocket, encoded in `frame`, which the caller reuses.
    pub(crate) fn send_binary_in(
        &mut self,
        frame: &mut Vec<u8>,
        bytes: &[u8],
    ) -> Result<(), Fault> {
        match self {
            Self::WebSocket(connection) => connection.send_binary_in(frame, bytes),
            _ => self.send_binary(bytes),
        }
    }

    /// Whether earlier messages wait until the socket is writable.
    pub(crate) fn is_congested(&self) -> bool {
        self.stream().is_some_and(Stream::wants_write)
    }

    pub(crate) fn send_ping(&mut self, payload: &[u8]) -> Result<(), Fault> {
        match self {
            Self::WebSocket(connection) => connection.send_ping(payload),
            Self::Polling(_) => Ok(()),
            _ => Err(only_receives()),
        }
    }

    /// Sends all queued messages, in order.
    pub(crate) fn send_all(&mut self, all: &VecDeque<Queued>) -> Result<(), Fault> {
        all.iter().try_for_each(|one| match one {
            Queued::Text(text) => self.send_text(text),
            Queued::Binary(bytes) => self.send_binary(bytes),
        })
    }

    pub(crate) fn close(&mut self, code: Option<u16>, reason: &str) -> Result<(), Fault> {
        match self {
            Self::WebSocket(connection) => connection.close(code, reason),
            // "1" is the close packet of Engine.IO.
            Self::Polling(polling) => polling.queue(Queued::Text("1".to_owned())),
            Self::Nats(nats) => nats.link_mut().map_or(Ok(()), NatsLink::close),
            // Dropping the connection closes it, and a stream of a shared connection is reset.
            _ => Ok(()),
        }
    }

    /// The order in which the sockets of a user are closed.
    pub(crate) fn rank_of_closing(&self) -> u8 {
        match self {
            Self::Redis(RedisWire::Subscription(_)) => 0,
            Self::Redis(RedisWire::Cluster(_)) => 2,
            _ => 1,
        }
    }

    /// Whether this is a connection to a NATS server, whose messages belong to other sockets.
    pub(crate) fn is_nats(&self) -> bool {
        matches!(self, Self::Nats(NatsWire::Connection(_)))
    }

    /// Whether the other side takes part in closing.
    pub(crate) fn closes_with_handshake(&self) -> bool {
        match self {
            Self::WebSocket(_) | Self::Polling(_) | Self::Nats(_) => true,
            Self::Redis(RedisWire::Subscription(subscription)) => subscription.is_ending,
            Self::Events(_) | Self::Redis(_) => false,
        }
    }

    /// Whether a shared HTTP/2 connection carries the messages.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(self, Self::Events(stream) if stream.is_shared())
    }

    /// Whether the end is no failure of its own: the server ended the connection as the protocol intends, and without a
    /// closing handshake, or the failure is that of another socket's connection.
    pub(crate) fn ended_in_order(&self) -> bool {
        match self {
            Self::Events(stream) => stream.ended_in_order(),
            Self::Nats(nats) => nats.ends_with_connection(),
            Self::Redis(RedisWire::Subscription(_) | RedisWire::Cluster(_)) => true,
            _ => false,
        }
    }

    /// The time at which the next connection is due; `Nanos::MAX` unless a stream waits to reconnect.
    pub(crate) fn reconnect_due(&self) -> Nanos {
        match self {
            Self::Events(stream) => stream.due(),
            _ => Nanos::MAX,
        }
    }

    pub(crate) fn is_done(&self) -> bool {
        match self {
            Self::WebSocket(connection) => connection.is_done(),
            Self::Events(stream) => stream.is_done(),
            Self::Nats(nats) => nats.link().is_some_and(NatsLink::is_closed),
            _ => false,
        }
    }

    /// Whether a message has begun and is incomplete.
    pub(crate) fn holds_a_part(&self) -> bool {
        match self {
            Self::WebSocket(connection) => connection.holds_a_part(),
            Self::Events(stream) => stream.holds_a_part(),
            Self::Nats(nats) => nats.link().is_some_and(NatsLink::holds_a_part),
            Self::Redis(redis) => redis
                .connection()
                .is_some_and(resp::Connection::holds_a_part),
            Self::Polling(_) => false,
        }
    }

    pub(crate) fn on_close(&mut self) -> Result<(), Fault> {
        match self {
            Self::WebSocket(connection) => connection.on_close(),
            Self::Events(stream) => stream.on_close(),
            Self::Nats(nats) => nats.link().map_or(Ok(()), |link| Err(link.on_close())),
            Self::Redis(redis) => redis
                .connection()
                .map_or(Ok(()), |connection| Err(connection.on_close())),
            Self::Polling(_) => Ok(()),
        }
    }
}

fn only_receives() -> Fault {
    let detail =
        "messages cannot be sent on this socket: use a request, a command or a publication";
    Fault::script(FaultKind::Thrown, detail)
}
