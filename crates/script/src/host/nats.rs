use std::fmt;

use model::{Fault, Nanos, UserId};

use super::message::Content;
use super::{OpId, Payload, SocketId, SubscribeCall};
use crate::loading::{Loading, refused};

/// A connection to a NATS server.
#[derive(Clone, Debug, Default)]
pub struct NatsCall {
    /// The URL (`nats:`, `tls:`). `None` means the target.
    pub url: Option<String>,
    /// Name under which the connection is measured.
    pub name: String,
    /// How the user proves who it is.
    pub login: NatsLogin,
    /// Whether the user's own messages do not come back.
    pub no_echo: bool,
    /// Whether the users of a worker who connect in the same way share one connection.
    pub is_shared: bool,
    /// Time limit until the server has accepted the user. `None` means the run's limit.
    pub timeout: Option<Nanos>,
    /// Planned start. `None` means now.
    pub planned: Option<Nanos>,
}

/// How a user of a NATS server proves who it is.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum NatsLogin {
    /// Not at all.
    #[default]
    Anonymous,
    /// With a token.
    Token(String),
    /// With a name and a password.
    Password {
        /// The name.
        user: String,
        /// The password.
        password: String,
    },
    /// With the seed of an nkey.
    Seed(String),
    /// With the content of a credentials file.
    File(String),
}

impl fmt::Debug for NatsLogin {
    /// Shows the kind alone, because the rest is secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Anonymous => "Anonymous",
            Self::Token(_) => "Token",
            Self::Password { .. } => "Password",
            Self::Seed(_) => "Seed",
            Self::File(_) => "File",
        })
    }
}

/// A message to publish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publication {
    /// The subject.
    pub subject: String,
    /// The subject for replies.
    pub reply: Option<String>,
    /// The headers. A name can occur several times.
    pub headers: Vec<(String, String)>,
    /// The content.
    pub payload: Payload,
}

/// A message that awaits a reply.
#[derive(Clone, Debug)]
pub struct NatsRequest {
    /// Name under which the round trip is measured.
    pub name: String,
    /// The message. Its subject for replies is that of the connection.
    pub message: Publication,
    /// Whether JetStream replies, so that the reply is JSON and can contain an error.
    pub is_jetstream: bool,
    /// Time limit. `None` means the run's limit.
    pub timeout: Option<Nanos>,
    /// Planned start. `None` means now.
    pub planned: Option<Nanos>,
}

/// A subscription to begin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NatsSubscribeCall {
    /// The subject, which can contain wildcards.
    pub subject: String,
    /// The queue group, whose members share the messages.
    pub queue: Option<String>,
    /// Number of messages after which the subscription ends.
    pub max: Option<u64>,
    /// The consumer that sends the messages. The subject is then that of an inbox, which the engine chooses.
    pub consumer: Option<ConsumerCall>,
    /// Time limit until the server has confirmed the subscription. `None` means the run's limit.
    pub timeout: Option<Nanos>,
}

/// Messages to request from a consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchCall {
    /// Maximum number of messages.
    pub count: u64,
    /// The time after which the server sends no more.
    pub timeout: Nanos,
}

/// A consumer of JetStream, and how to use it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConsumerCall {
    /// The stream.
    pub stream: String,
    /// The consumer.
    pub name: String,
    /// Number of messages to request at a time, without end. `None`: [`NatsHost::nats_fetch`] requests them.
    pub batch: Option<u64>,
    /// Whether to acknowledge each message.
    pub acknowledges: bool,
}

/// A member of a passive audience with a subscription on a NATS server.
#[derive(Clone, Debug, Default)]
pub struct NatsMember {
    /// The connection.
    pub call: NatsCall,
    /// The subject, as the only name. It can contain wildcards.
    pub subscribe: SubscribeCall,
}

/// A received message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NatsMessage {
    /// The subject to which it was published.
    pub subject: String,
    /// The subject for replies.
    pub reply: Option<String>,
    /// The headers, in order.
    pub headers: Vec<(String, String)>,
    /// The status, if the server sent one instead of a message: code and description.
    pub status: Option<(u16, String)>,
    /// The content: text if it is valid UTF-8.
    pub payload: Payload,
}

/// The properties of a NATS server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NatsServer {
    /// The unique id.
    pub id: String,
    /// The version.
    pub version: String,
    /// Maximum size of a message with its headers, in bytes.
    pub max_payload: usize,
    /// Whether JetStream is enabled.
    pub jetstream: bool,
}

/// The calls for NATS.
pub trait NatsHost {
    /// Starts to connect to a NATS server. The operation completes when the server has accepted the user. The connection
    /// is a socket without messages of its own.
    fn open_nats(&mut self, op: OpId, user: UserId, call: NatsCall) -> Result<(), Fault>;
    /// Returns the properties of the server. `None` once the connection is closed.
    fn nats_server(&mut self, connection: SocketId) -> Option<NatsServer>;
    /// Publishes a message.
    fn nats_publish(
        &mut self,
        connection: SocketId,
        message: Publication,
        planned: Option<Nanos>,
    ) -> Result<(), Fault>;
    /// Sends a request and awaits its reply.
    fn nats_request(
        &mut self,
        op: OpId,
        connection: SocketId,
        call: NatsRequest,
    ) -> Result<(), Fault>;
    /// Starts a subscription. The operation completes when the server has confirmed it. The subscription is a socket on
    /// which nothing can be sent.
    fn nats_subscribe(
        &mut self,
        op: OpId,
        connection: SocketId,
        call: NatsSubscribeCall,
    ) -> Result<(), Fault>;
    /// Requests messages from the consumer of a subscription. The operation completes when all have arrived, or the time is
    /// over.
    fn nats_fetch(
        &mut self,
        op: OpId,
        subscription: SocketId,
        call: FetchCall,
    ) -> Result<(), Fault>;
    /// Awaits that the server has processed everything sent before.
    fn nats_flush(&mut self, op: OpId, connection: SocketId) -> Result<(), Fault>;
}

impl Content for Box<NatsMessage> {
    fn bytes(&self) -> &[u8] {
        self.payload.bytes()
    }
}

impl<C> NatsHost for Loading<C> {
    calls_of_groups! {
        open_nats(OpId, UserId, NatsCall) -> Result<(), Fault> = refused();
        nats_server(SocketId) -> Option<NatsServer> = None;
        nats_publish(SocketId, Publication, Option<Nanos>) -> Result<(), Fault> = refused();
        nats_request(OpId, SocketId, NatsRequest) -> Result<(), Fault> = refused();
        nats_subscribe(OpId, SocketId, NatsSubscribeCall) -> Result<(), Fault> = refused();
        nats_fetch(OpId, SocketId, FetchCall) -> Result<(), Fault> = refused();
        nats_flush(OpId, SocketId) -> Result<(), Fault> = refused();
    }
}
