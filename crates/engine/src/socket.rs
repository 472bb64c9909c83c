//! `WebSocket`s of users: opening, sending, awaiting; `end` is about what arrives and how they end.

mod end;

use std::collections::VecDeque;

use delivery::{ChannelIndex, Garbled, Stamp, find_stamp};
use model::{Fault, FaultKind, Nanos, UserId};
use rand_core::RngCore;
use script::host::{
    ExchangeCall, OpId, Payload, ReplyBy, SocketCall, SocketId, StampPlace, Value, Wake,
};
use wire::websocket::{Connection, Handshake};

use crate::conn::{Conn, Link};
use crate::dialling::{Dial, SocketDial};
use crate::dials::Located;
use crate::filter::Filter;
use crate::place::Place;
use crate::recorder::Family;
use crate::world::World;

/// One WebSocket of a user.
#[derive(Debug)]
pub(crate) struct SocketLink {
    pub(crate) wire: Connection,
    pub(crate) state: SocketState,
}

/// What is awaited on a socket.
#[derive(Debug, Default)]
pub(crate) struct SocketState {
    pub(crate) opening: Option<Opening>,
    /// The name under which it is measured.
    pub(crate) name: String,
    pub(crate) receives: Vec<Receiving>,
    /// The script has a message handler.
    pub(crate) listening: bool,
    pub(crate) waiting: VecDeque<Waiting>,
    /// Messages that nobody has asked for yet.
    pub(crate) inbox: VecDeque<Payload>,
    pub(crate) pings: VecDeque<(OpId, Nanos)>,
    pub(crate) closing: Option<Closing>,
    /// What the server's close frame said.
    pub(crate) close: Option<(Option<u16>, String)>,
}

/// A handshake under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opening {
    pub(crate) op: OpId,
    /// When it should have been asked for.
    pub(crate) planned: Nanos,
    pub(crate) asked: Nanos,
    pub(crate) until: Nanos,
    pub(crate) limit: Nanos,
}

/// We have said goodbye.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closing {
    op: Option<OpId>,
    until: Nanos,
}

/// A channel whose stamps are looked for.
#[derive(Debug)]
pub(crate) struct Receiving {
    pub(crate) channel: ChannelIndex,
    pub(crate) tally: usize,
    pub(crate) at: Place,
    pub(crate) only: Filter,
}

impl Receiving {
    /// Whether this stamp, in a message that fits, is among those that stand where the channel looks.
    pub(crate) fn reads(&self, message: &[u8], stamp: &Result<Stamp, Garbled>) -> bool {
        let mut reads = false;
        let first = || find_stamp(message);
        self.at
            .each_stamp(message, first, |found| reads |= found == *stamp);
        reads && self.only.fits(message)
    }
}

/// A reply or a message that the script awaits.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) op: OpId,
    pub(crate) until: Nanos,
    pub(crate) limit: Nanos,
    pub(crate) filter: Filter,
    /// Known by an id: taken even where a channel has a claim on the message.
    pub(crate) by_id: bool,
    /// `None`: merely the next message.
    pub(crate) exchange: Option<Exchange>,
}

/// A message whose reply is timed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exchange {
    pub(crate) name: usize,
    pub(crate) planned: Nanos,
    pub(crate) started: Nanos,
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
        opening.min(closing).min(waiting)
    }
}

impl World {
    pub(crate) fn start_socket(
        &mut self,
        op: OpId,
        user: UserId,
        call: SocketCall,
    ) -> Result<(), Fault> {
        let now = self.clock.now();
        let Located { url, endpoint, .. } = self.dials.locate(&call.url)?;
        let limit = call.timeout.unwrap_or(self.config.options.timeouts.connect);
        let mut headers = call.headers;
        let (seed, nonce) = {
            let gone = || Fault::script(FaultKind::Thrown, "the user's level is over");
            let owner = self.users.get(user).ok_or_else(gone)?;
            headers.extend(owner.headers.iter().cloned());
            headers.extend(
                owner
                    .cookies
                    .header_for(&url)
                    .map(|cookies| ("Cookie".to_owned(), cookies)),
            );
            let mut nonce = [0; 16];
            owner.random.fill_bytes(&mut nonce);
            (owner.random.next_u64(), nonce)
        };
        let handshake = Handshake::new(&url, &call.subprotocols, &headers, nonce)?;
        let opening = Opening {
            op,
            planned: call.planned.unwrap_or(now),
            asked: now,
            until: now + limit,
            limit,
        };
        let state = SocketState {
            opening: Some(opening),
            name: call.name,
            ..SocketState::default()
        };
        let epoch = self.users.get(user).map_or(0, |user| user.epoch);
        self.dial(Dial::Socket(Box::new(SocketDial {
            user,
            epoch,
            endpoint,
            handshake,
            seed,
            state,
        })));
        Ok(())
    }

    /// Starts to connect. The time that it may take begins here.
    pub(crate) fn open_socket(&mut self, dial: SocketDial) {
        let SocketDial {
            user,
            epoch,
            endpoint,
            handshake,
            seed,
            mut state,
        } = dial;
        let owner = self.users.get(user);
        let Some(opening) = state
            .opening
            .as_mut()
            .filter(|_| owner.is_some_and(|owner| owner.epoch == epoch))
        else {
            return;
        };
        opening.asked = self.clock.now();
        opening.until = opening.asked + opening.limit;
        let opening = *opening;
        let name = state.name.clone();
        let max_message = self.config.options.max_message;
        let opened = self
            .dials
            .connect(endpoint, self.config.source_of(user))
            .and_then(|stream| {
                let wire = Connection::with_message_limit(stream, handshake, seed, max_message)?;
                let link = Link::Socket(Box::new(SocketLink { wire, state }));
                self.admit(Conn {
                    user,
                    endpoint,
                    asks_write: false,
                    sampled: false,
                    accepted: false,
                    link,
                })
            });
        match opened {
            Ok(key) => {
                if let Some(owner) = self.users.get(user) {
                    owner.sockets.push(key);
                }
                self.watch_limit(opening.until);
                self.look_if_open(key);
            }
            Err(fault) => self.never_opened(user, &name, opening, fault),
        }
    }

    pub(crate) fn socket(&mut self, id: SocketId) -> Result<(UserId, &mut SocketLink), Fault> {
        match self.conns.get_mut(id.0) {
            Some(Conn {
                user,
                link: Link::Socket(socket),
                ..
            }) => Ok((*user, socket)),
            _ if self.closed_by_script.contains(&id.0) => Err(Fault::script(
                FaultKind::Closed,
                "the script has closed this WebSocket",
            )),
            _ => Err(Fault::target(FaultKind::Closed, "the WebSocket is closed")),
        }
    }

    /// Sends a message; the user's stamps leave with it.
    pub(crate) fn send_on_socket(
        &mut self,
        id: SocketId,
        payload: &Payload,
        planned: Option<Nanos>,
    ) -> Result<(), Fault> {
        let (user, _) = self.socket(id)?;
        let now = self.clock.now();
        let planned = planned.unwrap_or(now);
        let measured = self.hold.contains(planned);
        let carried = match self.group_of(user) {
            Some((group, member, tallies)) => {
                group.ledger.send(member, planned, now, measured, tallies)
            }
            None => Vec::new(),
        };
        if measured {
            self.recorder.window.messages += carried.len() as u64;
        } else {
            self.recorder.measured.before.messages += carried.len() as u64;
        }
        let (_, socket) = self.socket(id)?;
        let sent = match payload {
            Payload::Text(text) => socket.wire.send_text(text),
            Payload::Binary(bytes) => socket.wire.send_binary(bytes),
        };
        let sent_failed = sent.is_err();
        if let Some((group, ..)) = self.group_of(user).filter(|_| sent_failed) {
            for sent in carried {
                group.ledger.refuse(sent);
            }
        }
        self.update_interest(id.0);
        sent
    }

    pub(crate) fn start_exchange(
        &mut self,
        op: OpId,
        id: SocketId,
        call: ExchangeCall,
    ) -> Result<(), Fault> {
        let now = self.clock.now();
        let mut filter = Filter::new(call.only)?;
        let by_id = matches!(call.by, ReplyBy::Id { .. });
        if let ReplyBy::Id { at, value } = call.by {
            filter = filter.also(&at, value)?;
        }
        self.send_on_socket(id, &call.payload, call.planned)?;
        let name = self.recorder.name(Family::Exchange, &call.name);
        let limit = call.timeout.unwrap_or(self.config.options.timeouts.total);
        let exchange = Exchange {
            name,
            planned: call.planned.unwrap_or(now),
            started: now,
        };
        let waiting = Waiting {
            op,
            until: now + limit,
            limit,
            filter,
            by_id,
            exchange: Some(exchange),
        };
        self.socket(id)?.1.state.waiting.push_back(waiting);
        self.watch_limit(now + limit);
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
        let limit = timeout.unwrap_or(self.config.options.timeouts.total);
        let until = self.clock.now() + limit;
        let (_, socket) = self.socket(id)?;
        let inbox = &mut socket.state.inbox;
        if let Some(at) = inbox
            .iter()
            .position(|message| filter.fits(bytes_of(message)))
        {
            let value = inbox.remove(at).map_or(Value::Nothing, Value::Message);
            self.wakes.push_back(Wake::Done {
                op,
                result: Ok(value),
            });
            return Ok(());
        }
        let waiting = Waiting {
            op,
            until,
            limit,
            filter,
            by_id: false,
            exchange: None,
        };
        socket.state.waiting.push_back(waiting);
        self.watch_limit(until);
        Ok(())
    }

    pub(crate) fn start_ping(&mut self, op: OpId, id: SocketId) -> Result<(), Fault> {
        let now = self.clock.now();
        let (_, socket) = self.socket(id)?;
        socket.wire.send_ping(&now.0.to_be_bytes())?;
        socket.state.pings.push_back((op, now));
        self.update_interest(id.0);
        Ok(())
    }

    /// The script has, or no longer has, a message handler; what waits in the inbox goes to it.
    pub(crate) fn set_listening(&mut self, id: SocketId, on: bool) {
        let Ok((_, socket)) = self.socket(id) else {
            return;
        };
        socket.state.listening = on;
        if on {
            let inbox = std::mem::take(&mut socket.state.inbox);
            self.wakes
                .extend(inbox.into_iter().map(|payload| Wake::Message {
                    socket: id,
                    payload,
                }));
        }
    }

    pub(crate) fn start_receiving(
        &mut self,
        id: SocketId,
        channel: ChannelIndex,
        place: StampPlace,
    ) -> Result<(), Fault> {
        let at = Place::new(place.at)?;
        let only = Filter::new(place.only)?;
        let (user, _) = self.socket(id)?;
        let Some((group, member, _)) = self.group_of(user) else {
            return Ok(());
        };
        group.ledger.join(channel, member);
        let tally = group.ledger.tally_of(channel);
        self.socket(id)?.1.state.receives.push(Receiving {
            channel,
            tally,
            at,
            only,
        });
        Ok(())
    }
}

pub(crate) fn bytes_of(message: &Payload) -> &[u8] {
    match message {
        Payload::Text(text) => text.as_bytes(),
        Payload::Binary(bytes) => bytes,
    }
}
