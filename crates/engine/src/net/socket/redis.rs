//! A connection to a Redis server, and the subscriptions on it.

mod cluster;
mod subscriptions;

use std::collections::VecDeque;

use model::Fault;
use wire::Stream;
use wire::resp::{Connection, Hello, Login};

use super::detachable::Detachable;
use super::transport::{ServerUrl, Transport};
pub(crate) use cluster::{Cluster, Way};
pub(crate) use subscriptions::{Change, SourceKind, Subscriptions};

/// A connection to a Redis server, with the subscriptions on it.
#[derive(Debug)]
pub(crate) struct Redis {
    pub(crate) connection: Connection,
    /// What the server says about itself.
    pub(crate) server: Hello,
    pub(crate) subscriptions: Subscriptions,
    /// Commands that the engine itself sent, in order.
    pub(crate) own: VecDeque<(u64, Own)>,
    /// The token of the next command.
    next: u64,
}

/// A command that the engine itself sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Own {
    /// `ASKING`, before a command that was redirected once.
    Asking,
    /// `CLUSTER SLOTS`.
    Slots,
}

/// A subscription, whose messages arrive on a connection that other subscriptions may share.
#[derive(Debug)]
pub(crate) struct Subscription {
    /// The key of the connection.
    pub(crate) connection: u32,
    pub(crate) kind: SourceKind,
    /// The channels or patterns.
    pub(crate) names: Vec<Vec<u8>>,
    /// Whether the server has been asked to end the subscription.
    pub(crate) is_ending: bool,
}

/// A socket of the protocol of Redis.
#[derive(Debug)]
pub(crate) enum RedisWire {
    /// Commands for a server.
    Connection(Detachable<Redis>),
    /// Messages that arrive on the connection of another socket.
    Subscription(Box<Subscription>),
    /// Commands for a cluster of servers, whose nodes have connections of their own.
    Cluster(Box<Cluster>),
}

impl RedisWire {
    /// The connection, if the socket has one of its own.
    fn connection(&self) -> Option<&Connection> {
        match self {
            Self::Connection(redis) => redis.get().map(|redis| &redis.connection),
            Self::Subscription(_) | Self::Cluster(_) => None,
        }
    }

    /// The connection, if the socket has one of its own.
    fn connection_mut(&mut self) -> Option<&mut Connection> {
        match self {
            Self::Connection(redis) => redis.get_mut().map(|redis| &mut redis.connection),
            Self::Subscription(_) | Self::Cluster(_) => None,
        }
    }
}

impl Transport for RedisWire {
    type Opener = Box<Login>;

    const SERVER: Option<ServerUrl> = Some(ServerUrl {
        schemes: &["redis", "rediss"],
        server: "Redis",
        call: "user.redis()",
    });

    fn open(
        login: Box<Login>,
        stream: Stream,
        max_message: usize,
        _: Option<&str>,
    ) -> Result<Self, Fault> {
        let redis = Redis::open(stream, &login, max_message)?;
        Ok(Self::Connection(Detachable::new(redis)))
    }

    fn stream(&self) -> Option<&Stream> {
        self.connection().map(Connection::stream)
    }

    fn stream_mut(&mut self) -> Option<&mut Stream> {
        self.connection_mut().map(Connection::stream_mut)
    }

    fn on_close(&mut self) -> Result<(), Fault> {
        let connection = self.connection();
        connection.map_or(Ok(()), |connection| Err(connection.on_close()))
    }

    fn holds_a_part(&self) -> bool {
        self.connection().is_some_and(Connection::holds_a_part)
    }

    /// The server confirms the end of a subscription.
    fn closes_with_handshake(&self) -> bool {
        matches!(self, Self::Subscription(subscription) if subscription.is_ending)
    }

    fn unconfirmed_close(&self) -> &'static str {
        "the server did not confirm the end of the subscription"
    }

    /// Subscriptions come before their connection, and a cluster after the connections to its nodes.
    fn rank_of_closing(&self) -> u8 {
        match self {
            Self::Subscription(_) => 0,
            Self::Connection(_) => 1,
            Self::Cluster(_) => 2,
        }
    }

    /// The failure is that of the connection.
    fn ended_in_order(&self) -> bool {
        matches!(self, Self::Subscription(_) | Self::Cluster(_))
    }

    /// The opening of a cluster is only measured if it fails after a connection to a node was open. Before, the failure of
    /// that connection is counted.
    fn measures_opening(&self) -> bool {
        !matches!(self, Self::Cluster(cluster) if !cluster.reached)
    }
}

impl Redis {
    /// Logs in on a connection that is being opened. `max_reply` is the maximum size of a reply, in bytes.
    pub(crate) fn open(stream: Stream, login: &Login, max_reply: usize) -> Result<Self, Fault> {
        Ok(Self {
            connection: Connection::open(stream, login, max_reply)?,
            server: Hello::default(),
            subscriptions: Subscriptions::default(),
            own: VecDeque::new(),
            next: 0,
        })
    }

    /// Sends commands in one write. Returns the token of the first; the others follow in order.
    pub(crate) fn send(
        &mut self,
        scratch: &mut Vec<u8>,
        commands: &[Vec<&[u8]>],
    ) -> Result<u64, Fault> {
        let first = self.next;
        self.connection.send(scratch, first, commands)?;
        self.next += commands.len() as u64;
        Ok(first)
    }

    /// Sends a command of the engine itself.
    pub(crate) fn send_own(
        &mut self,
        scratch: &mut Vec<u8>,
        command: &[&[u8]],
        own: Own,
    ) -> Result<(), Fault> {
        let token = self.send(scratch, &[command.to_vec()])?;
        self.own.push_back((token, own));
        Ok(())
    }

    /// Sends a command, after an `ASKING` in the same write if the command was redirected once. Returns its token.
    pub(crate) fn send_asking(
        &mut self,
        scratch: &mut Vec<u8>,
        command: &[&[u8]],
        asks: bool,
    ) -> Result<u64, Fault> {
        if !asks {
            return self.send(scratch, &[command.to_vec()]);
        }
        let asking: &[&[u8]] = &[b"ASKING"];
        let token = self.send(scratch, &[asking.to_vec(), command.to_vec()])?;
        self.own.push_back((token, Own::Asking));
        Ok(token + 1)
    }

    /// Sends the command that begins or ends a subscription, and notes it. Returns its token.
    pub(crate) fn change(
        &mut self,
        scratch: &mut Vec<u8>,
        command: &'static str,
        change: Change,
    ) -> Result<u64, Fault> {
        let names = change.names.iter().map(Vec::as_slice);
        let words = std::iter::once(command.as_bytes()).chain(names).collect();
        let token = self.send(scratch, &[words])?;
        self.subscriptions.note(token, change);
        Ok(token)
    }
}

/// Takes the engine's own command with this token. `None` if the token is that of another command.
pub(crate) fn take_own(own: &mut VecDeque<(u64, Own)>, token: u64) -> Option<Own> {
    own.pop_front_if(|(its, _)| *its == token)
        .map(|(_, own)| own)
}
