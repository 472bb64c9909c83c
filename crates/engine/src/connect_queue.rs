//! The connect queue: limits the pace at which connections are opened.
//!
//! Many users who connect at once would overflow the target's listen queue. The kernel would repeat the attempt after 1
//! s, and this delay would be measured. Opening a connection also costs system calls, and a script that opens thousands
//! in one turn must not wait for them.

use std::collections::VecDeque;

use model::{Nanos, UserId};
use wire::websocket::Handshake;

use crate::conn::Conn;
use crate::connector::EndpointIndex;
use crate::http::InFlight;
use crate::in_flight::Operation;
use crate::socket::SocketState;
use crate::world::World;

/// Maximum number of connections opened between two checks of the sockets.
const PER_PASS: u32 = 16;
/// Maximum number of a worker's connections that the target has not accepted yet. Listen queues usually hold at least
/// 128.
const UNACCEPTED: u32 = 64;

/// Connections that wait to be opened, and the limits on opening them.
#[derive(Debug, Default)]
pub(crate) struct ConnectQueue {
    waiting: VecDeque<Dial>,
    /// Number of connections opened in this pass of the loop.
    in_pass: u32,
    /// Number of connections that were requested from the kernel, but not yet accepted by the target.
    pub(crate) unaccepted: u32,
}

/// A connection that waits to be opened.
#[derive(Debug)]
pub(crate) enum Dial {
    Http(Box<InFlight>),
    Socket(Box<SocketDial>),
}

/// A WebSocket that waits to be opened.
#[derive(Debug)]
pub(crate) struct SocketDial {
    pub(crate) user: UserId,
    /// The user's iteration. If the iteration ends before the socket is opened, the socket is not needed.
    pub(crate) epoch: u32,
    pub(crate) endpoint: EndpointIndex,
    pub(crate) handshake: Handshake,
    pub(crate) seed: u64,
    pub(crate) state: SocketState,
}

impl Dial {
    fn user(&self) -> UserId {
        match self {
            Self::Http(flight) => flight.user,
            Self::Socket(dial) => dial.user,
        }
    }

    fn asked(&self) -> Nanos {
        match self {
            Self::Http(flight) => flight.started(),
            Self::Socket(dial) => dial.state.opening.map_or(Nanos::ZERO, |it| it.asked),
        }
    }
}

impl ConnectQueue {
    fn may(&self) -> bool {
        self.in_pass < PER_PASS && self.unaccepted < UNACCEPTED
    }

    /// Whether the next pass of the loop can open a connection.
    pub(crate) fn is_due(&self) -> bool {
        !self.waiting.is_empty() && self.unaccepted < UNACCEPTED
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// The operations in the queue.
    pub(crate) fn operations(&self) -> impl Iterator<Item = Operation> {
        self.waiting.iter().filter_map(|dial| match dial {
            Dial::Http(call) => Operation::of_call(call),
            Dial::Socket(dial) => Operation::of_opening(&dial.state),
        })
    }

    /// Removes the requests whose time limit has passed. Sockets stay, because their time limit begins when they leave
    /// the queue.
    #[expect(clippy::vec_box, reason = "the queue holds boxes")]
    pub(crate) fn overdue(&mut self, now: Nanos) -> Vec<Box<InFlight>> {
        if self.limit() > now {
            return Vec::new();
        }
        let mut over = Vec::new();
        for dial in std::mem::take(&mut self.waiting) {
            match dial {
                Dial::Http(call) if call.limit() <= now => over.push(call),
                other => self.waiting.push_back(other),
            }
        }
        over
    }

    /// The time at which the earliest time limit of a queued request ends.
    pub(crate) fn limit(&self) -> Nanos {
        let limits = self.waiting.iter().filter_map(|dial| match dial {
            Dial::Http(call) => Some(call.limit()),
            Dial::Socket(_) => None,
        });
        limits.min().unwrap_or(Nanos::MAX)
    }

    /// Removes the queued connections of a user, or of all users.
    pub(crate) fn abandon(&mut self, user: Option<UserId>) -> Vec<Dial> {
        if self.waiting.is_empty() {
            return Vec::new();
        }
        let waiting = std::mem::take(&mut self.waiting).into_iter();
        let (theirs, others): (Vec<_>, Vec<_>) =
            waiting.partition(|dial| user.is_none_or(|user| dial.user() == user));
        self.waiting = others.into();
        theirs
    }
}

impl World {
    /// Opens a connection now, or queues it.
    pub(crate) fn dial(&mut self, dial: Dial) {
        // A new connection must not overtake queued ones.
        if self.connect_queue.waiting.is_empty() && self.connect_queue.may() {
            self.open(dial);
        } else {
            if let Dial::Http(call) = &dial {
                self.watch_limit(call.limit());
            }
            self.connect_queue.waiting.push_back(dial);
        }
    }

    /// Begins a new pass of the loop, and opens queued connections.
    pub(crate) fn dial_on(&mut self) {
        self.connect_queue.in_pass = 0;
        while self.connect_queue.may() {
            let Some(dial) = self.connect_queue.waiting.pop_front() else {
                return;
            };
            // The connection could have been opened when it was requested, so the wait counts as start lag.
            self.note_start(dial.asked());
            self.open(dial);
        }
    }

    fn open(&mut self, dial: Dial) {
        self.connect_queue.in_pass += 1;
        match dial {
            Dial::Http(flight) => self.open_http(flight),
            Dial::Socket(dial) => self.open_socket(*dial),
        }
    }

    /// Removes a connection from the table.
    pub(crate) fn take_out(&mut self, key: u32) -> Option<Conn> {
        let conn = self.conns.remove(key)?;
        self.connect_queue.unaccepted -= u32::from(!conn.accepted);
        self.note_answers_of(&conn);
        Some(conn)
    }

    /// Notes that TCP is connected.
    pub(crate) fn accepted(&mut self, key: u32) {
        if let Some(conn) = self.conns.get_mut(key).filter(|conn| !conn.accepted) {
            conn.accepted = true;
            self.connect_queue.unaccepted -= 1;
        }
    }

    /// The time at which the next queued connection can be opened.
    pub(crate) fn next_dial(&self) -> Nanos {
        if self.connect_queue.is_due() {
            Nanos::ZERO
        } else {
            Nanos::MAX
        }
    }
}
