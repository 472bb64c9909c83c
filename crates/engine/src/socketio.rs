//! Sends Socket.IO messages on the sockets of users. `polling` handles sessions that begin without a WebSocket, and
//! `arrival::socketio` handles received data.

mod awaited;
mod handler;
mod polled;
mod polling;
mod session;
mod upgrade;

use delivery::Leaving;
use model::{Fault, Nanos, UserId};
use script::host::{Emission, EventCall, OpId, SocketCall, SocketId, SocketIoCall};
use wire::http::Response;
use wire::socketio::{Kind, Session, header};

use crate::http::Asker;
use crate::net::socket::Wire;
use crate::protocol::Protocol;
use crate::recorder::Family;
use crate::socket::{self, Over, Own, RoundTrip, SocketLink, Sockets};
use crate::trace;

pub(crate) use awaited::Wanted;
pub(crate) use handler::Sessions;
pub(crate) use session::{Heartbeat, Talk, came};

/// The WebSocket of a session that does not start with polling.
pub(crate) fn websocket_call(call: SocketIoCall) -> SocketCall {
    let sign = if call.url.contains('?') { '&' } else { '?' };
    SocketCall {
        url: format!("{}{sign}EIO=4&transport=websocket", call.url),
        name: call.name,
        headers: call.headers,
        timeout: call.timeout,
        planned: call.planned,
        ..SocketCall::default()
    }
}

fn awaited(wanted: Wanted) -> socket::Wanted {
    socket::Wanted::Own(Own::SocketIo(wanted))
}

impl SocketLink {
    /// Disconnects from the namespace, if the session is open.
    pub(crate) fn leave_namespace(&mut self) {
        if let Some(talk) = self
            .state
            .talk
            .as_ref()
            .filter(|_| self.state.opening.is_none())
        {
            let _ = self.wire.send_text(&talk.session.goodbye()); // a broken connection is closed anyway
        }
    }

    fn emit(&mut self, said: &Emission, id: Option<u64>) -> Result<(), Fault> {
        let namespace = self
            .state
            .talk
            .as_ref()
            .map_or("/", |talk| talk.session.namespace());
        let kind = match (said.acknowledges.is_some(), said.attachments.is_empty()) {
            (false, true) => Kind::Event,
            (false, false) => Kind::BinaryEvent,
            (true, true) => Kind::Ack,
            (true, false) => Kind::BinaryAck,
        };
        let head = header(
            kind,
            said.attachments.len(),
            namespace,
            id.or(said.acknowledges),
        );
        self.wire.send_text_of(&[&head, &said.list])?;
        let mut rest = said.attachments.iter();
        rest.try_for_each(|bytes| self.wire.send_binary(bytes))
    }
}

/// A socket over WebSocket may carry a session, or replace the polling of one, so it has the same handler.
impl Protocol for Sessions<'_> {
    fn received(&mut self, key: u32, bytes: &[u8], at: Nanos) -> usize {
        Sockets { base: self.base }.received(key, at, |wire, reading| match wire {
            Wire::WebSocket(connection) => {
                connection.on_bytes(bytes, &mut |event| reading.frame(event))
            }
            _ => Ok(()),
        })
    }

    fn responded(&mut self, to: Asker, outcome: Result<Response, Fault>, now: Nanos) {
        if let Asker::Poll(poll) = to {
            self.polled(poll, outcome, now);
        }
    }

    fn go_on(&mut self, key: u32) {
        self.poll(key);
    }

    fn leaves(&mut self, key: u32, _: bool, _: Leaving) {
        self.poll(key);
    }

    fn helper_added(&mut self, key: u32, helper: u32) {
        self.probes(key, helper);
    }

    fn takes_over(&mut self, helper: u32) {
        self.probe_answered(helper);
    }

    fn is_over(&mut self, over: &Over) {
        self.end_polling(over);
    }
}

impl Sessions<'_> {
    pub(crate) fn start(
        &mut self,
        op: OpId,
        user: UserId,
        call: SocketIoCall,
    ) -> Result<(), Fault> {
        let limit = self.base.config.options.max_message;
        let (namespace, auth) = (call.namespace.clone(), call.auth.clone());
        let session = Session::new(namespace, auth, limit);
        if call.polls {
            return self.start_polling(op, user, call, Box::new(Talk::new(session)));
        }
        let socket = websocket_call(call);
        Sockets { base: self.base }.start(op, user, socket, Some(Box::new(Talk::new(session))))
    }

    pub(crate) fn emit(
        &mut self,
        id: SocketId,
        said: &Emission,
        planned: Option<Nanos>,
    ) -> Result<(), Fault> {
        self.emit_numbered(id, planned, said, None)
    }

    fn emit_numbered(
        &mut self,
        id: SocketId,
        planned: Option<Nanos>,
        said: &Emission,
        number: Option<u64>,
    ) -> Result<(), Fault> {
        Sockets { base: self.base }
            .send_with_stamps(id, planned, |socket| socket.emit(said, number))?;
        let (user, _) = self.base.socket(id)?;
        self.base.trace(user, || trace::text_sent(&said.list));
        Ok(())
    }

    pub(crate) fn start_acknowledged(
        &mut self,
        op: OpId,
        id: SocketId,
        call: &EventCall,
    ) -> Result<(), Fault> {
        let started = self.base.clock.now();
        let mut number = 0;
        if let Some(talk) = &mut self.base.socket(id)?.1.state.talk {
            number = talk.next_id;
            talk.next_id += 1;
        }
        self.emit_numbered(id, call.planned, &call.said, Some(number))?;
        let round_trip = RoundTrip {
            name: self.base.level.recorder.name(Family::RoundTrip, &call.name),
            planned: call.planned.unwrap_or(started),
            started,
        };
        Sockets { base: self.base }.wait_for(
            op,
            id,
            awaited(Wanted::Ack(number)),
            call.timeout,
            Some(round_trip),
        )
    }

    pub(crate) fn await_event(
        &mut self,
        op: OpId,
        id: SocketId,
        event: String,
        timeout: Option<Nanos>,
    ) -> Result<(), Fault> {
        let wanted = awaited(Wanted::Event(event));
        Sockets { base: self.base }.wait_for(op, id, wanted, timeout, None)
    }

    pub(crate) fn handle_event(&mut self, id: SocketId, event: &str) {
        if let Ok((_, socket)) = self.base.socket(id)
            && let Some(talk) = &mut socket.state.talk
            && !talk.handled.iter().any(|known| **known == *event)
        {
            talk.handled.push(event.into());
        }
    }
}
