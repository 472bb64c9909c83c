//! What carries the messages of a socket, such as a WebSocket or a stream of server-sent events. `transport` is what they
//! have in common. Each protocol has a module.

mod detachable;
pub(crate) mod events;
pub(crate) mod nats;
pub(crate) mod redis;
pub(crate) mod socketio;
mod transport;
mod websocket;

use std::collections::VecDeque;

use model::{Fault, Nanos};
use wire::Stream;

pub(crate) use detachable::Detachable;
pub(crate) use events::EventStream;
pub(crate) use transport::{ServerUrl, Transport};
pub(crate) use websocket::Upgrade;

macro_rules! define_wire {
    ($($name:ident: $wire:ty => $($handler:ident)::+,)*) => {
        /// The transport of a socket's messages.
        #[derive(Debug)]
        pub(crate) enum Wire {
            $($name($wire),)*
        }
    };
}
with_protocols!(define_wire);

/// The method of a request that carries messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Get,
    Post,
}

/// A request that carries messages of a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Poll {
    /// The socket.
    pub(crate) key: u32,
    pub(crate) method: Method,
}

/// A message that waits to be sent.
#[derive(Clone, Debug)]
pub(crate) enum Queued {
    Text(String),
    Binary(Vec<u8>),
}

/// [`Transport`] documents the methods that are forwarded.
impl Wire {
    pub(crate) fn stream(&self) -> Option<&Stream> {
        on_wire!(self, it => Transport::stream(it))
    }

    pub(crate) fn stream_mut(&mut self) -> Option<&mut Stream> {
        on_wire!(self, it => Transport::stream_mut(it))
    }

    pub(crate) fn on_open(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        on_wire!(self, it => Transport::on_open(it, out))
    }

    pub(crate) fn on_close(&mut self) -> Result<(), Fault> {
        on_wire!(self, it => Transport::on_close(it))
    }

    pub(crate) fn holds_a_part(&self) -> bool {
        on_wire!(self, it => Transport::holds_a_part(it))
    }

    pub(crate) fn send_text(&mut self, text: &str) -> Result<(), Fault> {
        self.send_text_of(&[text])
    }

    pub(crate) fn send_text_of(&mut self, parts: &[&str]) -> Result<(), Fault> {
        on_wire!(self, it => Transport::send_text_of(it, parts))
    }

    pub(crate) fn send_binary(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        on_wire!(self, it => Transport::send_binary(it, bytes))
    }

    pub(crate) fn send_text_in(
        &mut self,
        frame: &mut Vec<u8>,
        parts: &[&str],
    ) -> Result<(), Fault> {
        on_wire!(self, it => Transport::send_text_in(it, frame, parts))
    }

    pub(crate) fn send_binary_in(
        &mut self,
        frame: &mut Vec<u8>,
        bytes: &[u8],
    ) -> Result<(), Fault> {
        on_wire!(self, it => Transport::send_binary_in(it, frame, bytes))
    }

    pub(crate) fn send_ping(&mut self, payload: &[u8]) -> Result<(), Fault> {
        on_wire!(self, it => Transport::send_ping(it, payload))
    }

    /// Sends all queued messages, in order.
    pub(crate) fn send_all(&mut self, all: &VecDeque<Queued>) -> Result<(), Fault> {
        all.iter().try_for_each(|one| match one {
            Queued::Text(text) => self.send_text(text),
            Queued::Binary(bytes) => self.send_binary(bytes),
        })
    }

    pub(crate) fn sends_by_request(&self) -> bool {
        on_wire!(self, it => it.sends_by_request())
    }

    /// Whether earlier messages wait until the socket is writable.
    pub(crate) fn is_congested(&self) -> bool {
        self.stream().is_some_and(Stream::wants_write)
    }

    pub(crate) fn close(&mut self, code: Option<u16>, reason: &str) -> Result<(), Fault> {
        on_wire!(self, it => Transport::close(it, code, reason))
    }

    pub(crate) fn closes_with_handshake(&self) -> bool {
        on_wire!(self, it => it.closes_with_handshake())
    }

    pub(crate) fn unconfirmed_close(&self) -> &'static str {
        on_wire!(self, it => it.unconfirmed_close())
    }

    pub(crate) fn rank_of_closing(&self) -> u8 {
        on_wire!(self, it => it.rank_of_closing())
    }

    pub(crate) fn is_done(&self) -> bool {
        on_wire!(self, it => Transport::is_done(it))
    }

    pub(crate) fn ended_in_order(&self) -> bool {
        on_wire!(self, it => Transport::ended_in_order(it))
    }

    pub(crate) fn measures_opening(&self) -> bool {
        on_wire!(self, it => it.measures_opening())
    }

    pub(crate) fn is_replaceable(&self) -> bool {
        on_wire!(self, it => it.is_replaceable())
    }

    pub(crate) fn is_shared(&self) -> bool {
        on_wire!(self, it => Transport::is_shared(it))
    }

    pub(crate) fn reconnect_due(&self) -> Nanos {
        on_wire!(self, it => it.reconnect_due())
    }
}
