//! Sockets of users: sending and awaiting messages. `opening` starts sockets, `receiving` and `sight` follow
//! channels, `wire` carries messages, and `end` handles received data and the end of sockets.

mod end;
mod opening;
mod receiving;
mod sight;
mod wire;

use std::collections::VecDeque;

use delivery::{Documents, Sent, stamps_in};
use model::{Fault, FaultKind, Nanos, UserId};
use script::host::{OpId, Payload, ReplyBy, RoundTripCall, SocketId, Value, Wake};

use crate::arrival::Looks;
use crate::conn::{Conn, Link};
use crate::filter::Filter;
use crate::recorder::Family;
use crate::socketio::Talk;
use crate::trace;
use crate::world::World;

pub(crate) use self::wire::{Bytes, Feed, Parts, Wire};
pub(crate) use receiving::{Came, Receiving};
pub(crate) use sight::Sights;

/// One socket of a user: a WebSocket, or a Socket.IO session over polling.
#[derive(Debug)]
pub(crate) struct SocketLink {
    pub(crate) wire: Wire,
    pub(crate) state: SocketState,
}

/// The state of a socket, with everything that is awaited on it.
#[derive(Debug, Default)]
pub(crate) struct SocketState {
    pub(crate) opening: Option<Opening>,
    /// The name under which the socket is measured.
    pub(crate) name: String,
    /// Extracts documents from the socket's messages.
    pub(crate) documents: Documents,
    /// The Socket.IO session on this socket.
    pub(crate) talk: Option<Box<Talk>>,
    /// The polling socket that this socket will replace.
    pub(crate) probes: Option<u32>,
    pub(crate) receives: Vec<Receiving>,
    /// Number of messages that were searched for misplaced stamps.
    pub(crate) looks: Looks,
    /// The number of the next entry of `receives`.
    pub(crate) next_receiving: u32,
    /// Whether the script has a message handler.
    pub(crate) listening: bool,
    pub(crate) waiting: VecDeque<Waiting>,
    /// Messages that the script has not requested yet.
    pub(crate) inbox: VecDeque<Payload>,
    /// Number of messages that were removed from the full inbox since the script last requested one.
    pub(crate) unread: u64,
    pub(crate) pings: VecDeque<(OpId, Nanos)>,
    pub(crate) closing: Option<Closing>,
    /// Code and reason of the server's close frame.
    pub(crate) close: Option<(Option<u16>, String)>,
}

/// An opening handshake in progress.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opening {
    pub(crate) op: OpId,
    /// The time at which the socket should have been requested.
    pub(crate) planned: Nanos,
    pub(crate) asked: Nanos,
    pub(crate) until: Nanos,
    pub(crate) limit: Nanos,
}

/// A closing handshake that headcount has started.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closing {
    op: Option<OpId>,
    until: Nanos,
}

/// A reply or a message that the script awaits.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) op: OpId,
    pub(crate) until: Nanos,
    pub(crate) limit: Nanos,
    pub(crate) wanted: Wanted,
    /// `None` if the script awaits the next message without having sent a request.
    pub(crate) round_trip: Option<RoundTrip>,
    /// Stamps that were sent with the message whose reply is awaited.
    pub(crate) carries: Vec<Sent>,
}

impl Waiting {
    /// Whether the message contains a stamp of the request whose reply is awaited.
    pub(crate) fn is_answered_by(&self, message: &[u8]) -> bool {
        let sent = |stamp| self.carries.iter().any(|sent| sent.is_of(&stamp));
        !self.carries.is_empty() && stamps_in(message).flatten().any(sent)
    }
}

/// The message that is awaited.
#[derive(Debug)]
pub(crate) enum Wanted {
    /// The first message that passes the filter. With `named`, the script identified the message, so it counts even if
    /// a channel consumes it.
    Fitting { filter: Filter, named: bool },
    /// The acknowledgement with this number.
    Ack(u64),
    /// The next event of this name.
    Event(String),
}

/// A message whose reply is timed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoundTrip {
    pub(crate) name: usize,
    pub(crate) planned: Nanos,
    pub(crate) started: Nanos,
}

impl SocketState {
    /// The protocol as it appears in the names of failures.
    fn spoken(&self) -> &'static str {
        if self.talk.is_some() || self.probes.is_some() {
            "socket.io"
        } else {
            "websocket"
        }
    }

    /// The kind of connection as it appears in the texts of failures.
    fn line(&self) -> &'static str {
        if self.talk.is_some() {
            "Socket.IO session"
        } else {
            "WebSocket"
        }
    }
}

impl SocketLink {
    pub(crate) fn limit(&self) -> Nanos {
        let state = &self.state;
        let opening = state.opening.map_or(Nanos::MAX, |opening| opening.until);
        let closing = state.closing.map_or(Nanos::MAX, |closing| closing.until);
        let waiting = state
            .waiting
            .iter()
            .map(|waiting| waiting.until)
            .min()
            .unwrap_or(Nanos::MAX);
        let silence = state
            .talk
            .as_ref()
            .map_or(Nanos::MAX, |talk| talk.dead_at());
        opening.min(closing).min(waiting).min(silence)
    }
}

impl World {
    pub(crate) fn socket(&mut self, id: SocketId) -> Result<(UserId, &mut SocketLink), Fault> {
        match self.conns.get_mut(id.0) {
            Some(Conn {
                user,
                link: Link::Socket(socket),
                ..
            }) => Ok((*user, socket)),
            _ if self.level.closed_by_script.contains(&id.0) => Err(Fault::script(
                FaultKind::Closed,
                "the script has closed this socket",
            )),
            _ => Err(Fault::target(FaultKind::Closed, "the socket is closed")),
        }
    }

    /// Sends a message. The stamps that the user has made are sent with it.
    pub(crate) fn send_on_socket(
        &mut self,
        id: SocketId,
        payload: &Payload,
        planned: Option<Nanos>,
    ) -> Result<Vec<Sent>, Fault> {
        let sent = self.send_with_stamps(id, planned, |socket| match payload {
            Payload::Text(text) => socket.wire.send_text(text),
            Payload::Binary(bytes) => socket.wire.send_binary(bytes),
        })?;
        let (user, _) = self.socket(id)?;
        self.trace(user, || trace::message(payload));
        Ok(sent)
    }

    /// Writes to a socket. Returns the stamps that the user has made, which are sent with the message.
    pub(crate) fn send_with_stamps(
        &mut self,
        id: SocketId,
        planned: Option<Nanos>,
        write: impl FnOnce(&mut SocketLink) -> Result<(), Fault>,
    ) -> Result<Vec<Sent>, Fault> {
        let (user, _) = self.socket(id)?;
        let carried = self.stamps_leave(user, planned);
        let (_, socket) = self.socket(id)?;
        let sent = write(socket);
        let sent_failed = sent.is_err();
        // Nothing was sent, so these deliveries are not awaited.
        if let Some((group, ..)) = self.group_of(user).filter(|_| sent_failed) {
            for sent in &carried {
                group.ledger.refuse(*sent);
            }
        }
        self.update_interest(id.0);
        self.go_on_polling(id.0);
        sent.map(|()| carried)
    }

    fn stamps_leave(&mut self, user: UserId, planned: Option<Nanos>) -> Vec<Sent> {
        let now = self.clock.now();
        let planned = planned.unwrap_or(now);
        let measured = self.level.hold.contains(planned);
        let carried = match self.group_of(user) {
            Some((group, member, tallies)) => {
                group.ledger.send(member, planned, now, measured, tallies)
            }
            None => Vec::new(),
        };
        if measured {
            self.level.recorder.window.messages += carried.len() as u64;
        } else {
            self.level.recorder.measured.before.messages += carried.len() as u64;
        }
        carried
    }

    pub(crate) fn start_round_trip(
        &mut self,
        op: OpId,
        id: SocketId,
        call: RoundTripCall,
    ) -> Result<(), Fault> {
        // Take the start time before the send, so that the round trip includes the time of writing.
        let now = self.clock.now();
        let mut filter = Filter::new(call.only)?;
        let named = matches!(call.by, ReplyBy::Id { .. }) || !filter.is_empty();
        if let ReplyBy::Id { at, value } = call.by {
            filter = filter.also(&at, value)?;
        }
        let carries = self.send_on_socket(id, &call.payload, call.planned)?;
        let round_trip = RoundTrip {
            name: self.level.recorder.name(Family::RoundTrip, &call.name),
            planned: call.planned.unwrap_or(now),
            started: now,
        };
        let wanted = Wanted::Fitting { filter, named };
        self.wait_on_socket(op, id, wanted, call.timeout, Some(round_trip))?;
        if let Some(waiting) = self.socket(id)?.1.state.waiting.back_mut() {
            waiting.carries = carries;
        }
        Ok(())
    }

    /// Adds a reply or a message that the script awaits.
    pub(crate) fn wait_on_socket(
        &mut self,
        op: OpId,
        id: SocketId,
        wanted: Wanted,
        timeout: Option<Nanos>,
        round_trip: Option<RoundTrip>,
    ) -> Result<(), Fault> {
        let limit = timeout.unwrap_or(self.config.options.timeouts.total);
        let began = round_trip.map_or_else(|| self.clock.now(), |round_trip| round_trip.started);
        let waiting = Waiting {
            op,
            until: began + limit,
            limit,
            wanted,
            round_trip,
            carries: Vec::new(),
        };
        self.socket(id)?.1.state.waiting.push_back(waiting);
        self.watch_limit(began + limit);
        Ok(())
    }

    pub(crate) fn await_message(
        &mut self,
        op: OpId,
        id: SocketId,
        only: Vec<(String, String)>,
        timeout: Option<Nanos>,
    ) -> Result<(), Fault> {
        let filter = Filter::new(only)?;
        let (_, socket) = self.socket(id)?;
        // Messages removed from the full inbox count as dropped only now, because the script may want one of them.
        let missed = std::mem::take(&mut socket.state.unread);
        let inbox = &mut socket.state.inbox;
        let found = inbox
            .iter()
            .position(|message| filter.fits(bytes_of(message)))
            .and_then(|at| inbox.remove(at));
        self.level.recorder.dropped += missed;
        if let Some(message) = found {
            self.wakes.push_back(Wake::Done {
                op,
                result: Ok(Value::Message(message)),
            });
            return Ok(());
        }
        let named = !filter.is_empty();
        let wanted = Wanted::Fitting { filter, named };
        self.wait_on_socket(op, id, wanted, timeout, None)
    }

    pub(crate) fn start_ping(&mut self, op: OpId, id: SocketId) -> Result<(), Fault> {
        let now = self.clock.now();
        let (_, socket) = self.socket(id)?;
        socket.wire.send_ping(&now.0.to_be_bytes())?;
        socket.state.pings.push_back((op, now));
        self.update_interest(id.0);
        Ok(())
    }

    /// Turns the script's message handler on or off. A new handler first gets the messages in the inbox.
    pub(crate) fn set_listening(&mut self, id: SocketId, on: bool) {
        let Ok((_, socket)) = self.socket(id) else {
            return;
        };
        socket.state.listening = on;
        if on {
            let missed = std::mem::take(&mut socket.state.unread);
            let inbox = std::mem::take(&mut socket.state.inbox);
            self.wakes
                .extend(inbox.into_iter().map(|payload| Wake::Message {
                    socket: id,
                    payload,
                }));
            self.level.recorder.dropped += missed;
        }
    }
}

pub(crate) fn bytes_of(message: &Payload) -> &[u8] {
    match message {
        Payload::Text(text) => text.as_bytes(),
        Payload::Binary(bytes) => bytes,
    }
}
