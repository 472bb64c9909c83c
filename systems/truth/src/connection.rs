use std::io::{self, Write as _};
use std::net::TcpStream;

use rustix::event::epoll::EventFlags;

use crate::clock::Nanos;
use crate::frame::Opcode;
use crate::receipt;

/// Maximum number of bytes read ahead of parsing.
pub(crate) const READ_AHEAD: usize = 256 * 1024;

/// One connection, with its unparsed input, unwritten output and state.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) socket: TcpStream,
    pub(crate) input: Vec<u8>,
    /// Time at which the kernel received the input that is being parsed. `None` unless the input has just been read.
    pub(crate) received: Option<Nanos>,
    pub(crate) output: Vec<u8>,
    written: usize,
    pub(crate) state: State,
    pub(crate) fate: Fate,
    /// Whether the connection is read only when a timer fires, to limit the rate.
    pub(crate) paced: bool,
    /// Whether output must be written at the end of the event loop's round.
    pub(crate) dirty: bool,
    pub(crate) interest: EventFlags,
    /// The fragments received so far of an incomplete message.
    pub(crate) partial: Option<(Opcode, Vec<u8>)>,
}

/// Whether and how a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Open,
    /// The connection is closed when all output has been written.
    Ending,
    /// The client is too slow. The connection is closed at the end of the round, even with unwritten output.
    CutOff,
}

/// The state of a connection.
#[derive(Clone, Debug)]
pub(crate) enum State {
    /// Waiting for the head of a request.
    Head,
    /// Reading the rest of a body, at the rate `pace` if that is set.
    Body {
        request: Request,
        left: u64,
        pace: Option<Pace>,
    },
    /// Waiting until the response is due, or until a thread has used the requested CPU time.
    Held { request: Request, status: u16 },
    /// Writing the response at a limited rate.
    Trickle {
        request: Request,
        left: u64,
        pace: Pace,
    },
    /// The request never gets a response.
    Silent,
    /// Waiting until the client may join a room.
    Joining(Box<Upgrade>),
    /// The client is a member of `room`. `seat` is its index there.
    Member {
        room: usize,
        seat: usize,
        pace: Option<Pace>,
    },
}

/// A request to join a room.
#[derive(Clone, Debug)]
pub(crate) struct Upgrade {
    pub(crate) room: usize,
    /// The path and the query of the room.
    pub(crate) target: String,
    pub(crate) websocket_key: String,
}

/// A request that has been read, or is being read.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) what: What,
    pub(crate) keep_alive: bool,
    /// Time at which the request had been read completely.
    pub(crate) read_at: Nanos,
    /// Time at which the kernel received the last byte of the request.
    pub(crate) received_at: Nanos,
}

/// The purpose of a request.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// Execute the action of the route with this index.
    Order(usize),
    /// Restart the route with this index.
    Restart(usize),
    /// Report all counts.
    Tell,
    /// Reset all counts.
    Forget,
    /// Report that the server is alive.
    Health,
    /// Refuse the request, with a status and a message.
    Refused(u16, String),
}

/// A rate limit in bytes per second, with the bytes moved since its start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    pub(crate) rate: u64,
    pub(crate) since: Nanos,
    pub(crate) moved: u64,
}

impl Pace {
    pub(crate) fn new(rate: u64, since: Nanos) -> Self {
        Self {
            rate,
            since,
            moved: 0,
        }
    }

    /// Number of bytes that may be moved at `now`.
    pub(crate) fn due(&self, now: Nanos) -> u64 {
        let nanos = u128::from(now.saturating_sub(self.since));
        let due = u128::from(self.rate) * nanos / 1_000_000_000;
        u64::try_from(due)
            .unwrap_or(u64::MAX)
            .saturating_sub(self.moved)
    }

    /// The time at which `more` further bytes may be moved.
    pub(crate) fn when(&self, more: u64) -> Nanos {
        let nanos = u128::from(self.moved + more) * 1_000_000_000;
        let span = nanos.div_ceil(u128::from(self.rate));
        self.since
            .saturating_add(u64::try_from(span).unwrap_or(u64::MAX))
    }
}

impl Connection {
    pub(crate) fn new(socket: TcpStream) -> Self {
        receipt::stamp(&socket);
        Self {
            received: None,
            socket,
            input: Vec::new(),
            output: Vec::new(),
            written: 0,
            state: State::Head,
            fate: Fate::Open,
            paced: false,
            dirty: false,
            interest: EventFlags::IN,
            partial: None,
        }
    }

    /// Reads at most `scratch.len()` bytes. Returns the number of bytes (0 at the end of the stream), and the time at
    /// which the kernel received them.
    pub(crate) fn read(&mut self, scratch: &mut [u8]) -> io::Result<(usize, Nanos)> {
        let (read, received) = receipt::read(&self.socket, scratch)?;
        self.input.extend_from_slice(&scratch[..read]);
        Ok((read, received))
    }

    /// Writes as much output as the socket accepts. Returns the number of bytes written.
    pub(crate) fn write(&mut self) -> io::Result<usize> {
        let before = self.written;
        while self.written < self.output.len() {
            match self.socket.write(&self.output[self.written..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => self.written += n,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let wrote = self.written - before;
        if self.written == self.output.len() {
            self.output.clear();
            self.written = 0;
        } else if self.written > self.output.len() / 2 {
            self.output.drain(..self.written);
            self.written = 0;
        }
        Ok(wrote)
    }

    /// The size of the unwritten output in bytes.
    pub(crate) fn waiting(&self) -> usize {
        self.output.len() - self.written
    }

    /// The events for which the connection waits now.
    pub(crate) fn wanted(&self) -> EventFlags {
        let mut wanted = EventFlags::empty();
        wanted.set(EventFlags::IN, !self.paced && self.input.len() < READ_AHEAD);
        wanted.set(EventFlags::OUT, self.waiting() > 0);
        wanted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SECOND;

    #[test]
    fn a_pace_is_kept_from_its_begin() {
        let mut pace = Pace::new(1000, 5 * SECOND);
        assert_eq!(pace.due(5 * SECOND), 0);
        assert_eq!(pace.due(6 * SECOND), 1000);
        assert_eq!(pace.when(500), 5 * SECOND + SECOND / 2);
        pace.moved = 400;
        assert_eq!(pace.due(6 * SECOND), 600);
        assert_eq!(pace.when(600), 6 * SECOND);
    }
}
