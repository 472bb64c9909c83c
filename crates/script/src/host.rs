//! The interface between script and engine.
//!
//! The script side never waits. Every call returns at once. Results arrive later as a [`Wake`] with the [`OpId`] that
//! the script passed to the call.

mod audience;
mod events;
mod http;
mod message;
mod nats;
mod redis;
mod responses;
mod socketio;
mod stream;
mod subscribe;
mod wake;

use std::sync::Arc;

use model::{Fault, GroupId, Nanos, UserId};
use serde::{Deserialize, Serialize};

use crate::frame::Location;

pub use audience::{AudienceChannel, AudienceSpec, MemberCall, MemberOpening};
pub use http::{Body, CountedRequest, HttpCall, Part, Reply};
pub use message::Message;
pub use responses::{ResponsesCall, ResponsesHost};
pub use stream::{Pattern, Piece, StreamCall, StreamHost, StreamReply, Template};
pub use subscribe::{SubscribeCall, SubscriptionKind};
pub use wake::{Value, Wake};

/// Identifies a pending promise. The script assigns the ID, and [`Wake::Done`] returns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OpId(pub u32);

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// The condition was true.
    Passed,
    /// The condition was false.
    Failed {
        /// The user for whom the script made the check, if there was a single user.
        user: Option<UserId>,
        /// The line of the check, if [`Host::wants_place`] returned true.
        place: Option<CheckPlace>,
    },
}

/// The line of the scenario at which a check failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckPlace {
    /// Location of the line.
    pub location: Location,
    /// The source lines around the location, with a caret.
    pub frame: Option<String>,
}

/// Identifies an open socket of a user. The engine assigns the ID.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SocketId(pub u32);

/// Identifies a running `every`. The engine assigns the ID.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TickerId(pub u32);

/// Identifies a channel of a group. The engine assigns the ID.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChannelId(pub u32);

/// A message on a socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// A text frame.
    Text(String),
    /// A binary frame.
    Binary(Vec<u8>),
}

impl Payload {
    /// The bytes of the message.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Binary(bytes) => bytes,
        }
    }
}

/// The members who must receive a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Every listening member except the sender.
    Others,
    /// Every listening member, including the sender.
    Everyone,
    /// These members, if they listen.
    Users(Vec<UserId>),
    /// The members of the passive audience with this number.
    Passive(u32),
}

/// The location of a stamp in a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StampAt {
    /// In the value at this JSON pointer (RFC 6901).
    Pointer(String),
    /// Starting at exactly this byte offset, from 0. For text, the offset counts UTF-8 bytes.
    Byte(usize),
}

/// How to find a channel's stamp in a received message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StampPlace {
    /// Location of the stamp. `None` means anywhere in the message.
    pub at: Option<StampAt>,
    /// Values required at other pointers, as JSON text: `("/type", "\"said\"")`.
    pub only: Vec<(String, String)>,
    /// A message with these values is a snapshot, which restates what was already delivered. Its stamps do not count as
    /// deliveries. If empty, no message is a snapshot.
    pub except: Vec<(String, String)>,
    /// The name of the Socket.IO event or of the server-sent event. On Socket.IO, pointers refer to the event's first
    /// argument.
    pub event: Option<String>,
    /// Whether to store the last value at the pointer for [`Host::last`], with or without a stamp.
    pub keep: bool,
}

/// How the messages of a WebSocket contain JSON documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DocumentsIn {
    /// One document per message, or several that can be separated without ambiguity.
    #[default]
    Auto,
    /// Each message is one document.
    Whole,
    /// Each element of a top-level array is one document.
    Array,
    /// Each document ends with a newline, and may continue in the next message.
    Lines,
    /// Each document ends with the byte 0x1e, and may continue in the next message.
    Records,
}

/// A WebSocket to open.
#[derive(Clone, Debug, Default)]
pub struct SocketCall {
    /// The URL, absolute (`ws:`, `wss:`, `http:`, `https:`) or relative to the target.
    pub url: String,
    /// Name under which connecting is measured.
    pub name: String,
    /// Additional headers of the handshake.
    pub headers: Vec<(String, String)>,
    /// Offered subprotocols.
    pub subprotocols: Vec<String>,
    /// How the socket's messages contain documents.
    pub documents: DocumentsIn,
    /// Time limit for connecting. `None` means the run's limit.
    pub timeout: Option<Nanos>,
    /// Planned start. `None` means now.
    pub planned: Option<Nanos>,
}

/// How a reply is matched to its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyBy {
    /// In the order of sending: the first received message that fits is the reply.
    FirstInFirstOut,
    /// By a JSON value at a pointer of the reply.
    Id {
        /// JSON pointer in the reply.
        at: String,
        /// JSON text of the value.
        value: String,
    },
}

/// A message that awaits a reply.
#[derive(Clone, Debug)]
pub struct RoundTripCall {
    /// Name under which the round trip is measured.
    pub name: Arc<str>,
    /// The message.
    pub payload: Payload,
    /// How the reply is matched.
    pub by: ReplyBy,
    /// The values that the reply must contain, keyed by JSON pointer. Each value is JSON text.
    pub only: Vec<(String, String)>,
    /// Time limit. `None` means the run's limit.
    pub timeout: Option<Nanos>,
    /// Planned start. `None` means now.
    pub planned: Option<Nanos>,
}

/// Kind of a metric defined by the scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricKind {
    /// A sum.
    Counter,
    /// The last value, with its minimum and maximum.
    Gauge,
    /// A distribution.
    Trend,
}

/// Level of a line of the script's `console`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LogLevel {
    /// `console.debug`
    Debug,
    /// `console.log`, `console.info`
    Info,
    /// `console.warn`
    Warn,
    /// `console.error`
    Error,
}

/// The message that the script awaits on a socket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NextCall {
    /// The name of the server-sent event; `None` for any message.
    pub event: Option<String>,
    /// Values required at pointers, as in [`StampPlace`].
    pub only: Vec<(String, String)>,
    /// Time limit. `None` means the run's limit.
    pub timeout: Option<Nanos>,
}

macro_rules! define_hosts {
    ($(
        $(#[$doc:meta])*
        $module:ident: $name:ident($host:ident, $member:ident) $(message $message:ident($content:ty))?
            prelude [$($path:literal = $source:expr),*],
    )*) => {
        $(pub use $module::*;)*

        /// The calls of all protocols.
        pub trait ProtocolHosts: $($host +)* {}

        impl<T: $($host +)*> ProtocolHosts for T {}
    };
}
with_protocols!(define_hosts);

/// The engine as a script sees it. No call blocks, and no call re-enters the script. A protocol other than WebSocket has a
/// trait of its own.
pub trait Host: ProtocolHosts + ResponsesHost + StreamHost {
    /// Returns the time of the run's clock.
    fn now(&self) -> Nanos;
    /// Whether the level still creates load. False once the measured time has ended.
    fn is_active(&self) -> bool {
        true
    }
    /// Returns a random number in `[0, 1)` from the user's own seeded generator.
    fn random(&mut self, user: UserId) -> f64;
    /// Creates a user for a pool in the group of `setup`.
    fn new_user(&mut self, group: GroupId, pool: u32) -> UserId;
    /// Sets a header for all later requests of the user. `None` removes it.
    fn set_header(&mut self, user: UserId, name: &str, value: Option<&str>) -> Result<(), Fault>;
    /// Sets a tag of all later requests of the user. `None` removes it.
    fn set_tag(&mut self, user: UserId, key: &str, value: Option<&str>) -> Result<(), Fault>;
    /// Returns the user's cookie of that name for the target.
    fn cookie(&mut self, user: UserId, name: &str) -> Option<String>;
    /// Adds a user to the pool, with the JSON text of the data that the script created.
    fn pool_user(&mut self, user: UserId, data: String);
    /// Counts a user that could not be created for the pool.
    fn pool_failed(&mut self, user: UserId, fault: &Fault);
    /// Starts a pool of `count` users, of whom `at_once` are created concurrently. Returns the pool's number.
    fn pool_begin(&mut self, count: u32, at_once: u32) -> u32;
    /// Ends a pool when all of its users were created or failed.
    fn pool_end(&mut self, pool: u32);

    /// Starts an HTTP request.
    fn http(&mut self, op: OpId, user: UserId, call: HttpCall) -> Result<(), Fault>;
    /// Counts the request of a response as failed, because the script found a fault in the response.
    fn fail_request(&mut self, request: CountedRequest, reply: &Reply, reason: &str);
    /// Starts to open a WebSocket.
    fn open_socket(&mut self, op: OpId, user: UserId, call: SocketCall) -> Result<(), Fault>;
    /// Sends a message.
    fn send(
        &mut self,
        socket: SocketId,
        payload: Payload,
        planned: Option<Nanos>,
    ) -> Result<(), Fault>;
    /// Sends a message and awaits its reply.
    fn round_trip(&mut self, op: OpId, socket: SocketId, call: RoundTripCall) -> Result<(), Fault>;
    /// Awaits the next message that is neither a delivery nor a reply.
    fn next_message(&mut self, op: OpId, socket: SocketId, call: NextCall) -> Result<(), Fault>;
    /// Sets whether the script has a message handler on the socket. Without one, messages do not enter the script.
    fn listen(&mut self, socket: SocketId, on: bool);
    /// Sends a ping. The operation completes when the pong arrives.
    fn ping(&mut self, op: OpId, socket: SocketId) -> Result<(), Fault>;
    /// Closes a socket. The operation completes when the peer has closed too, or after one second.
    fn close_socket(
        &mut self,
        op: OpId,
        socket: SocketId,
        code: u16,
        reason: &str,
    ) -> Result<(), Fault>;

    /// Completes the operation after `span`.
    fn sleep(&mut self, op: OpId, user: UserId, span: Nanos);
    /// Completes the operation when the measured time has ended and deliveries have settled.
    fn stay(&mut self, op: OpId, user: UserId);
    /// Starts a ticker: it ticks every `period`, regardless of responses, until the measured time ends. `first` is the
    /// time to the first tick. `None` means a random phase within the period.
    fn every(&mut self, user: UserId, period: Nanos, first: Option<Nanos>) -> TickerId;
    /// Stops a ticker.
    fn stop_ticker(&mut self, ticker: TickerId);

    /// Creates a channel of a group, or finds it by name. Deliveries after `deadline` are late.
    fn channel(
        &mut self,
        group: GroupId,
        name: &str,
        audience: Audience,
        deadline: Option<Nanos>,
    ) -> Result<ChannelId, Fault>;
    /// Creates a stamp of this user on this channel. The stamp counts as sent with the user's next send or request.
    fn stamp(
        &mut self,
        user: UserId,
        channel: ChannelId,
        planned: Option<Nanos>,
    ) -> Result<String, Fault>;
    /// Starts a native search for the channel's stamps in messages that the socket receives. Returns the number of the
    /// search on the socket.
    fn receives(
        &mut self,
        socket: SocketId,
        channel: ChannelId,
        place: StampPlace,
    ) -> Result<u32, Fault>;
    /// Stops a search that [`Host::receives`] started.
    fn stop_receiving(&mut self, socket: SocketId, receiving: u32);
    /// Returns the last value that the socket received for a channel, as JSON text, if it is stored.
    fn last(&mut self, socket: SocketId, channel: ChannelId) -> Option<String>;

    /// Records a user state. At the end of the iteration, all members of the group must have the same text under this
    /// name.
    fn user_state(&mut self, user: UserId, name: &str, text: &str);

    /// Returns the number of a step's name, or of a condition of `eventually`. The number never changes.
    fn step_name(&mut self, name: &str, eventually: bool) -> u32;
    /// Begins a step of a user, or of the group if `user` is `None`. `name` is from `step_name`. Returns the number
    /// that `step_end` takes.
    fn step_begin(&mut self, group: GroupId, user: Option<UserId>, name: u32) -> u64;
    /// Ends a step, with a fault if an error ended it.
    fn step_end(&mut self, group: GroupId, user: Option<UserId>, step: u64, fault: Option<&Fault>);
    /// Sets whether members of the group run concurrently. If so, a new step of the group is nested only in steps that
    /// the group began earlier.
    fn concurrent(&mut self, group: GroupId, on: bool);
    /// Returns the part of user and group names that distinguishes them from names in other runs.
    fn run_tag(&self) -> &str;
    /// Whether a failure of this check would be its first. Only the first failure's place is shown.
    fn wants_place(&self, check: &str) -> bool;
    /// Counts a check.
    fn check(&mut self, group: GroupId, name: &str, result: Checked);
    /// Records a value of a metric that the scenario defines.
    fn metric(&mut self, kind: MetricKind, name: &str, value: f64);
    /// Writes a line of the script's `console`.
    fn log(&mut self, level: LogLevel, line: &str);
}
