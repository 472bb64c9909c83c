use model::{Fault, FaultKind};

use super::hello::Login;
use super::session::{Session, Signal};
use crate::stream::Stream;

/// One connection to a Redis server.
#[derive(Debug)]
pub struct Connection {
    stream: Stream,
    session: Session,
}

impl Connection {
    /// Logs in over a stream in any phase. A reply above `limit` bytes is a fault.
    pub fn open(mut stream: Stream, login: &Login, limit: usize) -> Result<Self, Fault> {
        let mut greeting = Vec::new();
        let session = Session::begin(login, limit, &mut greeting);
        stream.write(&greeting)?;
        Ok(Self { stream, session })
    }

    /// The underlying stream, for registration with epoll.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// The underlying stream, for [`Stream::read`] and [`Stream::advance`].
    pub fn stream_mut(&mut self) -> &mut Stream {
        &mut self.stream
    }

    /// Whether a reply or a push has begun to arrive and is not complete.
    pub fn holds_a_part(&self) -> bool {
        self.session.holds_a_part()
    }

    /// Sends commands in one write. Their responses have the tokens from `first` on. If one of the commands is not
    /// possible, none is sent. `scratch` is used for the encoded commands, and its content is replaced.
    pub fn send(
        &mut self,
        scratch: &mut Vec<u8>,
        first: u64,
        commands: &[Vec<&[u8]>],
    ) -> Result<(), Fault> {
        commands
            .iter()
            .try_for_each(|command| Session::allows(command))?;
        scratch.clear();
        for (token, command) in (first..).zip(commands) {
            self.session.send(scratch, token, command)?;
        }
        self.stream.write(scratch)
    }

    /// Parses bytes that were read, and calls `sink` for each signal in order.
    pub fn on_bytes(
        &mut self,
        bytes: &[u8],
        sink: &mut impl FnMut(Signal<'_>),
    ) -> Result<(), Fault> {
        self.session.on_bytes(bytes, sink)
    }

    /// The fault of a connection that the server has closed.
    pub fn on_close(&self) -> Fault {
        let detail = if !self.session.is_connected() {
            "the Redis server closed the connection before it accepted the client"
        } else if self.session.holds_a_part() {
            "the Redis server closed the connection in the middle of a reply"
        } else {
            "the Redis server closed the connection"
        };
        Fault::target(FaultKind::Closed, detail)
    }
}
