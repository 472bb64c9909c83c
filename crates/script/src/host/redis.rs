use model::{Fault, Nanos, UserId};

use super::message::Content;
use super::{Message, OpId, SocketId, SubscribeCall, Value};
use crate::loading::{Loading, refused};

/// A connection to a Redis server to open.
#[derive(Clone, Debug, Default)]
pub struct RedisCall {
    /// The server's URL (`redis:`, `rediss:`), which may contain a user, a password and a database. `None`: the target.
    pub url: Option<String>,
    /// The user, which overrides that of the URL.
    pub user: Option<String>,
    /// The password, which overrides that of the URL.
    pub password: Option<String>,
    /// The number of the database, which overrides that of the URL.
    pub database: Option<u32>,
    /// Whether the server is a node of a cluster, whose redirects are followed.
    pub cluster: bool,
    /// Name under which connecting is measured. `None`: the server's address.
    pub name: Option<String>,
    /// Time limit until the server has accepted the client. `None` means the run's limit.
    pub timeout: Option<Nanos>,
    /// Planned start. `None` means now.
    pub planned: Option<Nanos>,
}

/// What a Redis server says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RedisServer {
    /// The version, such as `7.0.15`.
    pub version: String,
    /// `standalone`, `cluster` or `sentinel`.
    pub mode: String,
    /// `master` or `replica`.
    pub role: String,
}

/// Commands for a Redis server, which are sent at once. Each is measured as a round trip.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandsCall {
    /// The commands, in order.
    pub commands: Vec<RedisCommand>,
    /// Whether the operation completes with a list of all replies, in which errors are values.
    pub is_pipeline: bool,
    /// Codes of errors that do not count as failures.
    pub expect: Vec<String>,
    /// Time limit. `None` means the run's limit.
    pub timeout: Option<Nanos>,
    /// Planned start. `None` means now.
    pub planned: Option<Nanos>,
}

/// A command for a Redis server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RedisCommand {
    /// Name under which the command is measured.
    pub name: String,
    /// The command and its arguments.
    pub words: Vec<Vec<u8>>,
}

/// A member of a passive audience with a subscription on a Redis server.
#[derive(Clone, Debug, Default)]
pub struct RedisMember {
    /// The connection.
    pub call: RedisCall,
    /// The channels or patterns.
    pub subscribe: SubscribeCall,
}

/// What a Redis server sends.
#[derive(Clone, Debug, PartialEq)]
pub enum RedisMessage {
    /// A message of a subscription.
    Published(RedisPublished),
    /// A reply, or the list of the replies to a pipeline.
    Reply(RedisValue),
    /// An error, which rejects the promise.
    Refused(RedisError),
}

impl Content for RedisMessage {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Published(message) => &message.payload,
            // No filter looks into a reply.
            Self::Reply(_) | Self::Refused(_) => &[],
        }
    }
}

impl From<RedisValue> for Value {
    fn from(value: RedisValue) -> Self {
        Self::Message(Message::Redis(RedisMessage::Reply(value)))
    }
}

impl From<RedisError> for Value {
    fn from(error: RedisError) -> Self {
        Self::Message(Message::Redis(RedisMessage::Refused(error)))
    }
}

/// A published message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedisPublished {
    /// The channel on which the message was published.
    pub channel: String,
    /// The pattern that the channel matches, if the subscription is one to patterns.
    pub pattern: Option<String>,
    /// The message.
    pub payload: Vec<u8>,
}

/// A value in a reply of a Redis server.
#[derive(Clone, Debug, PartialEq)]
pub enum RedisValue {
    /// No value.
    Null,
    /// A truth value.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Double(f64),
    /// A whole number of any size, in digits.
    BigNumber(String),
    /// A string: text or any bytes.
    Bytes(Vec<u8>),
    /// A list.
    List(Vec<Self>),
    /// A set.
    Set(Vec<Self>),
    /// Keys and values.
    Map(Vec<(Self, Self)>),
    /// An error.
    Error(RedisError),
}

/// An error that a Redis server sent in place of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedisError {
    /// The code, such as `WRONGTYPE`.
    pub code: String,
    /// The error as a fault of the target.
    pub fault: Fault,
}

/// The calls of scripts on connections to Redis servers. Such a connection is a socket on which only commands can be
/// sent, and a subscription is a socket that only receives messages.
pub trait RedisHost {
    /// Starts to connect to a Redis server. The operation completes when the server has accepted the client.
    fn open_redis(&mut self, op: OpId, user: UserId, call: RedisCall) -> Result<(), Fault>;
    /// Returns the server's description of itself. `None` once the connection is closed.
    fn redis_server(&mut self, socket: SocketId) -> Option<RedisServer>;
    /// Sends commands. The operation completes with the reply, or with the list of replies of a pipeline.
    fn call_redis(&mut self, op: OpId, socket: SocketId, call: CommandsCall) -> Result<(), Fault>;
    /// Subscribes on a connection. The operation completes with the subscription's socket when the server has confirmed
    /// all names.
    fn subscribe(&mut self, op: OpId, socket: SocketId, call: SubscribeCall) -> Result<(), Fault>;
    /// Ends a subscription. The operation completes when the server has confirmed it, or after one second.
    fn unsubscribe(&mut self, op: OpId, socket: SocketId);
}

impl<C> RedisHost for Loading<C> {
    calls_of_groups! {
        open_redis(OpId, UserId, RedisCall) -> Result<(), Fault> = refused();
        redis_server(SocketId) -> Option<RedisServer> = None;
        call_redis(OpId, SocketId, CommandsCall) -> Result<(), Fault> = refused();
        subscribe(OpId, SocketId, SubscribeCall) -> Result<(), Fault> = refused();
        unsubscribe(OpId, SocketId);
    }
}
