//! What a script asks of the engine, and what the engine answers.
//!
//! The script side never waits: every call returns at once, and what takes time comes back later as
//! a [`Wake`] that carries the [`OpId`] which the script gave to the call.

mod socketio;
mod wake;

use std::borrow::Cow;
use std::sync::Arc;

use model::{Fault, GroupId, Nanos, UserId};

pub use socketio::{Emission, EventCall, Heard, SocketIoCall};
pub use wake::{Reply, Value, Wake};

/// One pending promise. Given out by the script, handed back in [`Wake::Done`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OpId(pub u32);

/// One open socket of a user, given out by the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SocketId(pub u32);

/// One running `every`, given out by the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TickerId(pub u32);

/// One channel of one group, given out by the engine.
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

/// Who must get a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Every member who listens, but the sender.
    Others,
    /// Every member who listens, the sender included.
    Everyone,
    /// These members, where they listen.
    Users(Vec<UserId>),
}

/// Where in a message one looks for a stamp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StampAt {
    /// In the value at this JSON pointer (RFC 6901).
    Pointer(String),
    /// It begins at exactly this byte, counted from 0; for text in UTF-8.
    Byte(usize),
}

/// Where a channel's stamp stands in a received message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StampPlace {
    /// `None`: anywhere in the message.
    pub at: Option<StampAt>,
    /// Values that must stand at other pointers, as JSON text: `("/type", "\"said\"")`.
    pub only: Vec<(String, String)>,
    /// Where these stand, likewise, a message says again what was said: its stamps are no receipts. None: no such message.
    pub except: Vec<(String, String)>,
    /// On Socket.IO: the event's name; pointers then lead into its first argument.
    pub event: Option<String>,
    /// The last value at the pointer is kept for [`Host::last`], stamped or not.
    pub keep: bool,
}

/// The body of an HTTP request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Body {
    /// No body.
    #[default]
    None,
    /// Bytes with their content type.
    Bytes {
        /// `Content-Type`, unless the headers name one.
        content_type: Option<&'static str>,
        /// The body itself.
        bytes: Vec<u8>,
    },
    /// `application/x-www-form-urlencoded`.
    Form(Vec<(String, String)>),
    /// `multipart/form-data`.
    Multipart(Vec<Part>),
}

/// One part of a multipart body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Field name.
    pub name: String,
    /// File name, when the part is a file.
    pub filename: Option<String>,
    /// Content type, when the part states one.
    pub content_type: Option<String>,
    /// The content.
    pub bytes: Vec<u8>,
}

/// One HTTP request as the script asked for it.
#[derive(Clone, Debug, Default)]
pub struct HttpCall {
    /// `GET`, `POST`, …
    pub method: Cow<'static, str>,
    /// Absolute, or relative to the target; `:name` parameters are already filled in.
    pub url: String,
    /// The name under which it is measured: low in cardinality, parameters unfilled.
    pub name: String,
    /// Headers of this request.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Body,
    /// Whole time allowed, if other than the run's.
    pub timeout: Option<Nanos>,
    /// How many redirects are followed, if other than the run's.
    pub redirects: Option<u32>,
    /// Statuses of 400 and more that are no failure.
    pub expect: Vec<u16>,
    /// When it should have been sent; `None`: now.
    pub planned: Option<Nanos>,
}

/// How the messages of a WebSocket hold JSON documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DocumentsIn {
    /// One in each message, or several that can be told apart without doubt.
    #[default]
    Auto,
    /// Each message is one document.
    Whole,
    /// The elements of a top-level array.
    Array,
    /// Each document ends with a newline and may go on in the next message.
    Lines,
    /// The same with the byte 0x1e.
    Records,
}

/// A WebSocket to open.
#[derive(Clone, Debug, Default)]
pub struct SocketCall {
    /// Absolute (`ws:`, `wss:`, `http:`, `https:`), or relative to the target.
    pub url: String,
    /// The name under which connecting is measured.
    pub name: String,
    /// Extra headers of the handshake.
    pub headers: Vec<(String, String)>,
    /// Subprotocols offered.
    pub subprotocols: Vec<String>,
    /// How its messages hold documents.
    pub documents: DocumentsIn,
    /// Whole time allowed for connecting, if other than the run's.
    pub timeout: Option<Nanos>,
    /// When it should have been asked for; `None`: now.
    pub planned: Option<Nanos>,
}

/// How a reply is matched to its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyBy {
    /// The first message that fits, in the order of sending.
    FirstInFirstOut,
    /// The message with this JSON value at this pointer.
    Id {
        /// JSON pointer in the reply.
        at: String,
        /// JSON text of the value.
        value: String,
    },
}

/// A message to which a reply is awaited.
#[derive(Clone, Debug)]
pub struct RoundTripCall {
    /// The name under which it is measured.
    pub name: Arc<str>,
    /// What is sent.
    pub payload: Payload,
    /// How the reply is known.
    pub by: ReplyBy,
    /// Values that must stand at pointers of the reply, as JSON text.
    pub only: Vec<(String, String)>,
    /// Time allowed, if other than the run's.
    pub timeout: Option<Nanos>,
    /// When it should have been sent; `None`: now.
    pub planned: Option<Nanos>,
}

/// An own metric of the scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricKind {
    /// A sum.
    Counter,
    /// The last value, with its minimum and maximum.
    Gauge,
    /// A distribution.
    Trend,
}

/// How loud a line of the script's `console` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// The engine as a script sees it. No call blocks, and none enters the script again.
pub trait Host {
    /// The run's clock.
    fn now(&self) -> Nanos;
    /// Whether the load goes on: false once the hold is over.
    fn is_active(&self) -> bool {
        true
    }
    /// A random number in `[0, 1)` from the user's own seeded generator.
    fn random(&mut self, user: UserId) -> f64;
    /// Makes one more user in a set-up group.
    fn new_user(&mut self, group: GroupId, pool: u32) -> UserId;
    /// Sets a header that all later requests of the user carry; `None` takes it away.
    fn set_header(&mut self, user: UserId, name: &str, value: Option<&str>) -> Result<(), Fault>;
    /// The user's cookie of that name for the target, if there is one.
    fn cookie(&mut self, user: UserId, name: &str) -> Option<String>;
    /// Marks a set-up user for the pool, with the JSON text of what the script made for them.
    fn pool_user(&mut self, user: UserId, data: String);
    /// A user could not be made ready for the pool.
    fn pool_failed(&mut self, user: UserId, fault: &Fault);
    /// A pool of `count` users begins to be made, `at_once` at a time. Its number.
    fn pool_begin(&mut self, count: u32, at_once: u32) -> u32;
    /// All of its users have been made, or have failed.
    fn pool_end(&mut self, pool: u32);

    /// Starts an HTTP request.
    fn http(&mut self, op: OpId, user: UserId, call: HttpCall) -> Result<(), Fault>;
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
    /// Awaits the next message on which no receipt or round trip has a claim; `only` as in [`StampPlace`].
    fn next_message(
        &mut self,
        op: OpId,
        socket: SocketId,
        only: Vec<(String, String)>,
        timeout: Option<Nanos>,
    ) -> Result<(), Fault>;
    /// Whether the script has a message handler on the socket. Without one no script runs per message.
    fn listen(&mut self, socket: SocketId, on: bool);
    /// Sends a ping; done when the pong is there.
    fn ping(&mut self, op: OpId, socket: SocketId) -> Result<(), Fault>;
    /// Closes a socket; done when the other side has closed too, or after a second.
    fn close_socket(
        &mut self,
        op: OpId,
        socket: SocketId,
        code: u16,
        reason: &str,
    ) -> Result<(), Fault>;

    /// Starts to open a Socket.IO socket: done when its namespace is granted.
    fn open_socketio(&mut self, op: OpId, user: UserId, call: SocketIoCall) -> Result<(), Fault>;
    /// Emits an event, or acknowledges one.
    fn emit(
        &mut self,
        socket: SocketId,
        said: Emission,
        planned: Option<Nanos>,
    ) -> Result<(), Fault>;
    /// Emits an event and awaits its acknowledgement.
    fn emit_acknowledged(
        &mut self,
        op: OpId,
        socket: SocketId,
        call: EventCall,
    ) -> Result<(), Fault>;
    /// Awaits the next event of this name.
    fn next_event(
        &mut self,
        op: OpId,
        socket: SocketId,
        event: String,
        timeout: Option<Nanos>,
    ) -> Result<(), Fault>;
    /// From now on the script has a handler for this event.
    fn listen_event(&mut self, socket: SocketId, event: &str);

    /// Wakes the operation after a while.
    fn sleep(&mut self, op: OpId, user: UserId, span: Nanos);
    /// Wakes the operation when the level's hold is over and its deliveries have settled.
    fn stay(&mut self, op: OpId, user: UserId);
    /// Starts an open clock: ticks every `period`, whatever the answers do, until the hold ends.
    /// `first`: time to the first tick; `None`: a random phase within the period.
    fn every(&mut self, user: UserId, period: Nanos, first: Option<Nanos>) -> TickerId;
    /// Stops a ticker.
    fn stop_ticker(&mut self, ticker: TickerId);

    /// Makes (or finds, by name) a channel of a group. `deadline`: later than that is late.
    fn channel(
        &mut self,
        group: GroupId,
        name: &str,
        audience: Audience,
        deadline: Option<Nanos>,
    ) -> Result<ChannelId, Fault>;
    /// A fresh stamp of this user on this channel. It counts as sent with the user's next send or request.
    fn stamp(
        &mut self,
        user: UserId,
        channel: ChannelId,
        planned: Option<Nanos>,
    ) -> Result<String, Fault>;
    /// From now on stamps of the channel are looked for, natively, in what the socket receives. The number by which
    /// that is known on the socket.
    fn receives(
        &mut self,
        socket: SocketId,
        channel: ChannelId,
        place: StampPlace,
    ) -> Result<u32, Fault>;
    /// Nobody looks for them any longer.
    fn stop_receiving(&mut self, socket: SocketId, receiving: u32);
    /// The last value that the socket received for a channel, as JSON text, where it is kept.
    fn last(&mut self, socket: SocketId, channel: ChannelId) -> Option<String>;

    /// What a user holds under a name: all members of the group must hold the same at the end of the iteration.
    fn user_state(&mut self, user: UserId, name: &str, text: &str);

    /// The number of the name of a step, or of a condition given to `eventually`. It stays the same.
    fn step_name(&mut self, name: &str, eventually: bool) -> u32;
    /// A step of a user (or of the group, with `None`) began, named by its number. The number by which it is ended.
    fn step_begin(&mut self, group: GroupId, user: Option<UserId>, name: u32) -> u64;
    /// The step ended, with a fault by an error.
    fn step_end(&mut self, group: GroupId, user: Option<UserId>, step: u64, fault: Option<&Fault>);
    /// Members of the group go their own ways at once (`on`), or no longer: a step that the group begins then lies
    /// within no other that it began meanwhile.
    fn concurrent(&mut self, group: GroupId, on: bool);
    /// A check was made.
    fn check(&mut self, group: GroupId, user: Option<UserId>, name: &str, ok: bool);
    /// A value of an own metric.
    fn metric(&mut self, kind: MetricKind, name: &str, value: f64);
    /// A line of the script's `console`.
    fn log(&mut self, level: LogLevel, line: &str);
}
