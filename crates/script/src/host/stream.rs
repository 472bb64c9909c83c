use std::sync::Arc;

use model::{Fault, Nanos};

use super::{OpId, SocketId};
use crate::audio::Chunks;

/// A stream to send on a WebSocket: chunk `i` is due `i` times `every` after the first chunk.
#[derive(Clone, Debug)]
pub struct StreamCall {
    /// Name under which the stream and the round trips of its chunks are measured.
    pub name: Arc<str>,
    /// The chunks, encoded.
    pub chunks: Arc<Chunks>,
    /// The text around each chunk. `None`: each chunk is a binary message.
    pub template: Option<Template>,
    /// Time between two chunks.
    pub every: Nanos,
    /// How many times the chunks are sent.
    pub repeat: u32,
    /// Maximum number of chunks that await their replies. Further chunks are dropped.
    pub in_flight: u32,
    /// How replies are found and matched. `None`: chunks have no replies.
    pub reply: Option<StreamReply>,
    /// The first result of an utterance.
    pub first: Option<Pattern>,
    /// The final result of an utterance.
    pub last: Option<Pattern>,
    /// Time limit for the remaining replies, from the end of the audio. `None` means the run's limit.
    pub timeout: Option<Nanos>,
}

/// The JSON text of a message, with places for the chunk and its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template(pub Vec<Piece>);

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// The same text in each message.
    Text(String),
    /// The chunk, encoded as base64.
    Chunk,
    /// The number of the chunk in its stream, from 0.
    Number,
}

/// How the replies to chunks are found and matched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamReply {
    /// The values of a reply, keyed by JSON pointer. Each list has the JSON texts of the accepted values.
    pub only: Vec<(String, Vec<String>)>,
    /// JSON pointer to the number of the chunk. `None`: replies arrive in the order of the chunks.
    pub by: Option<String>,
}

/// The messages that are results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    /// The values of a result, as in [`StreamReply::only`].
    pub only: Vec<(String, Vec<String>)>,
    /// JSON pointer to a value that must be neither missing, nor null, nor an empty string.
    pub has: Option<String>,
}

/// The calls about streams.
pub trait StreamHost {
    /// Starts a stream. The operation completes when all chunks are sent and all replies have arrived.
    fn start_stream(&mut self, op: OpId, socket: SocketId, call: StreamCall) -> Result<(), Fault>;
    /// Sends no more chunks of the socket's stream. Its operation completes when the outstanding replies have arrived.
    fn stop_stream(&mut self, socket: SocketId);
}
