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
    /// A connection over a stream in any phase. Bytes written before the stream is open are sent when it opens.
    pub fn new(stream: Stream) -> Self {
        Self::with_body_limit(stream, BODY_LIMIT)
    }

    /// Like [`Connection::new`], but a body above `limit` bytes is a fault, whether compressed or decompressed.
    pub fn with_body_limit(stream: Stream, limit: usize) -> Self {
        Self {
            stream,
            parser: Parser::new(limit),
            answered: 0,
        }
    }

    /// From now on, drops the heads of responses with a status below 400, and counts the bytes of their bodies without
    /// storing them. Other responses are kept, because their bodies usually state the reason.
    pub fn discard(&mut self) {
        self.parser.discard();
    }

    /// The underlying stream, for registration with epoll.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// The underlying stream, for [`Stream::read`] and [`Stream::advance`].
    pub fn stream_mut(&mut self) -> &mut Stream {
        &mut self.stream
    }

    /// Sends an encoded request. No other request may be in flight. `expects_body` is false for HEAD.
    pub fn send(&mut self, encoded: &[u8], expects_body: bool) -> Result<(), Fault> {
        debug_assert!(self.parser.is_idle(), "one request at a time");
        self.parser.expect(!expects_body);
        self.stream.write(encoded)
    }

    /// Parses bytes that were read. Returns the response when it is complete.
    pub fn on_bytes(&mut self, bytes: &[u8]) -> Result<Option<Response>, Fault> {
        let response = self.parser.on_bytes(bytes)?;
        self.answered += u32::from(response.is_some());
        Ok(response)
    }

    /// Takes the fault for data that followed the last response in the same read and belongs to no request.
    pub fn take_unasked(&mut self) -> Option<Fault> {
        self.parser.take_unasked()
    }

    /// Handles the end of the peer's data. If this end completes the body, returns the response. Without a request in
    /// flight, the result is `Ok(None)`. An incomplete response is a fault.
    pub fn on_close(&mut self) -> Result<Option<Response>, Fault> {
        self.parser.on_close()
    }

    /// Whether another request may be sent: the response is complete, neither side wants to close, and the last request
    /// has been sent completely. (A server may respond before it has read a large body.)
    pub fn reusable(&self) -> bool {
        self.parser.is_idle() && self.parser.keeps_alive() && !self.stream.wants_write()
    }

    /// The number of responses received.
    pub fn answered(&self) -> u32 {
        self.answered
    }

    /// Whether the response to a sent request is still incomplete.
    pub fn is_waiting(&self) -> bool {
        !self.parser.is_idle()
    }

    /// After a failure, whether the peer most likely closed the connection while it was idle. This is assumed if the
    /// connection served an earlier response and broke before the first byte of the current response. An idempotent
    /// request may be repeated on a new connection (RFC 9110 §9.2.2).
    pub fn is_stale_close(&self) -> bool {
        self.answered > 0 && self.parser.is_untouched()
    }
}
