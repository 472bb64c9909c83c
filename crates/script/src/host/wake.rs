use std::sync::Arc;

use model::{Fault, Nanos};
use url::Url;

use super::{Heard, OpId, Payload, SocketId, TickerId};

/// An HTTP answer. The head is kept raw: it is parsed only when the script looks at it.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// Status line and headers as received, with the blank line.
    pub head: Vec<u8>,
    /// The decoded body.
    pub body: Vec<u8>,
    /// The URL that answered, after redirects.
    pub url: Option<Arc<Url>>,
    /// From the planned start to the last byte.
    pub response_time: Nanos,
}

/// What a finished operation gives to its promise.
#[derive(Clone, Debug)]
pub enum Value {
    /// `undefined`.
    Nothing,
    /// A response object.
    Response(Box<Reply>),
    /// A socket object with the subprotocol agreed on.
    Socket(SocketId, Option<String>),
    /// A message: a string or an `ArrayBuffer`.
    Message(Payload),
    /// The arguments of an event or of an acknowledgement.
    Heard(Heard),
}

/// Something that happened, to be told to the script in its next turn.
#[derive(Clone, Debug)]
pub enum Wake {
    /// A pending operation ended.
    Done {
        /// Which.
        op: OpId,
        /// How.
        result: Result<Value, Fault>,
    },
    /// A ticker is due.
    Tick {
        /// Which.
        ticker: TickerId,
        /// When it was due: what is sent in the callback counts from here.
        due: Nanos,
    },
    /// A message for the handlers of a socket.
    Message {
        /// Where it came in.
        socket: SocketId,
        /// What came in.
        payload: Payload,
    },
    /// An event for its handlers on a Socket.IO socket.
    Event {
        /// Where it came in.
        socket: SocketId,
        /// Its name.
        event: String,
        /// Its arguments.
        heard: Heard,
        /// By what the server wants it acknowledged.
        ack: Option<u64>,
    },
    /// A socket is gone: its `close` handlers are called.
    Closed {
        /// Which.
        socket: SocketId,
        /// WebSocket close code, when one was sent.
        code: Option<u16>,
        /// The reason in words.
        reason: String,
    },
}
