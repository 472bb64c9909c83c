use model::Fault;

use super::session::{Finished, Session, StreamId};
use crate::http::Request;
use crate::stream::Stream;

/// One HTTP/2 connection: over TLS when the stream [agreed](Stream::agreed_protocol) on `h2`, in the clear with
/// prior knowledge (RFC 9113 §3.3).
///
/// Every call may end requests: ask [`Connection::next_finished`] until it has none.
#[derive(Debug)]
pub struct Connection {
    stream: Stream,
    session: Session,
    sent: u64,
}

impl Connection {
    /// Over a stream in any phase: what is sent early leaves when the stream opens.
    /// Refuses bodies, compressed or not, above `body_limit` bytes.
    pub fn new(stream: Stream, body_limit: usize) -> Result<Self, Fault> {
        Ok(Self {
            stream,
            session: Session::new(body_limit)?,
            sent: 0,
        })
    }

    /// From now on bodies are counted and not kept, nor the heads of answers below 400.
    pub fn discard(&mut self) {
        self.session.discard();
    }

    /// The stream below, to read from and to register.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// The stream below, to read from and to advance.
    pub fn stream_mut(&mut self) -> &mut Stream {
        &mut self.stream
    }

    /// Sends a request, as [`Session::send`] does. On a fault this request has no stream; whether the others still
    /// do, [`Connection::is_usable`] says.
    pub fn send(&mut self, request: &Request, cookies: Option<&str>) -> Result<StreamId, Fault> {
        let stream = self.session.send(request, cookies)?;
        if let Err(fault) = self.flush() {
            self.session.cancel(stream)?;
            return Err(fault);
        }
        Ok(stream)
    }

    /// Bytes came. A fault ends the connection; [`Connection::next_finished`] says what became of the requests.
    pub fn on_bytes(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let parsed = self.session.on_bytes(bytes);
        let flushed = self.flush(); // also the GOAWAY that tells the peer what was wrong
        parsed.and(flushed)
    }

    /// The peer sent its last byte: what is in flight gets no answer.
    pub fn on_close(&mut self) {
        self.session.on_close();
    }

    /// The stream failed or is given up: what is in flight ends with `fault`.
    pub fn fail(&mut self, fault: &Fault) {
        self.session.fail(fault);
    }

    /// The request that ended longest ago and was not handed out yet.
    pub fn next_finished(&mut self) -> Option<Finished> {
        self.session.next_finished()
    }

    /// Resets a stream whose answer nobody wants any more; it is never handed out. Nothing when it has ended already.
    pub fn cancel(&mut self, stream: StreamId) -> Result<(), Fault> {
        self.session.cancel(stream)?;
        self.flush()
    }

    /// The head of the answer has come, or all of it.
    pub fn has_begun(&self, stream: StreamId) -> bool {
        self.session.has_begun(stream)
    }

    /// Requests without a whole answer.
    pub fn in_flight(&self) -> usize {
        self.session.in_flight()
    }

    /// How many requests may be sent now; see [`Session::may_send`].
    pub fn may_send(&self) -> usize {
        self.session.may_send()
    }

    /// Neither side wants to leave (GOAWAY). When false, what is in flight may still be answered.
    pub fn is_usable(&self) -> bool {
        self.session.is_usable()
    }

    /// Bytes handed to the stream since the beginning: heads, bodies as far as the peer's windows let them go,
    /// and what HTTP/2 itself needs.
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
