use std::sync::Arc;

use model::{Fault, Nanos};
use url::Url;

use super::{Heard, OpId, Payload, SocketId, TickerId};

/// An HTTP response. The head is stored raw, and parsed only when the script reads it.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// Status line and headers as received, including the blank line.
    pub head: Vec<u8>,
    /// The decoded body.
    pub body: Vec<u8>,
    /// The URL of the response, after redirects.
    pub url: Option<Arc<Url>>,
    /// Time from the planned start to the last byte.
    pub response_time: Nanos,
}

/// The value with which an operation resolves its promise.
#[derive(Clone, Debug)]
pub enum Value {
    /// `undefined`.
    Nothing,
    /// A response object.
    Response(Box<Reply>),
    /// A socket object, with the agreed subprotocol.
    Socket(SocketId, Option<String>),
    /// A message: a string or an `ArrayBuffer`.
    Message(Payload),
    /// The arguments of an event or of an acknowledgement.
    Heard(Heard),
}

/// An event for the script's next turn.
#[derive(Clone, Debug)]
pub enum Wake {
    /// A pending operation ended.
    Done {
        /// The operation.
        op: OpId,
        /// Result of the operation.
        result: Result<Value, Fault>,
    },
    /// A ticker is due.
    Tick {
        /// The ticker.
        ticker: TickerId,
        /// Time at which the ticker was due. The latency of messages sent in the callback counts from this time.
        due: Nanos,
    },
    /// A message for the handlers of a socket.
    Message {
        /// The socket.
        socket: SocketId,
        /// The message.
        payload: Payload,
    },
    /// An event for the handlers on a Socket.IO socket.
    Event {
        /// The socket.
        socket: SocketId,
        /// Name of the event.
        event: String,
        /// Arguments of the event.
        heard: Heard,
        /// Number with which the server requests an acknowledgement.
        ack: Option<u64>,
    },
    /// A socket was closed. Its `close` handlers are called.
    Closed {
        /// The socket.
        socket: SocketId,
        /// WebSocket close code, if one was sent.
        code: Option<u16>,
        /// The reason as text.
        reason: String,
    },
}
