use model::{Fault, FaultKind};

use super::connect::Login;
use super::info::Info;
use super::session::{Session, Signal};
use crate::stream::Stream;
use crate::tls::TlsSettings;

/// One connection to a NATS server.
///
/// The caller encodes what it sends into a buffer of its own, which can serve all connections, and passes the buffer to
/// [`Connection::send`].
#[derive(Debug)]
pub struct Connection {
    stream: Stream,
    session: Session,
}

impl Connection {
    /// A connection on a stream in any phase. The server speaks first. A message above `limit` bytes is a fault.
    pub fn new(stream: Stream, login: Login, limit: usize) -> Self {
        let is_secure = stream.is_secured();
        Self {
            stream,
            session: Session::new(login, is_secure, limit),
        }
    }

    /// The underlying stream, for registration with epoll.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// The underlying stream, for [`Stream::read`] and [`Stream::advance`].
    pub fn stream_mut(&mut self) -> &mut Stream {
        &mut self.stream
    }

    /// The server's properties; empty before its first line.
    pub fn info(&self) -> &Info {
        self.session.info()
    }

    /// Whether the server has accepted the client.
    pub fn is_connected(&self) -> bool {
        self.session.is_connected()
    }

    /// Whether a frame has begun to arrive and is not complete.
    pub fn holds_a_part(&self) -> bool {
        self.session.holds_a_part()
    }

    /// Begins TLS after [`Signal::StartTls`]. `name` is the name that the certificate must have.
    pub fn start_tls(&mut self, settings: &TlsSettings, name: &str) -> Result<(), Fault> {
        self.stream.start_tls(settings, name)
    }

    /// Continues when the stream has opened: at first, and once more when TLS is established. Uses `out` to encode.
    pub fn on_open(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        if !self.session.is_securing() {
            return Ok(());
        }
        out.clear();
        self.session.secured(out)?;
        self.send(out)
    }

    /// Parses bytes that were read, appends the replies to `out`, and calls `sink` for each signal in order. The caller
    /// sends `out`, to which it can append first.
    pub fn on_bytes(
        &mut self,
        bytes: &[u8],
        out: &mut Vec<u8>,
        sink: &mut impl FnMut(Signal<'_>),
    ) -> Result<(), Fault> {
        self.session.on_bytes(bytes, out, sink)
    }

    /// Handles the end of the peer's data.
    pub fn on_close(&self) -> Fault {
        let detail = if self.session.is_connected() {
            "the NATS server closed the connection without an error: see its log (it closes slow consumers this way)"
        } else {
            "the NATS server closed the connection before it accepted the client"
        };
        Fault::target(FaultKind::Closed, detail)
    }

    /// Appends a message to `out`, unless the server's limit or lack of headers forbids it.
    pub fn publish(
        &self,
        out: &mut Vec<u8>,
        (subject, reply): (&str, Option<&str>),
        headers: &[(&str, &str)],
        payload: &[u8],
    ) -> Result<(), Fault> {
        self.session.publish(out, subject, reply, headers, payload)
    }

    /// Sends encoded frames.
    pub fn send(&mut self, frames: &[u8]) -> Result<(), Fault> {
        if frames.is_empty() {
            return Ok(());
        }
        self.stream.write(frames)
    }
}
