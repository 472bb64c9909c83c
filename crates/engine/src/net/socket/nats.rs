//! A connection to a NATS server, and the sockets without a stream that it carries: its subscriptions, and users who share
//! it. The connection receives their messages. The `sid` of a subscription is the key of its socket in the connection table.

mod inbox;
mod pulls;
mod subscription;

use std::collections::VecDeque;

use model::{Fault, FaultKind};
use rustc_hash::FxHashSet;
use wire::nats::{Connection, Info, Login, encode_ping, encode_subscribe, encode_unsubscribe};
use wire::{Stream, TlsSettings};

use super::detachable::Detachable;
use super::transport::{ServerUrl, Transport};
pub(crate) use inbox::Inbox;
pub(crate) use pulls::{Pulls, end_of_pull};
pub(crate) use subscription::NatsSubscription;

/// A connection to a NATS server.
#[derive(Debug)]
pub(crate) struct NatsLink {
    connection: Detachable<Connection>,
    /// The events that the next pongs confirm, in order.
    pongs: VecDeque<Pong>,
    /// The keys of the sockets without a stream that this connection serves: subscriptions, and users who share it.
    pub(crate) carried: FxHashSet<u32>,
    pub(crate) inbox: Inbox,
    is_closed: bool,
}

/// A user's part of a connection that several users share.
#[derive(Debug)]
pub(crate) struct SharedNats {
    /// The key of the connection.
    pub(crate) connection: u32,
    /// The keys of the user's subscriptions.
    pub(crate) subscriptions: FxHashSet<u32>,
    pub(crate) inbox: Inbox,
    /// Whether the connection has ended, which is a failure of the connection and not of this part.
    connection_ended: bool,
}

/// A socket of the protocol NATS.
#[derive(Debug)]
pub(crate) enum NatsWire {
    Connection(Box<NatsLink>),
    /// A user's part of the connection of another socket.
    Shared(Box<SharedNats>),
    /// A subscription on the connection of another socket, which receives its messages.
    Subscription(Box<NatsSubscription>),
}

impl NatsWire {
    /// The connection, if the socket has one of its own.
    pub(crate) fn link(&self) -> Option<&NatsLink> {
        match self {
            Self::Connection(link) => Some(link),
            Self::Shared(_) | Self::Subscription(_) => None,
        }
    }

    /// The connection, if the socket has one of its own.
    pub(crate) fn link_mut(&mut self) -> Option<&mut NatsLink> {
        match self {
            Self::Connection(link) => Some(link),
            Self::Shared(_) | Self::Subscription(_) => None,
        }
    }

    /// The subjects of replies, if requests can be sent on the socket.
    pub(crate) fn inbox_mut(&mut self) -> Option<&mut Inbox> {
        match self {
            Self::Connection(link) => Some(&mut link.inbox),
            Self::Shared(shared) => Some(&mut shared.inbox),
            Self::Subscription(_) => None,
        }
    }

    /// The key of the connection that carries the socket, whose own key is `key`.
    pub(crate) fn carrier(&self, key: u32) -> u32 {
        match self {
            Self::Connection(_) => key,
            Self::Shared(shared) => shared.connection,
            Self::Subscription(subscription) => subscription.connection,
        }
    }

    /// Notes that the connection of another socket, on which this one depends, has ended.
    pub(crate) fn note_end_of_connection(&mut self) {
        match self {
            Self::Connection(_) => {}
            Self::Shared(shared) => shared.connection_ended = true,
            Self::Subscription(subscription) => subscription.connection_ended = true,
        }
    }
}

impl Transport for NatsWire {
    type Opener = Box<Login>;

    const SERVER: Option<ServerUrl> = Some(ServerUrl {
        schemes: &["nats", "tls"],
        server: "NATS",
        call: "user.nats(…)",
    });

    fn open(
        login: Box<Login>,
        stream: Stream,
        max_message: usize,
        _: Option<&str>,
    ) -> Result<Self, Fault> {
        let connection = Connection::new(stream, *login, max_message);
        Ok(Self::Connection(Box::new(NatsLink::new(connection))))
    }

    fn stream(&self) -> Option<&Stream> {
        self.link()?.stream()
    }

    fn stream_mut(&mut self) -> Option<&mut Stream> {
        self.link_mut()?.stream_mut()
    }

    fn on_open(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        self.link_mut().map_or(Ok(()), |link| link.on_open(out))
    }

    fn on_close(&mut self) -> Result<(), Fault> {
        self.link().map_or(Ok(()), |link| Err(link.on_close()))
    }

    fn holds_a_part(&self) -> bool {
        self.link().is_some_and(NatsLink::holds_a_part)
    }

    fn close(&mut self, _: Option<u16>, _: &str) -> Result<(), Fault> {
        self.link_mut().map_or(Ok(()), NatsLink::close)
    }

    fn closes_with_handshake(&self) -> bool {
        true
    }

    fn unconfirmed_close(&self) -> &'static str {
        "the server did not respond to the ping"
    }

    fn is_done(&self) -> bool {
        self.link().is_some_and(NatsLink::is_closed)
    }

    /// A socket on the connection of another ends with it.
    fn ended_in_order(&self) -> bool {
        match self {
            Self::Connection(_) => false,
            Self::Shared(shared) => shared.connection_ended,
            Self::Subscription(subscription) => subscription.connection_ended,
        }
    }
}

impl SharedNats {
    pub(crate) fn new(connection: u32) -> Self {
        Self {
            connection,
            subscriptions: FxHashSet::default(),
            inbox: Inbox::new(),
            connection_ended: false,
        }
    }
}

/// The event that a pong confirms. The server replies to a ping when it has processed all lines before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pong {
    /// The server has processed what the user of the socket with this key sent before its call of `flush`.
    Flushed(u32),
    /// The subscription with this key has begun.
    Subscribed(u32),
    /// The socket with this key has left the connection, and its last message has arrived.
    Left(u32),
    /// Everything sent was processed, and everything received has arrived, so the connection can be closed.
    Closed,
}

impl NatsLink {
    pub(crate) fn new(connection: Connection) -> Self {
        Self {
            connection: Detachable::new(connection),
            pongs: VecDeque::new(),
            carried: FxHashSet::default(),
            inbox: Inbox::new(),
            is_closed: false,
        }
    }

    pub(crate) fn stream(&self) -> Option<&Stream> {
        self.connection.get().map(Connection::stream)
    }

    pub(crate) fn stream_mut(&mut self) -> Option<&mut Stream> {
        self.connection.get_mut().map(Connection::stream_mut)
    }

    fn holds_a_part(&self) -> bool {
        self.connection.get().is_some_and(Connection::holds_a_part)
    }

    /// Whether the server has confirmed that the connection can be closed.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed
    }

    pub(crate) fn on_close(&self) -> Fault {
        match self.connection.get() {
            _ if self.is_closed => Fault::script(FaultKind::Closed, "the script closed it"),
            Some(connection) => connection.on_close(),
            None => busy(),
        }
    }

    /// The server's properties.
    pub(crate) fn info(&self) -> Option<&Info> {
        self.connection.get().map(Connection::info)
    }

    /// Whether the server has accepted the client.
    pub(crate) fn is_connected(&self) -> bool {
        self.connection.get().is_some_and(Connection::is_connected)
    }

    /// Takes the connection, to handle its received bytes. Handling them changes the link itself.
    pub(crate) fn take(&mut self) -> Option<Box<Connection>> {
        self.connection.take()
    }

    pub(crate) fn put_back(&mut self, connection: Box<Connection>) {
        self.connection.put_back(connection);
    }

    pub(crate) fn start_tls(&mut self, settings: &TlsSettings, name: &str) -> Result<(), Fault> {
        self.connection()?.start_tls(settings, name)
    }

    /// Continues when the stream has opened. Uses `out` to encode.
    pub(crate) fn on_open(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        self.connection()?.on_open(out)
    }

    /// Publishes a message. Uses `out` to encode.
    pub(crate) fn publish(
        &mut self,
        out: &mut Vec<u8>,
        subjects: (&str, Option<&str>),
        headers: &[(&str, &str)],
        payload: &[u8],
    ) -> Result<(), Fault> {
        let connection = self.connection()?;
        out.clear();
        connection.publish(out, subjects, headers, payload)?;
        connection.send(out)
    }

    /// Begins the subscription with this key.
    pub(crate) fn subscribe(
        &mut self,
        key: u32,
        subject: &str,
        queue: Option<&str>,
        max: Option<u64>,
    ) -> Result<(), Fault> {
        let mut out = Vec::new();
        encode_subscribe(&mut out, subject, queue, key.into())?;
        if max.is_some() {
            encode_unsubscribe(&mut out, key.into(), max);
        }
        self.send_and_ping(out, Pong::Subscribed(key))?;
        self.carried.insert(key);
        Ok(())
    }

    /// Ends the subscriptions with the key of this socket. Its messages in flight still arrive.
    pub(crate) fn unsubscribe(&mut self, key: u32) -> Result<(), Fault> {
        let mut out = Vec::new();
        encode_unsubscribe(&mut out, key.into(), None);
        self.send_and_ping(out, Pong::Left(key))
    }

    pub(crate) fn ping(&mut self, pong: Pong) -> Result<(), Fault> {
        self.send_and_ping(Vec::new(), pong)
    }

    /// Begins to close: what was sent is still processed, and messages in flight still arrive.
    fn close(&mut self) -> Result<(), Fault> {
        self.ping(Pong::Closed)
    }

    /// The event that the next pong confirms.
    pub(crate) fn next_pong(&self) -> Option<Pong> {
        self.pongs.front().copied()
    }

    /// The event that a received pong confirms. `None` if no ping was sent.
    pub(crate) fn ponged(&mut self) -> Option<Pong> {
        let pong = self.pongs.pop_front();
        self.is_closed |= pong == Some(Pong::Closed);
        pong
    }

    /// Sends encoded frames.
    pub(crate) fn send(&mut self, frames: &[u8]) -> Result<(), Fault> {
        self.connection()?.send(frames)
    }

    fn send_and_ping(&mut self, mut out: Vec<u8>, pong: Pong) -> Result<(), Fault> {
        encode_ping(&mut out);
        self.connection()?.send(&out)?;
        self.pongs.push_back(pong);
        Ok(())
    }

    fn connection(&mut self) -> Result<&mut Connection, Fault> {
        self.connection.get_mut().ok_or_else(busy)
    }
}

/// Nothing is sent while received bytes are handled, so this would be an error in headcount.
fn busy() -> Fault {
    Fault::generator(
        FaultKind::Resources,
        "the NATS connection is in use: this is a bug",
    )
}

#[cfg(test)]
mod tests;
