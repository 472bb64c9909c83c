use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use kit::limit::Gate;
use kit::rate::Rate;
use kit::token::Token;
use tokio::time::Instant;

use super::conversation::Conversation;
use super::limits::Limits;
use super::room::Room;
use super::session::{Link, Origin, Session, Sessions};
use crate::mailbox::{End, Mail, Mailbox};
use crate::metrics::Counters;
use crate::refusal::Refusal;
use crate::wire::{self, Event};

/// Maximum length of a user name in bytes.
const LONGEST_USER: usize = 64;
/// Name of the limit on new sessions per address.
pub(crate) const NEW_SESSION: &str = "session";

/// All rooms and all sessions.
#[derive(Debug)]
pub(crate) struct House {
    pub(super) rooms: Vec<Room>,
    pub(super) sessions: Sessions,
    pub(super) limits: Limits,
    pub(super) counters: Counters,
    gate: Gate,
    sessions_made: u64,
    connections_made: u64,
    strays: u64,
    closed: bool,
}

/// A connection's claim to a session. The ticket is stale when the session has ended or a newer connection has resumed
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticket {
    pub(crate) session: u64,
    pub(crate) connection: u64,
}

/// What happens to a session after its connection has closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    /// Nothing: the session continues, or no longer belongs to this connection.
    Stays,
    /// The session ends after the grace period, unless it is resumed.
    Waits,
}

impl House {
    pub(crate) fn new(limits: &Limits, counters: Counters) -> Self {
        Self {
            rooms: limits.rooms.iter().map(|name| Room::new(name)).collect(),
            sessions: Sessions::default(),
            limits: limits.clone(),
            counters,
            gate: limits.gate(),
            sessions_made: 0,
            connections_made: 0,
            strays: 0,
            closed: false,
        }
    }

    pub(super) fn room_named(&self, name: &str) -> Result<usize, Refusal> {
        let found = self.rooms.iter().position(|room| *room.name == *name);
        found.ok_or_else(|| Refusal::UnknownRoom {
            room: name.chars().take(LONGEST_USER).collect(),
            rooms: self.limits.rooms.join(", "),
        })
    }

    pub(super) fn open(&self) -> Result<(), Refusal> {
        if self.closed {
            return Err(Refusal::Stopping);
        }
        Ok(())
    }

    /// Counts a new session for a client address. Fails if the address has reached its limit.
    pub(super) fn admit(&self, address: IpAddr, now: Instant) -> Result<(), Refusal> {
        let ticket = self.gate.admit(NEW_SESSION, address, now);
        match ticket.filter(|ticket| !ticket.admitted) {
            Some(ticket) => Err(Refusal::TooManyFromAddress {
                limit: ticket.limit,
                window_s: ticket.window.as_secs(),
                reset_s: ticket.reset_s(),
            }),
            None => Ok(()),
        }
    }

    /// Creates a session for `user` in `room` and returns its index.
    pub(super) fn make(
        &mut self,
        user: &str,
        room: usize,
        origin: Origin,
        now: Instant,
    ) -> Result<usize, Refusal> {
        if user.is_empty() || user.len() > LONGEST_USER || user.chars().any(char::is_control) {
            return Err(Refusal::InvalidUser);
        }
        let limit = self.limits.max_sessions;
        if self.sessions.len() >= limit as usize {
            return Err(Refusal::TooManySessions { limit });
        }
        self.has_place(room)?;
        let secret = Token::random().map_err(|error| Refusal::NoRandom(error.to_string()))?;
        let user: Arc<str> = user.into();
        self.sessions_made += 1;
        self.counters.sessions.inc();
        Ok(self.sessions.insert(Session {
            id: self.sessions_made,
            secret,
            user: user.clone(),
            origin,
            room,
            member: self.rooms[room].enter(user),
            messages: 0,
            active: now,
            link: None,
            connection: 0,
            rate: Rate::full(self.limits.rate_limit, now),
            conversation: Conversation::default(),
        }))
    }

    fn has_place(&self, room: usize) -> Result<(), Refusal> {
        let limit = self.limits.max_room;
        if self.rooms[room].count() >= limit as usize {
            let room = self.rooms[room].name.to_string();
            return Err(Refusal::RoomFull { room, limit });
        }
        Ok(())
    }

    /// Moves a session to another room. If the session has a connection, it then receives the messages of the new room.
    pub(super) fn relocate(&mut self, place: usize, room: usize) -> Result<(), Refusal> {
        let session = &self.sessions[place];
        if session.room == room {
            return Ok(());
        }
        self.has_place(room)?;
        let session = &mut self.sessions[place];
        let old = &mut self.rooms[session.room];
        if let Some(link) = &session.link {
            old.deafen(link);
        }
        old.leave(session.member);
        let new = &mut self.rooms[room];
        session.member = new.enter(session.user.clone());
        session.room = room;
        if let Some(link) = &mut session.link {
            link.listener = new.listen(link.mailbox.clone(), link.presence);
            let moved = Event::Moved {
                room: &new.name,
                sequence: new.sequence,
            };
            link.mailbox.post(Mail::Own(wire::write(&moved, 64).into()));
        }
        Ok(())
    }

    /// Reserves a session for a new connection. A new user gets a new session. An existing user must present the
    /// session's secret.
    pub(crate) fn seat(
        &mut self,
        address: IpAddr,
        user: &str,
        room: Option<&str>,
        secret: Option<Token>,
        now: Instant,
    ) -> Result<Ticket, Refusal> {
        self.open()?;
        let room = room.map(|name| self.room_named(name)).transpose()?;
        let place = match (self.sessions.of_user(user), secret) {
            (None, None) => {
                self.admit(address, now)?;
                self.make(user, room.unwrap_or(0), Origin::Socket, now)?
            }
            (None, Some(_)) => return Err(Refusal::UnknownSession),
            (Some(_), None) => return Err(Refusal::SessionRequired),
            (Some(place), Some(secret)) if self.sessions[place].secret == secret => place,
            (Some(_), Some(_)) => return Err(Refusal::WrongSession),
        };
        if let Some(room) = room {
            self.relocate(place, room)?;
        }
        self.connections_made += 1;
        let session = &mut self.sessions[place];
        session.connection = self.connections_made;
        session.active = now;
        Ok(Ticket {
            session: session.id,
            connection: session.connection,
        })
    }

    /// Attaches an open connection to its session, sends the welcome and starts delivering messages. Replaces the
    /// session's previous connection, if any.
    pub(crate) fn attach(
        &mut self,
        ticket: Ticket,
        mailbox: &Arc<Mailbox>,
        presence: bool,
    ) -> Result<(), Refusal> {
        self.open()?;
        let place = self.place(ticket)?;
        let session = &mut self.sessions[place];
        let room = &mut self.rooms[session.room];
        if let Some(old) = session.link.take() {
            room.deafen(&old);
            old.mailbox.finish(End::Replaced);
        }
        let welcome = Event::Welcome {
            session: session.secret,
            user: &session.user,
            room: &room.name,
            sequence: room.sequence,
        };
        mailbox.post(Mail::Own(Utf8Bytes::from(wire::write(&welcome, 192))));
        session.link = Some(Link {
            connection: ticket.connection,
            mailbox: mailbox.clone(),
            presence,
            listener: room.listen(mailbox.clone(), presence),
        });
        Ok(())
    }

    /// Returns the index of the ticket's session. Fails if the ticket is stale.
    pub(super) fn place(&self, ticket: Ticket) -> Result<usize, Refusal> {
        let place = self.sessions.of_id(ticket.session);
        place
            .filter(|place| self.sessions[*place].connection == ticket.connection)
            .ok_or(Refusal::UnknownSession)
    }

    /// Detaches a connection that has closed. Returns what happens to its session.
    pub(crate) fn unseat(&mut self, ticket: Ticket, now: Instant) -> Left {
        let Some(place) = self.sessions.of_id(ticket.session) else {
            return Left::Stays;
        };
        let session = &mut self.sessions[place];
        let own = session
            .link
            .take_if(|link| link.connection == ticket.connection);
        if let Some(link) = own {
            self.rooms[session.room].deafen(&link);
            session.active = now;
        }
        let newest = session.connection == ticket.connection;
        if newest && session.origin == Origin::Socket {
            return Left::Waits;
        }
        Left::Stays
    }

    /// Ends the session when the grace period is over, unless a connection has resumed it.
    pub(crate) fn end_unless_resumed(&mut self, ticket: Ticket) {
        if let Ok(place) = self.place(ticket)
            && self.sessions[place].link.is_none()
        {
            self.end(place);
        }
    }

    /// Ends the session with this secret.
    pub(crate) fn end_by_secret(&mut self, secret: Token) -> Result<(), Refusal> {
        let place = self.sessions.of_secret(secret);
        self.end(place.ok_or(Refusal::UnknownSession)?);
        Ok(())
    }

    /// Ends the session of this connection.
    pub(crate) fn end_by_ticket(&mut self, ticket: Ticket) -> Result<(), Refusal> {
        let place = self.place(ticket)?;
        self.end(place);
        Ok(())
    }

    fn end(&mut self, place: usize) {
        let session = self.sessions.remove(place);
        let room = &mut self.rooms[session.room];
        if let Some(link) = &session.link {
            room.deafen(link);
            link.mailbox.finish(End::Ended);
        }
        room.leave(session.member);
        self.counters.sessions.dec();
    }

    /// Ends the sessions that have had neither a connection nor a message for `idle`. Returns their number.
    pub(crate) fn sweep(&mut self, idle: Duration, now: Instant) -> usize {
        let over = |session: &&Session| {
            session.link.is_none() && now.saturating_duration_since(session.active) >= idle
        };
        let over: Vec<u64> = self.sessions.iter().filter(over).map(|s| s.id).collect();
        for id in &over {
            if let Some(place) = self.sessions.of_id(*id) {
                self.end(place);
            }
        }
        over.len()
    }

    /// Stops the bridge. Further calls fail, and each connection ends when its queue is empty.
    pub(crate) fn close(&mut self) {
        self.closed = true;
        for session in self.sessions.iter() {
            if let Some(link) = &session.link {
                link.mailbox.finish(End::Stopping);
            }
        }
    }

    /// Injects a fault: delivers a message to a listener in a wrong room.
    pub(crate) fn stray(&mut self, said: &Arc<crate::mailbox::Said>) {
        let count = self.rooms.len();
        // Search the other rooms, starting after the message's own room and wrapping around. `strays` rotates the
        // choice among listeners.
        let mut others = (1..count).map(|step| &self.rooms[(said.room + step) % count]);
        let wrong = others.find_map(|room| room.somebody(self.strays));
        if let Some(mailbox) = wrong
            && mailbox.post(Mail::Stray(said.clone()))
        {
            self.strays += 1;
        }
    }
}
