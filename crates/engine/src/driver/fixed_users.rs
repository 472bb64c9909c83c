//! Users without a script, who repeat one request, or one message on a WebSocket.
//!
//! After each response, the next request is sent at once, on the same connection and with the same bytes.
//! This needs no wake and no allocation. Connections, limits, failures and counts are the same as for users with a
//! script.

use std::sync::Arc;

use delivery::CutOff;
use model::{Fault, GroupId, Nanos, UserId};
use script::host::{
    DocumentsIn, OpId, Payload, ReplyBy, RoundTripCall, SocketCall, SocketId, Value, Wake,
};
use wire::http::Body;

use super::fixed::{FixedRun, Template};
use crate::base::Base;
use crate::http::{Asked, Asker, Http, InFlight};
use crate::people::Stage;
use crate::program::Send;
use crate::recorder::Family;
use crate::socket::Sockets;
use crate::tickers::start_ticker;
use crate::timers::Sleep;

/// Pause of a user after a failure, so that a dead target is not flooded with requests.
const PAUSE: Nanos = Nanos::from_millis(100);

/// One user, and the ID of the user's operation.
type At = (OpId, UserId);

/// The users of a worker, who follow no script.
pub(crate) struct FixedUsers<'a> {
    pub(crate) base: &'a mut Base,
    pub(crate) run: &'a mut FixedRun,
}

impl FixedUsers<'_> {
    /// Starts the user of a group.
    pub(super) fn begin(&mut self, group: GroupId, planned: Option<Nanos>) {
        let user = self
            .base
            .level
            .group_by_id(group)
            .and_then(|group| group.users.first().copied());
        let op = |user| Some((self.run.begin(user)?, user));
        match user.and_then(op) {
            Some(at) => self.start(at, planned),
            None => self
                .base
                .inconsistent("a user without a script cannot start"),
        }
    }

    /// Starts with a request, or by opening a WebSocket.
    fn start(&mut self, at: At, planned: Option<Nanos>) {
        match &self.run.plain.send {
            Send::Request { .. } => self.request(at, planned),
            Send::Message(_) => self.connect(at),
        }
    }

    /// Handles an event of a user.
    pub(super) fn wake(&mut self, wake: Wake) {
        // An operation without a user belongs to an iteration that has ended.
        match wake {
            Wake::Done { op, result } => {
                if let Some(user) = self.run.user_of(op) {
                    self.done((op, user), &result);
                }
            }
            Wake::Tick { ticker, due } => {
                let op = self.run.op_of(ticker);
                let at = op.and_then(|op| Some((op, self.run.user_of(op)?)));
                if let Some(at) = at {
                    self.message(at, Some(due));
                }
            }
            Wake::Message { .. } | Wake::Event { .. } | Wake::Closed { .. } => {}
        }
    }

    fn done(&mut self, at: At, result: &Result<Value, Fault>) {
        match result {
            Ok(Value::Socket(..)) => self.opened(at),
            Ok(_) if self.base.clock.now() >= self.base.level.recorder.hold.end => self.end(at),
            Ok(Value::Message(_)) if self.paces_sockets() => {}
            // The server closed the socket after its reply, so the user opens another one.
            Ok(Value::Message(_)) if self.open_socket_of(at.1).is_none() => self.pause(at),
            Ok(Value::Message(_)) => self.message(at, None),
            // Such a user sends only requests and messages.
            Ok(_) => self.start(at, None),
            Err(_) => {
                // A late reply would be mistaken for the reply to the next message, so the socket cannot be used again.
                Sockets { base: self.base }.close_all_of(at.1, CutOff::IterationFailed);
                self.pause(at);
            }
        }
    }

    /// Takes one of the remaining requests or messages. Returns false if none is left or the measured time is over.
    fn take_one(&mut self) -> bool {
        let within = self.base.clock.now() < self.base.level.recorder.hold.end;
        within && self.run.take_one()
    }

    fn paces_sockets(&self) -> bool {
        self.run.plain.per_socket.is_some()
    }

    fn request(&mut self, at: At, planned: Option<Nanos>) {
        if !(self.base.level.arrivals.is_open || self.take_one()) {
            self.end(at);
            return;
        }
        if let Err(fault) = self.try_fixed_request(at, planned) {
            self.not_started(at.1, "request", planned, &fault);
            self.pause(at);
        }
    }

    /// Counts an operation that could not start, if it was due in the measured time.
    fn not_started(&mut self, user: UserId, what: &str, planned: Option<Nanos>, fault: &Fault) {
        let now = self.base.clock.now();
        let planned = planned.unwrap_or(now);
        self.base
            .level
            .fail_during((planned, planned), (user, what), now, fault);
    }

    fn try_fixed_request(&mut self, (op, user): At, planned: Option<Nanos>) -> Result<(), Fault> {
        let template = self.template(user)?;
        let Some(template) = template else {
            self.base
                .inconsistent("a user without a script has no request");
            return Ok(());
        };
        let Template {
            request,
            endpoint,
            encoded,
        } = template;
        let (now, timeouts) = (self.base.clock.now(), self.base.config.options.timeouts);
        let mut asked = Asked::by(Asker::Fixed(op), user, now);
        asked.name = self
            .base
            .level
            .recorder
            .name(Family::Request, &self.run.name);
        asked.planned = planned.unwrap_or(now);
        asked.expect = self.run.expected();
        let flight = InFlight {
            prepared: Some(encoded),
            ..InFlight::new((request, endpoint), now, timeouts, asked)
        };
        Http { base: self.base }.dispatch(Box::new(flight));
        Ok(())
    }

    /// The request that is repeated. The first call of the worker creates it.
    fn template(&mut self, user: UserId) -> Result<Option<Template>, Fault> {
        let run = &*self.run;
        if let Some(template) = &run.template {
            return Ok(Some(template.clone()));
        }
        let is_shared = run.plain.shared.is_some();
        let Some(mut request) = run.plain.request() else {
            return Ok(None);
        };
        let endpoint = self.base.net.connector.endpoint_of(&request.url)?;
        self.base.add_standing_headers(user, &mut request.headers);
        let mut bytes = Vec::new();
        request.encode_into(None, &mut bytes)?;
        if !is_shared {
            // HTTP/1.1 sends the encoded bytes. Remove headers and body here, so that an arrival need not copy them.
            request.headers.clear();
            request.body = Body::empty();
        }
        let template = Template {
            request,
            endpoint,
            encoded: bytes.into(),
        };
        self.run.template = Some(template.clone());
        Ok(Some(template))
    }

    /// Repeats a request that was answered: on its connection if that is free, or otherwise on another one or behind the
    /// requests of other users.
    pub(crate) fn answered(&mut self, mut call: Box<InFlight>, free: Option<u32>) {
        let Asker::Fixed(op) = call.context.asker else {
            let what = "a request of the script was answered to a user without one";
            return self.base.inconsistent(what);
        };
        let (user, endpoint) = (call.context.user, call.endpoint);
        if self.base.level.arrivals.is_open || !self.take_one() {
            if let Some(key) = free {
                Http { base: self.base }.release(key, user, endpoint);
            }
            return self.end((op, user));
        }
        self.again(&mut call);
        match free {
            Some(key) => Http { base: self.base }.transmit(key, call),
            None => Http { base: self.base }.dispatch(call),
        }
    }

    fn again(&self, call: &mut InFlight) {
        let now = self.base.clock.now();
        call.again(now, self.base.config.options.timeouts);
        call.context.again(now);
    }

    /// Handles a request that has ended without a response.
    pub(crate) fn failed(&mut self, at: At) {
        if self.base.level.arrivals.is_open {
            self.end(at);
        } else {
            self.pause(at);
        }
    }

    /// Opens a WebSocket for the next message. If the opening fails, the message has failed.
    fn connect(&mut self, at: At) {
        if !self.take_one() {
            return self.end(at);
        }
        let call = SocketCall {
            url: self.run.plain.url.to_string(),
            name: self.run.name.to_string(),
            headers: self.base.config.options.headers.clone(),
            // Each message has one reply, regardless of its content.
            documents: DocumentsIn::Whole,
            ..SocketCall::default()
        };
        if let Err(fault) = (Sockets { base: self.base }).start(at.0, at.1, call, None) {
            self.not_started(at.1, "connection", None, &fault);
            self.pause(at);
        }
    }

    fn opened(&mut self, at: At) {
        let now = self.base.clock.now();
        if now >= self.base.level.recorder.hold.end {
            return self.end(at);
        }
        let per_socket = self.run.plain.per_socket;
        let (op, user) = at;
        let Some(per_s) = per_socket else {
            return match self.open_socket_of(user) {
                Some(socket) => self.send(at, socket, None),
                // The server has closed it already, and the failure has been counted.
                None => self.pause(at),
            };
        };
        let period = Nanos::from_secs_f64(1.0 / per_s);
        let ticker = start_ticker(&mut self.base.level, user, (period, None), now);
        self.run.sends_at(ticker, op);
        // The ticker stops when the measured time ends. This operation ends then too, which ends the user's iteration.
        self.base.level.stay(op, user, now);
    }

    /// Sends the next message, unless the socket has closed.
    fn message(&mut self, at: At, planned: Option<Nanos>) {
        let Some(socket) = self.open_socket_of(at.1) else {
            return;
        };
        if !self.take_one() {
            return self.end(at);
        }
        self.send(at, socket, planned);
    }

    fn open_socket_of(&mut self, user: UserId) -> Option<SocketId> {
        let sockets = &self.base.level.users.get(user)?.sockets;
        sockets.last().copied().map(SocketId)
    }

    /// Sends a message that [`FixedUsers::take_one`] has taken.
    fn send(&mut self, at: At, socket: SocketId, planned: Option<Nanos>) {
        let Send::Message(text) = &self.run.plain.send else {
            return self
                .base
                .inconsistent("a user without a message has a socket");
        };
        let call = RoundTripCall {
            name: Arc::clone(&self.run.name),
            payload: Payload::Text(text.clone()),
            by: ReplyBy::FirstInFirstOut,
            only: Vec::new(),
            timeout: None,
            planned,
        };
        if (Sockets { base: self.base })
            .start_round_trip(at.0, socket, call)
            .is_err()
        {
            Sockets { base: self.base }.close_all_of(at.1, CutOff::IterationFailed);
            self.pause(at);
        }
    }

    fn pause(&mut self, (op, user): At) {
        let epoch = self.base.level.users.get(user).map_or(0, |user| user.epoch);
        let until = self.base.clock.now() + PAUSE;
        if !self
            .base
            .level
            .timers
            .sleep(Sleep { op, user, epoch }, until)
        {
            self.base
                .inconsistent("more users without a script pause than exist");
        }
    }

    /// Ends the user's iteration.
    fn end(&mut self, (op, user): At) {
        let group = self
            .base
            .level
            .group_of(user)
            .map(|(group, ..)| group)
            .filter(|group| matches!(group.stage, Stage::Running { .. }))
            .map(|group| group.id);
        if let Some(group) = group {
            self.run.end(op, group);
        }
    }
}

#[cfg(test)]
mod tests;
