use model::Fault;

use super::part::Part;
use super::session::{Finished, Session};
use super::stream_id::StreamId;
use crate::http::Request;
use crate::stream::Stream;

/// One HTTP/2 connection: over TLS if the stream [agreed](Stream::agreed_protocol) on `h2`, and in plain text with
/// prior knowledge (RFC 9113 §3.3).
///
/// Every call may finish requests: call [`Connection::next_finished`] until it returns `None`.
#[derive(Debug)]
pub struct Connection {
    stream: Stream,
    session: Session,
    sent: u64,
}

impl Connection {
    /// A connection over a stream in any phase. Bytes written before the stream is open are sent when it opens.
    /// A body above `body_limit` bytes is a fault, whether compressed or decompressed.
    pub fn new(stream: Stream, body_limit: usize) -> Result<Self, Fault> {
        Ok(Self {
            stream,
            session: Session::new(body_limit)?,
            sent: 0,
        })
    }

    /// From now on, drops the heads of responses with a status below 400, and counts the bytes of their bodies without
    /// storing them. Other responses are kept, because their bodies usually state the reason.
    pub fn discard(&mut self) {
        self.session.discard();
    }

    /// The underlying stream, for registration with epoll.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// The underlying stream, for [`Stream::read`] and [`Stream::advance`].
    pub fn stream_mut(&mut self) -> &mut Stream {
        &mut self.stream
    }

    /// Sends a request, as [`Session::send`] does. After a fault, the request has no stream. Check
    /// [`Connection::is_usable`] to learn whether the connection survived.
    pub fn send(&mut self, request: &Request, cookies: Option<&str>) -> Result<StreamId, Fault> {
        let stream = self.session.send(request, cookies)?;
        if let Err(fault) = self.flush() {
            self.session.cancel(stream)?;
            return Err(fault);
        }
        Ok(stream)
    }

    /// Returns the response to a request in parts, as [`Session::pass_parts`] does.
    pub fn pass_parts(&mut self, stream: StreamId) {
        self.session.pass_parts(stream);
    }

    /// Parses bytes that were read. A fault ends the connection. [`Connection::next_finished`] then returns the outcome
    /// of every request in flight.
    pub fn on_bytes(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let parsed = self.session.on_bytes(bytes);
        let flushed = self.flush(); // even after a fault: the output may have a GOAWAY with the reason for the peer
        parsed.and(flushed)
    }

    /// Handles the end of the peer's data: requests in flight get no response.
    pub fn on_close(&mut self) {
        self.session.on_close();
    }

    /// Ends all requests in flight with `fault`. Called when the stream has failed or is abandoned.
    pub fn fail(&mut self, fault: &Fault) {
        self.session.fail(fault);
    }

    /// The earliest part of a response that was not returned yet; see [`Session::next_part`].
    pub fn next_part(&mut self) -> Option<Part> {
        self.session.next_part()
    }

    /// The earliest finished request that was not returned yet.
    pub fn next_finished(&mut self) -> Option<Finished> {
        self.session.next_finished()
    }

    /// Resets a stream whose response is no longer needed. [`Connection::next_finished`] then never returns it. Does
    /// nothing if the request has finished and was already returned.
    pub fn cancel(&mut self, stream: StreamId) -> Result<(), Fault> {
        self.session.cancel(stream)?;
        self.flush()
    }

    /// Whether at least the head of the response has arrived.
    pub fn has_begun(&self, stream: StreamId) -> bool {
        self.session.has_begun(stream)
    }

    /// The number of complete responses.
    pub fn answered(&self) -> u32 {
        self.session.answered()
    }

    /// The number of requests without a complete response.
    pub fn in_flight(&self) -> usize {
        self.session.in_flight()
    }

    /// The number of requests that may be sent now; see [`Session::may_send`].
    pub fn may_send(&self) -> usize {
        self.session.may_send()
    }

    /// Whether neither side has announced the end of the connection (GOAWAY). If false, requests in flight may still
    /// get a response.
    pub fn is_usable(&self) -> bool {
        self.session.is_usable()
    }

    /// Number of bytes written to the stream so far: heads, control frames, and bodies as far as the peer's
    /// flow-control windows allow.
    pub fn bytes_sent(&self) -> u64 {
        self.sent
    }

    fn flush(&mut self) -> Result<(), Fault> {
        let stream = &mut self.stream;
        match self.session.take_output(|bytes| stream.write(bytes)) {
            Ok(count) => {
                self.sent += count;
                Ok(())
            }
            Err(fault) => {
                self.session.fail(&fault);
                Err(fault)
            }
        }
    }
}
