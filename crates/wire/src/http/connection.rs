use model::Fault;

use super::parser::{BODY_LIMIT, Parser};
use super::response::Response;
use crate::stream::Stream;

/// One HTTP/1.1 connection with at most one request in flight.
#[derive(Debug)]
pub struct Connection {
    stream: Stream,
    parser: Parser,
    answered: u32,
}

impl Connection {
    /// Over a stream in any phase: what is sent early leaves when the stream opens.
    pub fn new(stream: Stream) -> Self {
        Self::with_body_limit(stream, BODY_LIMIT)
    }

    /// Refuses bodies, compressed or not, above `limit` bytes.
    pub fn with_body_limit(stream: Stream, limit: usize) -> Self {
        Self {
            stream,
            parser: Parser::new(limit),
            answered: 0,
        }
    }

    /// From now on bodies are counted and not kept, nor the heads of answers below 400.
    pub fn discard(&mut self) {
        self.parser.discard();
    }

    /// The stream below, to read from and to register.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// The stream below, to read from and to advance.
    pub fn stream_mut(&mut self) -> &mut Stream {
        &mut self.stream
    }

    /// Sends an encoded request; none may be in flight. `expects_body` is false for HEAD.
    pub fn send(&mut self, encoded: &[u8], expects_body: bool) -> Result<(), Fault> {
        debug_assert!(self.parser.is_idle(), "one request at a time");
        self.parser.expect(!expects_body);
        self.stream.write(encoded)
    }

    /// Bytes came. Returns the response when it is whole.
    pub fn on_bytes(&mut self, bytes: &[u8]) -> Result<Option<Response>, Fault> {
        let response = self.parser.on_bytes(bytes)?;
        self.answered += u32::from(response.is_some());
        Ok(response)
    }

    /// What came behind the last response, in the same read, and belongs to none.
    pub fn take_unasked(&mut self) -> Option<Fault> {
        self.parser.take_unasked()
    }

    /// The peer sent its last byte: the end of some bodies, `Ok(None)` when nothing was in flight,
    /// and a fault when an answer was cut.
    pub fn on_close(&mut self) -> Result<Option<Response>, Fault> {
        self.parser.on_close()
    }

    /// Another request may be sent: the answer was whole, neither side wants to close, and the last
    /// request had left entirely (a server may answer before it has read a large body).
    pub fn reusable(&self) -> bool {
        self.parser.is_idle() && self.parser.keeps_alive() && !self.stream.wants_write()
    }

    /// How many answers have come.
    pub fn answered(&self) -> u32 {
        self.answered
    }

    /// A request was sent and its answer is not whole.
    pub fn is_waiting(&self) -> bool {
        !self.parser.is_idle()
    }

    /// After a failure: the connection was in use before and broke without one byte of this answer, so most likely the
    /// peer had closed it while idle. An idempotent request may be repeated on a new one (RFC 9110 §9.2.2).
    pub fn is_stale_close(&self) -> bool {
        self.answered > 0 && self.parser.is_untouched()
    }
}
