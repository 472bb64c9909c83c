use std::io;

use super::EventLoop;
use crate::alarm::Alarm;
use crate::clock::{MILLI, Nanos, now};
use crate::connection::{Fate, State};
use crate::frame::{Opcode, write_frame};
use crate::sockets::DOOR;

/// Maximum number of connections accepted per round, so that accepting does not delay open connections.
const PER_ROUND: usize = 64;

/// Pause before accepting again after file descriptors have run out.
const BREATH: Nanos = 100 * MILLI;

/// The WebSocket close code 1001 (going away) in network byte order.
const GOING_AWAY: [u8; 2] = 1001_u16.to_be_bytes();

impl EventLoop {
    /// Accepts waiting connections.
    pub(super) fn accept(&mut self) {
        for _ in 0..PER_ROUND {
            let socket = match self.door.accept() {
                Ok((socket, _)) => socket,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => continue,
                Err(error) => {
                    if !std::mem::replace(&mut self.cannot_accept, true) {
                        tracing::warn!(%error, "cannot accept connections; retrying until it succeeds");
                    }
                    self.pause_accepting(now() + BREATH);
                    return;
                }
            };
            self.cannot_accept = false;
            if self.sockets.len() >= self.limits.max_connections as usize {
                self.sockets.counts.refused += 1;
                continue;
            }
            let ready = socket
                .set_nonblocking(true)
                .and_then(|()| socket.set_nodelay(true));
            if ready.and_then(|()| self.sockets.add(socket)).is_err() {
                self.sockets.counts.refused += 1;
            }
        }
    }

    /// Leaves new connections in the listen queue until the given time.
    pub(super) fn pause_accepting(&mut self, until: Nanos) {
        self.sockets.unwatch(&self.door);
        self.timers.set(until, Alarm::Accept);
    }

    pub(super) fn open_door(&mut self) {
        // This fails if accepting was not paused, which needs no handling.
        let _ = self.sockets.watch(&self.door, DOOR);
    }

    /// Stops accepting connections, and closes idle ones.
    pub(super) fn close_door(&mut self) {
        self.sockets.unwatch(&self.door);
        for key in self.sockets.keys() {
            let Some(connection) = self.sockets.get(key) else {
                continue;
            };
            match connection.state {
                State::Held { .. } | State::Trickle { .. } | State::Body { .. } => {
                    connection.fate = Fate::Ending;
                }
                State::Member { .. } => {
                    write_frame(&mut connection.output, Opcode::Close, &GOING_AWAY);
                    connection.fate = Fate::Ending;
                    self.sockets.touch(key);
                }
                State::Head | State::Joining(_) | State::Silent => self.close(key),
            }
        }
        self.flush();
    }

    /// Whether connections are still open, after `close_door` has closed the idle ones.
    pub(super) fn owes(&self) -> bool {
        self.sockets.len() > 0
    }
}
