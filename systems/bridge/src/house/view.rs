use kit::token::Token;
use tokio::time::Instant;

use super::conversation::Conversation;
use super::floor::House;
use super::room::Room;
use super::session::Session;
use crate::refusal::Refusal;
use crate::wire::{ExchangeLine, RoomLine, SessionInside, SessionLine};

/// Maximum number of users listed per room, which limits the size of the response.
const USERS_SHOWN: usize = 1000;

impl House {
    /// Number of open sessions.
    pub(crate) fn active(&self) -> usize {
        self.sessions.len()
    }

    /// Number of listening connections.
    pub(crate) fn listening(&self) -> usize {
        self.rooms.iter().map(Room::listening).sum()
    }

    /// Describes each room.
    pub(crate) fn room_lines(&self) -> Vec<RoomLine<'_>> {
        let lines = self.rooms.iter().map(|room| RoomLine {
            room: &room.name,
            count: room.count(),
            listening: room.listening(),
            sequence: room.sequence,
            users: room.members().take(USERS_SHOWN).collect(),
        });
        lines.collect()
    }

    /// Describes up to `limit` sessions with numbers above `after`.
    pub(crate) fn session_lines(
        &self,
        after: u64,
        limit: usize,
        now: Instant,
    ) -> Vec<SessionLine<'_>> {
        let page = self.sessions.after(after).take(limit);
        page.map(|session| self.line(session, now)).collect()
    }

    /// Describes the session with this secret. The result is only for the session's user.
    pub(crate) fn inside(&self, secret: Token, now: Instant) -> Result<SessionInside<'_>, Refusal> {
        let place = self.sessions.of_secret(secret);
        let session = &self.sessions[place.ok_or(Refusal::UnknownSession)?];
        let exchanges = session.conversation.iter().map(|exchange| ExchangeLine {
            said: &exchange.said,
            reply: &exchange.reply,
        });
        Ok(SessionInside {
            line: self.line(session, now),
            conversation: exchanges.collect(),
        })
    }

    /// Returns what the agent may see of a session: the user, the room and the conversation.
    pub(crate) fn known_to_agent(&self, session: u64) -> Option<(&str, &str, &Conversation)> {
        let session = &self.sessions[self.sessions.of_id(session)?];
        let room = &self.rooms[session.room];
        Some((&session.user, &room.name, &session.conversation))
    }

    fn line<'a>(&'a self, session: &'a Session, now: Instant) -> SessionLine<'a> {
        let idle = now.saturating_duration_since(session.active);
        SessionLine {
            id: session.id,
            user: &session.user,
            room: &self.rooms[session.room].name,
            messages: session.messages,
            idle_s: idle.as_secs_f64(),
            connected: session.link.is_some(),
        }
    }
}
