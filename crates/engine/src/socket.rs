//! Sockets of users: sending and awaiting messages. `opening` starts sockets, `following`, `receiving` and `sight` follow
//! channels, `wire` carries messages, and `end` handles received data and the end of sockets. A stream of server-sent
//! events is a socket on which nothing is sent; `events` reconnects it.

mod awaited;
mod common;
mod end;
mod following;
mod inbox;
mod kind;
mod link;
mod opening;
mod over;
mod reading;
mod receiving;
mod sight;
mod state;

use delivery::Sent;
use model::{Fault, Nanos};
use script::host::{NextCall, OpId, Payload, ReplyBy, RoundTripCall, SocketId, Value, Wake};

use crate::filter::Filter;
use crate::news::News;
use crate::recorder::Family;
use crate::trace;

pub(crate) use crate::protocols::{Channels, Sockets};
pub(crate) use awaited::{Awaited, Awaits, Own};
pub(crate) use kind::{Purpose, SocketKind};
pub(crate) use link::SocketLink;
pub(crate) use opening::framing_of;
pub(crate) use over::Over;
pub(crate) use reading::Reading;
pub(crate) use receiving::{Followed, Receiving};
pub(crate) use sight::{Came, EventName, Sight, Sights};
use state::Closing;
pub(crate) use state::{Opening, RoundTrip, SocketState, Waiting, Wanted};

impl Sockets<'_> {
    /// Sends a message. The stamps that the user has made are sent with it.
    pub(crate) fn send(
        &mut self,
        id: SocketId,
        payload: &Payload,
        planned: Option<Nanos>,
    ) -> Result<Vec<Sent>, Fault> {
        let sent = self.send_with_stamps(id, planned, |socket| match payload {
            Payload::Text(text) => socket.wire.send_text(text),
            Payload::Binary(bytes) => socket.wire.send_binary(bytes),
        })?;
        let (user, _) = self.base.socket(id)?;
        self.base.trace(user, || trace::message(payload));
        Ok(sent)
    }

    /// Writes to a socket. Returns the stamps that the user has made, which are sent with the message.
    pub(crate) fn send_with_stamps(
        &mut self,
        id: SocketId,
        planned: Option<Nanos>,
        write: impl FnOnce(&mut SocketLink) -> Result<(), Fault>,
    ) -> Result<Vec<Sent>, Fault> {
        let (user, _) = self.base.socket(id)?;
        self.base.with_stamps(user, planned, |base| {
            let (_, socket) = base.socket(id)?;
            let sent = write(socket);
            let polls = socket.wire.sends_by_request();
            base.net.update_interest(id.0);
            if polls {
                base.tell(News::GoesOn(id.0));
            }
            sent
        })
    }

    pub(crate) fn start_round_trip(
        &mut self,
        op: OpId,
        id: SocketId,
        call: RoundTripCall,
    ) -> Result<(), Fault> {
        // Take the start time before the send, so that the round trip includes the time of writing.
        let now = self.base.clock.now();
        let mut filter = Filter::new(call.only)?;
        let named = matches!(call.by, ReplyBy::Id { .. }) || !filter.is_empty();
        if let ReplyBy::Id { at, value } = call.by {
            filter = filter.also(&at, value)?;
        }
        let carries = self.send(id, &call.payload, call.planned)?;
        let round_trip = RoundTrip {
            name: self.base.level.recorder.name(Family::RoundTrip, &call.name),
            planned: call.planned.unwrap_or(now),
            started: now,
        };
        let wanted = Wanted::Fitting {
            event: None,
            filter,
            named,
        };
        self.wait_for(op, id, wanted, call.timeout, Some(round_trip))?;
        if let Some(waiting) = self.base.socket(id)?.1.state.waiting.back_mut() {
            waiting.carries = carries;
        }
        Ok(())
    }

    /// Adds a reply or a message that the script awaits.
    pub(crate) fn wait_for(
        &mut self,
        op: OpId,
        id: SocketId,
        wanted: Wanted,
        timeout: Option<Nanos>,
        round_trip: Option<RoundTrip>,
    ) -> Result<(), Fault> {
        let limit = timeout.unwrap_or(self.base.config.options.timeouts.total);
        let began =
            round_trip.map_or_else(|| self.base.clock.now(), |round_trip| round_trip.started);
        let waiting = Waiting {
            op,
            until: began + limit,
            limit,
            wanted,
            round_trip,
            carries: Vec::new(),
            in_array: false,
        };
        self.base.socket(id)?.1.state.waiting.push_back(waiting);
        self.base.net.watch_limit(began + limit);
        Ok(())
    }

    pub(crate) fn await_message(
        &mut self,
        op: OpId,
        id: SocketId,
        call: NextCall,
    ) -> Result<(), Fault> {
        let NextCall {
            event,
            only,
            timeout,
        } = call;
        let filter = Filter::new(only)?;
        let (_, socket) = self.base.socket(id)?;
        // Messages removed from the full inbox count as dropped only now, because the script may want one of them.
        let inbox = &mut socket.state.inbox;
        let missed = inbox.take_removed();
        let found = inbox.take_first(|message| {
            let is_event = |name: &String| message.is_event(name);
            event.as_ref().is_none_or(is_event) && filter.fits(message.bytes())
        });
        self.base.level.recorder.monitoring.dropped += missed;
        if let Some(message) = found {
            self.base.wakes.push_back(Wake::Done {
                op,
                result: Ok(Value::Message(message)),
            });
            return Ok(());
        }
        let named = event.is_some() || !filter.is_empty();
        let wanted = Wanted::Fitting {
            event,
            filter,
            named,
        };
        let in_array = self.base.socket(id)?.1.state.came_in_array(&wanted);
        self.wait_for(op, id, wanted, timeout, None)?;
        if let Some(waiting) = self.base.socket(id)?.1.state.waiting.back_mut() {
            waiting.in_array = in_array;
        }
        Ok(())
    }

    pub(crate) fn start_ping(&mut self, op: OpId, id: SocketId) -> Result<(), Fault> {
        let now = self.base.clock.now();
        let (_, socket) = self.base.socket(id)?;
        socket.wire.send_ping(&now.0.to_be_bytes())?;
        socket.state.pings.push_back((op, now));
        self.base.net.update_interest(id.0);
        Ok(())
    }

    /// Turns the script's message handler on or off. A new handler first gets the messages in the inbox.
    pub(crate) fn set_listening(&mut self, id: SocketId, on: bool) {
        let Ok((_, socket)) = self.base.socket(id) else {
            return;
        };
        socket.state.listening = on;
        if on {
            let missed = socket.state.inbox.take_removed();
            let inbox = socket.state.inbox.take_all();
            self.base
                .wakes
                .extend(inbox.into_iter().map(|message| Wake::Message {
                    socket: id,
                    message,
                }));
            self.base.level.recorder.monitoring.dropped += missed;
        }
    }
}
