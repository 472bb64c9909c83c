//! The transport of a socket's messages: a WebSocket, the requests of a Socket.IO session that has none yet, or a stream
//! of server-sent events.

mod events;
mod polling;

use std::collections::VecDeque;

use model::{Fault, FaultKind, Nanos};
use wire::http2::Content;
use wire::socketio::Part;
use wire::websocket::Connection;
use wire::{Stream, sse, websocket};

pub(crate) use events::EventStream;
pub(crate) use polling::{Carrier, Method, Next, Poll, Polling, Queued};

/// The transport of a socket's messages.
#[derive(Debug)]
pub(crate) enum Wire {
    WebSocket(Connection),
    /// Requests on the user's own connections. The socket itself has no connection.
    Polling(Box<Polling>),
    /// Server-sent events. Nothing can be sent.
    Events(Box<EventStream>),
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
            Wire::Polling(_) => Ok(()),
        }
    }
}

impl Feed for ResponsePart {
    fn feed(self, wire: &mut Wire, sink: &mut impl FnMut(Event<'_>)) -> Result<(), Fault> {
        match wire {
            Wire::Events(stream) => stream.on_part(&self.0, sink),
            Wire::WebSocket(_) | Wire::Polling(_) => Ok(()),
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
    pub(crate) fn stream(&self) -> Option<&Stream> {
        match self {
            Self::WebSocket(connection) => Some(connection.stream()),
            Self::Events(stream) => stream.stream(),
            Self::Polling(_) => None,
        }
    }

    pub(crate) fn stream_mut(&mut self) -> Option<&mut Stream> {
        match self {
            Self::WebSocket(connection) => Some(connection.stream_mut()),
            Self::Events(stream) => stream.stream_mut(),
            Self::Polling(_) => None,
        }
    }

    pub(crate) fn send_text(&mut self, text: &str) -> Result<(), Fault> {
        self.send_text_of(&[text])
    }

    pub(crate) fn send_text_of(&mut self, parts: &[&str]) -> Result<(), Fault> {
        match self {
            Self::WebSocket(connection) => connection.send_text_of(parts),
            Self::Events(_) => Err(only_receives()),
            Self::Polling(polling) => polling.queue(Queued::Text(parts.concat())),
        }
    }

    pub(crate) fn send_binary(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        match self {
            Self::WebSocket(connection) => connection.send_binary(bytes),
            Self::Events(_) => Err(only_receives()),
            Self::Polling(polling) => polling.queue(Queued::Binary(bytes.to_vec())),
        }
    }

    pub(crate) fn send_ping(&mut self, payload: &[u8]) -> Result<(), Fault> {
        match self {
            Self::WebSocket(connection) => connection.send_ping(payload),
            Self::Events(_) => Err(only_receives()),
            Self::Polling(_) => Ok(()),
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
            // Dropping the connection closes it, and a stream of a shared connection is reset.
            Self::Events(_) => Ok(()),
        }
    }

    /// Whether the other side takes part in closing.
    pub(crate) fn closes_with_handshake(&self) -> bool {
        !matches!(self, Self::Events(_))
    }

    /// Whether a shared HTTP/2 connection carries the messages.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(self, Self::Events(stream) if stream.is_shared())
    }

    /// Whether the server ended the connection as the protocol intends, and without a closing handshake.
    pub(crate) fn ended_in_order(&self) -> bool {
        matches!(self, Self::Events(stream) if stream.ended_in_order())
    }

    /// The time at which the next connection is due; `Nanos::MAX` unless a stream waits to reconnect.
    pub(crate) fn reconnect_due(&self) -> Nanos {
        match self {
            Self::Events(stream) => stream.due(),
            Self::WebSocket(_) | Self::Polling(_) => Nanos::MAX,
        }
    }

    pub(crate) fn is_done(&self) -> bool {
        match self {
            Self::WebSocket(connection) => connection.is_done(),
            Self::Events(stream) => stream.is_done(),
            Self::Polling(_) => false,
        }
    }

    /// Whether a message has begun and is incomplete.
    pub(crate) fn holds_a_part(&self) -> bool {
        match self {
            Self::WebSocket(connection) => connection.holds_a_part(),
            Self::Events(stream) => stream.holds_a_part(),
            Self::Polling(_) => false,
        }
    }

    pub(crate) fn on_close(&mut self) -> Result<(), Fault> {
        match self {
            Self::WebSocket(connection) => connection.on_close(),
            Self::Events(stream) => stream.on_close(),
            Self::Polling(_) => Ok(()),
        }
    }
}

fn only_receives() -> Fault {
    let detail = "nothing can be sent on a stream of server-sent events: use a request";
    Fault::script(FaultKind::Thrown, detail)
}
