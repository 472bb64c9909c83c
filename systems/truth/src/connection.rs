use std::io::{self, Write as _};
use std::net::TcpStream;

use rustix::event::epoll::EventFlags;

use crate::clock::Nanos;
use crate::frame::Opcode;
use crate::receipt;

/// Bytes that may be read ahead of what is being served.
pub(crate) const READ_AHEAD: usize = 256 * 1024;

/// One client: what was read and not yet understood, what waits to be written, and what it is at.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) socket: TcpStream,
    pub(crate) input: Vec<u8>,
    /// When the kernel had received what is being understood: known while that goes on behind its reading.
    pub(crate) received: Option<Nanos>,
    pub(crate) output: Vec<u8>,
    written: usize,
    pub(crate) state: State,
    pub(crate) fate: Fate,
    /// Read only by the clock.
    pub(crate) paced: bool,
    /// Among those that have something to write at the end of the round.
    pub(crate) dirty: bool,
    pub(crate) interest: EventFlags,
    /// The begin of a message that comes in parts.
    pub(crate) partial: Option<(Opcode, Vec<u8>)>,
}

/// How long a connection lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Open,
    /// Closed as soon as everything is written.
    Ending,
    /// Too slow: closed at the end of the round, whatever waits.
    CutOff,
}

/// What a connection is at.
#[derive(Clone, Debug)]
pub(crate) enum State {
    /// Waits for the head of a request.
    Head,
    /// Reads the rest of a body, at the given pace if there is one.
    Body {
        request: Request,
        left: u64,
        pace: Option<Pace>,
    },
    /// Its answer leaves at its time, or when a thread has burnt enough.
    Held { request: Request, status: u16 },
    /// Its answer is being written at a pace.
    Trickle {
        request: Request,
        left: u64,
        pace: Pace,
    },
    /// Never answered.
    Silent,
    /// A member of a room, in this seat.
    Member {
        room: usize,
        seat: usize,
        pace: Option<Pace>,
    },
}

/// A request that has been read, or is being read.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) what: What,
    pub(crate) keep_alive: bool,
    /// When it was read to its end.
    pub(crate) read_at: Nanos,
    /// When the kernel had the last byte of it: before it was read.
    pub(crate) received_at: Nanos,
}

/// What a request wants.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// The order of this route.
    Order(usize),
    /// Begin this route anew.
    Restart(usize),
    /// Tell everything that was done.
    Tell,
    /// Forget everything that was done.
    Forget,
    /// Say that it is alive.
    Health,
    /// Nothing that could be had.
    Refused(u16, String),
}

/// So many bytes a second, from then on.
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

    /// Bytes that may be moved until now and were not.
    pub(crate) fn due(&self, now: Nanos) -> u64 {
        let nanos = u128::from(now.saturating_sub(self.since));
        let due = u128::from(self.rate) * nanos / 1_000_000_000;
        u64::try_from(due)
            .unwrap_or(u64::MAX)
            .saturating_sub(self.moved)
    }

    /// When this many more may have been moved.
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

    /// Reads at most `scratch` full, 0 is the end; and when the kernel had received it.
    pub(crate) fn read(&mut self, scratch: &mut [u8]) -> io::Result<(usize, Nanos)> {
        let (read, received) = receipt::read(&self.socket, scratch)?;
        self.input.extend_from_slice(&scratch[..read]);
        Ok((read, received))
    }

    /// Writes as much as the socket takes; how much that was.
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

    /// Bytes that wait to be written.
    pub(crate) fn waiting(&self) -> usize {
        self.output.len() - self.written
    }

    /// What it waits for now.
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
