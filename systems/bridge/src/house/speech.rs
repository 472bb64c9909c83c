use std::net::IpAddr;

use kit::token::Token;
use tokio::time::Instant;

use super::conversation::{Conversation, Exchange};
use super::floor::{House, Ticket};
use super::persona;
use super::session::Origin;
use crate::mailbox::{Mail, Said};
use crate::refusal::Refusal;
use crate::wire::{self, ChatReply, Event};

/// Approximate size of a serialized event in bytes, without its text and names.
const FRAME: usize = 96;

/// The sender of a message over HTTP, as stated in the request.
#[derive(Debug)]
pub(crate) struct Speaker<'a> {
    pub(crate) address: IpAddr,
    pub(crate) user: &'a str,
    pub(crate) room: Option<&'a str>,
    pub(crate) session: Option<&'a str>,
}

/// The time of a message on the monotonic clock and the wall clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) now: Instant,
    /// Wall-clock time in milliseconds since 1970.
    pub(crate) at: u64,
}

/// A message that was accepted and delivered to the room.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spoken {
    /// Public number of the speaker's session.
    pub(crate) session: u64,
    /// The session's secret. `None` unless the session is new or the request contained the secret.
    pub(crate) secret: Option<Token>,
    /// Number of the message within the session, starting at 1.
    pub(crate) sequence: u64,
}

/// A message that has no reply yet.
struct Asked<'a> {
    user: &'a str,
    room: &'a str,
    sequence: u64,
    text: &'a str,
}

impl Asked<'_> {
    /// Records the reply in the conversation. Without a reply from a remote agent, the built-in persona replies.
    fn settle<'c>(
        &self,
        answer: Option<&str>,
        conversation: &'c mut Conversation,
        limit: usize,
    ) -> &'c Exchange {
        conversation.record(self.text, limit, |reply| match answer {
            Some(answer) => reply.push_str(answer),
            None => persona::answer(self.user, self.room, self.sequence, self.text, reply),
        })
    }
}

impl House {
    /// Accepts a message sent over HTTP. Finds or creates the sender's session, and delivers the message to the room.
    pub(crate) fn speak(
        &mut self,
        speaker: &Speaker<'_>,
        text: &str,
        moment: Moment,
    ) -> Result<Spoken, Refusal> {
        self.open()?;
        self.check_text(text)?;
        let room = speaker.room.map(|name| self.room_named(name)).transpose()?;
        let (place, known) = self.session_of(speaker, room, moment.now)?;
        self.spend(place, moment.now)?;
        if let Some(room) = room {
            self.relocate(place, room)?;
        }
        let sequence = self.utter(place, text, moment);
        let session = &self.sessions[place];
        Ok(Spoken {
            session: session.id,
            secret: known.then_some(session.secret),
            sequence,
        })
    }

    /// Accepts a message sent over a WebSocket and delivers it to the room.
    pub(crate) fn say(
        &mut self,
        ticket: Ticket,
        text: &str,
        moment: Moment,
    ) -> Result<Spoken, Refusal> {
        self.open()?;
        self.check_text(text)?;
        let place = self.place(ticket)?;
        self.spend(place, moment.now)?;
        let sequence = self.utter(place, text, moment);
        Ok(Spoken {
            session: ticket.session,
            secret: None,
            sequence,
        })
    }

    /// Finds or creates the sender's session. The flag is true if the response may contain the session's secret.
    ///
    /// A user who came over HTTP is found by name alone, as in the field report. The response contains the secret only
    /// if the session is new or the request contained the secret. Otherwise, knowing a name would give access to its
    /// conversation. For a user with a WebSocket, the request must contain the secret.
    fn session_of(
        &mut self,
        speaker: &Speaker<'_>,
        room: Option<usize>,
        now: Instant,
    ) -> Result<(usize, bool), Refusal> {
        let secret = speaker.session.map(str::parse::<Token>).transpose();
        let secret = secret.map_err(|_| Refusal::WrongSession)?;
        match (self.sessions.of_user(speaker.user), secret) {
            (Some(place), None) if self.sessions[place].is_of_socket() => {
                Err(Refusal::SessionRequired)
            }
            (Some(place), None) => Ok((place, false)),
            (Some(place), Some(secret)) if self.sessions[place].secret == secret => {
                Ok((place, true))
            }
            (_, Some(_)) => Err(Refusal::WrongSession),
            (None, None) => {
                self.admit(speaker.address, now)?;
                let place = self.make(speaker.user, room.unwrap_or(0), Origin::Http, now)?;
                Ok((place, true))
            }
        }
    }

    fn check_text(&self, text: &str) -> Result<(), Refusal> {
        let limit = self.limits.max_message;
        if text.is_empty() {
            Err(Refusal::EmptyMessage)
        } else if text.len() > limit as usize {
            Err(Refusal::MessageTooLarge { limit })
        } else {
            Ok(())
        }
    }

    fn spend(&mut self, place: usize, now: Instant) -> Result<(), Refusal> {
        let limit = self.limits.rate_limit;
        if limit == 0 || self.sessions[place].rate.spend(limit, now) {
            return Ok(());
        }
        Err(Refusal::RateLimited { limit })
    }

    fn utter(&mut self, place: usize, text: &str, moment: Moment) -> u64 {
        let session = &mut self.sessions[place];
        session.messages += 1;
        session.active = moment.now;
        let room = &mut self.rooms[session.room];
        room.sequence += 1;
        self.counters.messages.inc();
        if room.listening() > 0 {
            let said = Event::Said {
                room: &room.name,
                from: &session.user,
                text,
                sequence: room.sequence,
                at: moment.at,
            };
            let size = FRAME + room.name.len() + session.user.len() + text.len();
            let said = Said {
                text: wire::write(&said, size).into(),
                sender: session.id,
                room: session.room,
            };
            room.hear(said, &self.counters);
        }
        session.messages
    }

    /// Records the reply in the conversation and returns the HTTP response body as JSON. Without `answer`, the
    /// built-in persona replies.
    pub(crate) fn reply(
        &mut self,
        spoken: Spoken,
        text: &str,
        answer: Option<&str>,
    ) -> Result<String, Refusal> {
        let place = self.sessions.of_id(spoken.session);
        let place = place.ok_or(Refusal::UnknownSession)?;
        let session = &mut self.sessions[place];
        let (user, room) = (&*session.user, &*self.rooms[session.room].name);
        let asked = Asked {
            user,
            room,
            sequence: spoken.sequence,
            text,
        };
        let limit = usize::from(self.limits.history);
        let exchange = asked.settle(answer, &mut session.conversation, limit);
        let reply = ChatReply {
            reply: &exchange.reply,
            session: spoken.secret,
            user,
            room,
            sequence: spoken.sequence,
        };
        Ok(wire::write(
            &reply,
            2 * FRAME + exchange.reply.len() + user.len(),
        ))
    }

    /// Records the reply in the conversation and posts it as an event to the speaker's own WebSocket.
    pub(crate) fn reply_by_socket(
        &mut self,
        ticket: Ticket,
        sequence: u64,
        text: &str,
        answer: Option<&str>,
    ) -> Result<(), Refusal> {
        let place = self.place(ticket)?;
        let session = &mut self.sessions[place];
        let asked = Asked {
            user: &session.user,
            room: &self.rooms[session.room].name,
            sequence,
            text,
        };
        let limit = usize::from(self.limits.history);
        let exchange = asked.settle(answer, &mut session.conversation, limit);
        if let Some(link) = &session.link {
            let event = Event::Reply {
                text: &exchange.reply,
                sequence,
            };
            let text = wire::write(&event, FRAME + exchange.reply.len());
            link.mailbox.post(Mail::Own(text.into()));
        }
        Ok(())
    }

    /// Moves a user to another room over HTTP. Returns the number of the room's latest message.
    pub(crate) fn go(
        &mut self,
        user: &str,
        secret: &str,
        room: &str,
        now: Instant,
    ) -> Result<u64, Refusal> {
        self.open()?;
        let room = self.room_named(room)?;
        let secret = secret.parse().map_err(|_| Refusal::WrongSession)?;
        let place = self.sessions.of_secret(secret);
        let place = place.ok_or(Refusal::UnknownSession)?;
        if &*self.sessions[place].user != user {
            return Err(Refusal::WrongSession);
        }
        self.relocate(place, room)?;
        self.sessions[place].active = now;
        Ok(self.rooms[room].sequence)
    }

    /// Moves a user to another room over a WebSocket.
    pub(crate) fn go_by_socket(&mut self, ticket: Ticket, room: &str) -> Result<(), Refusal> {
        self.open()?;
        let room = self.room_named(room)?;
        let place = self.place(ticket)?;
        self.relocate(place, room)
    }
}
