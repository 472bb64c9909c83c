//! The pace at which connections are opened. A crowd that opens them all at once overflows the target's listen queue, and
//! what is then measured is the second after which the kernel asks again. And to open one costs system calls: a script
//! that asks for thousands in one turn must not wait for them.

use std::collections::VecDeque;

use model::{Nanos, UserId};
use wire::websocket::Handshake;

use crate::conn::Conn;
use crate::dials::EndpointIndex;
use crate::http::InFlight;
use crate::in_flight::Operation;
use crate::socket::SocketState;
use crate::world::World;

/// Connections that are opened between two looks at the sockets.
const PER_PASS: u32 = 16;
/// Connections of a worker that the target has not accepted yet. Listen queues hold 128 as a rule, and often more.
const UNACCEPTED: u32 = 64;

/// Connections that are to be opened, and how many may be.
#[derive(Debug, Default)]
pub(crate) struct Dialling {
    waiting: VecDeque<Dial>,
    /// Opened in this pass of the loop.
    in_pass: u32,
    /// Asked for and not accepted.
    pub(crate) unaccepted: u32,
}

/// A connection that somebody waits for.
#[derive(Debug)]
pub(crate) enum Dial {
    Http(Box<InFlight>),
    Socket(Box<SocketDial>),
}

/// A WebSocket that is to be opened.
#[derive(Debug)]
pub(crate) struct SocketDial {
    pub(crate) user: UserId,
    /// The user's iteration: when it is over, nobody waits.
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

impl Dialling {
    fn may(&self) -> bool {
        self.in_pass < PER_PASS && self.unaccepted < UNACCEPTED
    }

    /// Whether the next pass of the loop can open some.
    pub(crate) fn is_due(&self) -> bool {
        !self.waiting.is_empty() && self.unaccepted < UNACCEPTED
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// What waits for its turn.
    pub(crate) fn operations(&self) -> impl Iterator<Item = Operation> {
        self.waiting.iter().filter_map(|dial| match dial {
            Dial::Http(call) => Operation::of_call(call),
            Dial::Socket(dial) => Operation::of_opening(&dial.state),
        })
    }

    /// Takes out the requests whose time limit is over. The limit of a socket begins with its turn.
    #[expect(clippy::vec_box, reason = "they stay in the box that they wait in")]
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

    /// When the earliest time limit of its requests is over.
    pub(crate) fn limit(&self) -> Nanos {
        let limits = self.waiting.iter().filter_map(|dial| match dial {
            Dial::Http(call) => Some(call.limit()),
            Dial::Socket(_) => None,
        });
        limits.min().unwrap_or(Nanos::MAX)
    }

    /// Takes out what a user waits for, or everybody, which costs no more.
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
    /// Opens a connection, now or when its turn comes.
    pub(crate) fn dial(&mut self, dial: Dial) {
        if self.dialling.waiting.is_empty() && self.dialling.may() {
            self.open(dial);
        } else {
            if let Dial::Http(call) = &dial {
                self.watch_limit(call.limit());
            }
            self.dialling.waiting.push_back(dial);
        }
    }

    /// A new pass of the loop: those that wait have their turn.
    pub(crate) fn dial_on(&mut self) {
        self.dialling.in_pass = 0;
        while self.dialling.may() {
            let Some(dial) = self.dialling.waiting.pop_front() else {
                return;
            };
            // It could have been opened when it was asked for: what it waited is the generator's doing.
            self.note_start(dial.asked());
            self.open(dial);
        }
    }

    fn open(&mut self, dial: Dial) {
        self.dialling.in_pass += 1;
        match dial {
            Dial::Http(flight) => self.open_http(flight),
            Dial::Socket(dial) => self.open_socket(*dial),
        }
    }

    /// Takes a connection out of the table.
    pub(crate) fn take_out(&mut self, key: u32) -> Option<Conn> {
        let conn = self.conns.remove(key)?;
        self.dialling.unaccepted -= u32::from(!conn.accepted);
        self.note_answers_of(&conn);
        Some(conn)
    }

    /// TCP stands.
    pub(crate) fn accepted(&mut self, key: u32) {
        if let Some(conn) = self.conns.get_mut(key).filter(|conn| !conn.accepted) {
            conn.accepted = true;
            self.dialling.unaccepted -= 1;
        }
    }

    /// When the next connection can be opened, if one waits for its turn.
    pub(crate) fn next_dial(&self) -> Nanos {
        if self.dialling.is_due() {
            Nanos::ZERO
        } else {
            Nanos::MAX
        }
    }
}
