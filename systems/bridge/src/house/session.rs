use std::collections::{BTreeMap, HashMap};
use std::ops::{Index, IndexMut};
use std::sync::Arc;

use kit::rate::Rate;
use kit::token::Token;
use slab::Slab;
use tokio::time::Instant;

use super::conversation::Conversation;
use crate::mailbox::Mailbox;

/// How a session was created, which determines when it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Created by an HTTP request. The session ends by request or by idle timeout.
    Http,
    /// Created by a WebSocket. The session also ends after the grace period that follows the closing of the socket.
    Socket,
}

/// A session's WebSocket.
#[derive(Debug)]
pub(crate) struct Link {
    /// Number of the connection. Later connections have higher numbers.
    pub(crate) connection: u64,
    pub(crate) mailbox: Arc<Mailbox>,
    pub(crate) presence: bool,
    /// Index of the connection among the room's listeners.
    pub(crate) listener: usize,
}

/// One user's session.
#[derive(Debug)]
pub(crate) struct Session {
    /// Public number of the session. Later sessions have higher numbers.
    pub(crate) id: u64,
    /// The secret, known only to the user. It identifies the session in requests.
    pub(crate) secret: Token,
    pub(crate) user: Arc<str>,
    pub(crate) origin: Origin,
    pub(crate) room: usize,
    /// Index of the user among the room's members.
    pub(crate) member: usize,
    pub(crate) messages: u64,
    pub(crate) active: Instant,
    pub(crate) link: Option<Link>,
    /// The latest connection that reserved the session, attached or not.
    pub(crate) connection: u64,
    pub(crate) rate: Rate,
    pub(crate) conversation: Conversation,
}

impl Session {
    /// Returns whether a WebSocket created the session or is attached to it now.
    pub(crate) fn is_of_socket(&self) -> bool {
        self.origin == Origin::Socket || self.link.is_some()
    }
}

/// All sessions, indexed by slab position, user, secret and number.
///
/// The maps use the standard hasher, which resists collision attacks, because clients choose the names. Its 20 ns are
/// small compared with the cost of a request.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    places: Slab<Session>,
    by_user: HashMap<Arc<str>, usize>,
    by_secret: HashMap<Token, usize>,
    by_id: BTreeMap<u64, usize>,
}

impl Sessions {
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn of_user(&self, user: &str) -> Option<usize> {
        self.by_user.get(user).copied()
    }

    pub(crate) fn of_secret(&self, secret: Token) -> Option<usize> {
        self.by_secret.get(&secret).copied()
    }

    pub(crate) fn of_id(&self, id: u64) -> Option<usize> {
        self.by_id.get(&id).copied()
    }

    /// Returns the sessions with a number above `after`, in ascending order.
    pub(crate) fn after(&self, after: u64) -> impl Iterator<Item = &Session> {
        let later = self.by_id.range(after.saturating_add(1)..);
        later.map(|(_, place)| &self.places[*place])
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Session> {
        self.places.iter().map(|(_, session)| session)
    }

    pub(crate) fn insert(&mut self, session: Session) -> usize {
        let (id, secret, user) = (session.id, session.secret, session.user.clone());
        let place = self.places.insert(session);
        self.by_user.insert(user, place);
        self.by_secret.insert(secret, place);
        self.by_id.insert(id, place);
        place
    }

    pub(crate) fn remove(&mut self, place: usize) -> Session {
        let session = self.places.remove(place);
        self.by_user.remove(&session.user);
        self.by_secret.remove(&session.secret);
        self.by_id.remove(&session.id);
        session
    }
}

impl Index<usize> for Sessions {
    type Output = Session;

    fn index(&self, place: usize) -> &Session {
        &self.places[place]
    }
}

impl IndexMut<usize> for Sessions {
    fn index_mut(&mut self, place: usize) -> &mut Session {
        &mut self.places[place]
    }
}
