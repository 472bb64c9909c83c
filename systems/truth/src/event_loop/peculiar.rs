//! Reactions of targets with a particular flaw.

use std::net::TcpStream;
use std::num::NonZeroU64;

use super::EventLoop;
use super::request::FINE;
use crate::clock::now;
use crate::connection::{Request, State, Upgrade};
use crate::http::{Answer, write_head, write_upgrade};
use crate::slow_reader;
use crate::sockets::Key;

impl EventLoop {
    /// Accepts a WebSocket upgrade. The client joins its room before the response is sent, so that it misses no later
    /// message.
    pub(super) fn join(&mut self, key: Key, upgrade: &Upgrade) {
        let room = upgrade.room;
        let Some(open) = self.rooms.get(room) else {
            return;
        };
        if let Some(rate) = open.slow_member() {
            self.add_slow_member(&upgrade.target, rate);
        }
        let Some(open) = self.rooms.get(room) else {
            return;
        };
        let seat = open.join(key);
        let rate = open.order.read_rate;
        let pace = rate.map(|rate| self.slow_down(key, rate.get(), now()));
        let Some(connection) = self.sockets.get(key) else {
            return;
        };
        connection.state = State::Member { room, seat, pace };
        write_upgrade(&mut connection.output, &upgrade.websocket_key);
        if !self.sockets.flush(key) {
            self.close(key);
        }
    }

    /// Writes the head and the body of a response as two segments. With `TCP_NODELAY` off, the kernel holds the second
    /// one back until the client has acknowledged the first.
    pub(super) fn split(&mut self, key: Key, request: &Request) {
        self.written(request, 200);
        let Some(connection) = self.sockets.get(key) else {
            return;
        };
        // If this fails, the response is sent without delay, and the client sees no flaw.
        let _ = connection.socket.set_nodelay(false);
        let answer = Answer {
            status: 200,
            keep_alive: request.keep_alive,
            retry_after: None,
        };
        write_head(&mut connection.output, answer, FINE.len() as u64);
        let is_open = self.sockets.flush(key);
        if let Some(connection) = self.sockets.get(key) {
            connection.output.extend_from_slice(FINE);
            connection.state = State::Head;
        }
        if !is_open || !self.sockets.flush(key) {
            self.close(key);
        }
    }

    /// Opens connections to the own port, up to this number.
    pub(super) fn open_upstream(&mut self, connections: u32) {
        let Ok(address) = self.door.local_addr() else {
            return;
        };
        while self.upstream.len() < connections as usize {
            match TcpStream::connect(address) {
                Ok(socket) => self.upstream.push(socket),
                Err(error) => {
                    tracing::warn!(%error, "cannot connect to the own port");
                    return;
                }
            }
        }
    }

    /// Adds a member to a room that reads at this rate, on a thread of its own.
    fn add_slow_member(&mut self, target: &str, rate: NonZeroU64) {
        let started = self
            .door
            .local_addr()
            .and_then(|address| slow_reader::start(address, target, rate.get()));
        if let Err(error) = started {
            tracing::warn!(%error, "cannot add a slow member");
        }
    }
}
