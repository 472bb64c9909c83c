use std::io;

use super::EventLoop;
use crate::alarm::Alarm;
use crate::clock::{MILLI, Nanos};
use crate::connection::{Fate, Pace, State};
use crate::sockets::Key;

/// Interval between the steps of rate-limited reads and writes.
const TICK: Nanos = 10 * MILLI;

/// The content of rate-limited responses.
const FILLING: [u8; 4096] = [b'x'; 4096];

impl EventLoop {
    /// Limits the rate at which a connection is read from now on. Uses a small receive buffer, and reads only when a
    /// timer fires.
    pub(super) fn slow_down(&mut self, key: Key, rate: u64, now: Nanos) -> Pace {
        if let Some(connection) = self.sockets.get(key) {
            connection.paced = true;
            let window = usize::try_from(rate / 50).unwrap_or(usize::MAX);
            let window = window.clamp(4096, 1 << 20);
            // If this fails, the kernel buffers more data, but the server still reads at the same rate.
            let _ = rustix::net::sockopt::set_socket_recv_buffer_size(&connection.socket, window);
        }
        self.sockets.settle(key);
        self.timers.set(now + TICK, Alarm::Pace(key));
        Pace::new(rate, now)
    }

    /// Reads or writes the bytes that are due by now.
    pub(super) fn pace(&mut self, key: Key, now: Nanos) {
        let Some(connection) = self.sockets.get(key) else {
            return;
        };
        match &connection.state {
            State::Trickle { .. } => self.trickle(key, now),
            State::Body {
                pace: Some(pace), ..
            }
            | State::Member {
                pace: Some(pace), ..
            } => {
                let due = pace.due(now);
                self.read_slowly(key, due, now);
            }
            _ => {}
        }
    }

    /// Reads at most `due` bytes. Bytes that were read together with the request's head count towards `due`.
    fn read_slowly(&mut self, key: Key, due: u64, now: Nanos) {
        let Some(connection) = self.sockets.get(key) else {
            return;
        };
        let is_body = matches!(connection.state, State::Body { .. });
        let ahead = if is_body { connection.input.len() } else { 0 };
        let due = usize::try_from(due).unwrap_or(usize::MAX);
        let most = due.saturating_sub(ahead).min(self.scratch.len());
        let read = match connection.read(&mut self.scratch[..most]) {
            Ok((0, _)) if most > 0 => return self.close(key),
            Ok((read, _)) => read,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
            Err(_) => return self.close(key),
        };
        if let State::Member {
            pace: Some(pace), ..
        } = &mut connection.state
        {
            pace.moved += read as u64;
        }
        self.sockets.counts.bytes_in += read as u64;
        self.advance(key, now);
        let Some(connection) = self.sockets.get(key) else {
            return;
        };
        let mut next = now + TICK;
        if let State::Body {
            left,
            pace: Some(pace),
            ..
        } = &connection.state
        {
            next = next.min(pace.when(*left)).max(now + MILLI / 10);
        }
        if connection.paced {
            self.timers.set(next, Alarm::Pace(key));
        }
    }

    fn trickle(&mut self, key: Key, now: Nanos) {
        let Some(connection) = self.sockets.get(key) else {
            return;
        };
        let State::Trickle { left, pace, .. } = &mut connection.state else {
            return;
        };
        let mut due = pace.due(now).min(*left);
        *left -= due;
        pace.moved += due;
        let (left, next) = (*left, (now + TICK).min(pace.when(*left)));
        while due > 0 {
            let part = usize::try_from(due)
                .unwrap_or(FILLING.len())
                .min(FILLING.len());
            connection.output.extend_from_slice(&FILLING[..part]);
            due -= part as u64;
        }
        if left > 0 {
            self.timers.set(next, Alarm::Pace(key));
            self.sockets.touch(key);
            return;
        }
        let state = std::mem::replace(&mut connection.state, State::Head);
        let State::Trickle { request, .. } = state else {
            return;
        };
        if !request.keep_alive {
            connection.fate = Fate::Ending;
        }
        if let Some(counts) = self.counts(&request) {
            counts.answered(200, now - request.received_at);
        }
        self.sockets.touch(key);
        self.advance(key, now);
    }
}
