use model::{Fault, Nanos};

use super::{Heard, Message, OpId, Reply, SocketId, TickerId};

/// The value with which an operation resolves its promise.
#[derive(Clone, Debug)]
pub enum Value {
    /// `undefined`.
    Nothing,
    /// A response object.
    Response(Box<Reply>),
    /// A socket object, with the agreed subprotocol.
    Socket(SocketId, Option<String>),
    /// A message.
    Message(Message),
    /// Messages.
    Messages(Vec<Message>),
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
        message: Message,
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
