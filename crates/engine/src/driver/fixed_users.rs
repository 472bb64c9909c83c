//! Users without a script, who repeat one request, or one message on a WebSocket.
//!
//! The code that handles a response sends the next request at once, on the same connection and with the same bytes.
//! This needs no wake and no allocation. Connections, limits, failures and counts are the same as for users with a
//! script.

use std::sync::Arc;

use delivery::CutOff;
use model::{Fault, GroupId, Nanos, UserId};
use script::Ended;
use script::host::{
    DocumentsIn, OpId, Payload, ReplyBy, RoundTripCall, SocketCall, SocketId, Value, Wake,
};
use wire::http::{Body, Response};

use super::fixed::{FixedRun, Template};
use crate::http::{Asked, Asker, InFlight};
use crate::people::Stage;
use crate::program::Send;
use crate::recorder::Family;
use crate::tickers::start_ticker;
use crate::timers::Sleep;
use crate::world::World;

/// Pause of a user after a failure, so that a dead target is not flooded with requests.
const PAUSE: Nanos = Nanos::from_millis(100);

/// One user, and the ID of the user's operation.
type At = (OpId, UserId);

impl World {
    /// Starts the user of a group.
    pub(super) fn begin_fixed(&mut self, group: GroupId, planned: Option<Nanos>) {
        let user = self
            .level
            .group_by_id(group)
            .and_then(|group| group.users.first().copied());
        let op = |user| Some((self.fixed.as_mut()?.begin(user)?, user));
        match user.and_then(op) {
            Some(at) => self.start_fixed(at, planned),
            None => self.inconsistent("a user without a script cannot start"),
        }
    }

    /// Starts with a request, or by opening a WebSocket.
    fn start_fixed(&mut self, at: At, planned: Option<Nanos>) {
        match self.fixed.as_ref().map(|run| &run.plain.send) {
            Some(Send::Request { .. }) => self.fixed_request(at, planned),
            Some(Send::Message(_)) => self.fixed_connect(at),
            None => self.inconsistent("a user has neither a script nor a request"),
        }
    }

    /// Handles an event of a user.
    pub(super) fn fixed_wake(&mut self, wake: Wake) {
        let Some(run) = &self.fixed else {
            return self.inconsistent("an event of a user who has neither a script nor a request");
        };
        // An operation without a user belongs to an iteration that has ended.
        match wake {
            Wake::Done { op, result } => {
                if let Some(user) = run.user_of(op) {
                    self.fixed_done((op, user), &result);
                }
            }
            Wake::Tick { ticker, due } => {
                let op = run.op_of(ticker);
                let at = op.and_then(|op| Some((op, run.user_of(op)?)));
                if let Some(at) = at {
                    self.fixed_message(at, Some(due));
                }
            }
            Wake::Message { .. }
            | Wake::ServerEvent { .. }
            | Wake::Nats { .. }
            | Wake::RedisMessage { .. }
            | Wake::Event { .. }
            | Wake::Closed { .. } => {}
        }
    }

    /// Takes the iterations that have ended since the last call.
    pub(super) fn fixed_ended(&mut self) -> Vec<Ended> {
        let run = self.fixed.as_mut();
        run.map(FixedRun::take_ended).unwrap_or_default()
    }

    fn fixed_done(&mut self, at: At, result: &Result<Value, Fault>) {
        match result {
            Ok(Value::Socket(..)) => self.fixed_opened(at),
            Ok(_) if self.clock.now() >= self.level.recorder.hold.end => self.end_fixed(at),
            Ok(Value::Message(_)) if self.paces_sockets() => {}
            // The server closed the socket after its reply, so the user opens another one.
            Ok(Value::Message(_)) if self.open_socket_of(at.1).is_none() => self.fixed_pause(at),
            Ok(Value::Message(_)) => self.fixed_message(at, None),
            // Such a user sends only requests and messages.
            Ok(_) => self.start_fixed(at, None),
            Err(_) => {
                // A late reply would be mistaken for the reply to the next message, so the socket cannot be used again.
                self.close_sockets_of(at.1, CutOff::IterationFailed);
                self.fixed_pause(at);
            }
        }
    }

    /// Takes one of the remaining requests or messages. Returns false if none is left or the measured time is over.
    fn take_one(&mut self) -> bool {
        let within = self.clock.now() < self.level.recorder.hold.end;
        let run = self.fixed.as_mut().filter(|_| within);
        run.is_some_and(FixedRun::take_one)
    }

    fn paces_sockets(&self) -> bool {
        let run = self.fixed.as_ref();
        run.is_some_and(|run| run.plain.per_socket.is_some())
    }

    fn fixed_request(&mut self, at: At, planned: Option<Nanos>) {
        if !(self.level.arrivals.is_open || self.take_one()) {
            self.end_fixed(at);
            return;
        }
        if let Err(fault) = self.try_fixed_request(at, planned) {
            self.not_started(at.1, "request", planned, &fault);
            self.fixed_pause(at);
        }
    }

    /// Counts an operation that could not start, if it was due in the measured time.
    fn not_started(&mut self, user: UserId, what: &str, planned: Option<Nanos>, fault: &Fault) {
        let now = self.clock.now();
        let planned = planned.unwrap_or(now);
        self.level
            .fail_during((planned, planned), (user, what), now, fault);
    }

    fn try_fixed_request(&mut self, (op, user): At, planned: Option<Nanos>) -> Result<(), Fault> {
        let template = self.template(user)?;
        let (Some(template), Some(run)) = (template, &self.fixed) else {
            self.inconsistent("a user without a script has no request");
            return Ok(());
        };
        let Template {
            request,
            endpoint,
            encoded,
        } = template;
        let (now, timeouts) = (self.clock.now(), self.config.options.timeouts);
        let mut asked = Asked::by(Asker::Fixed(op), user, now);
        asked.name = self.level.recorder.name(Family::Request, &run.name);
        asked.planned = planned.unwrap_or(now);
        asked.expect = run.expected();
        let flight = InFlight {
            prepared: Some(encoded),
            ..InFlight::new((request, endpoint), now, timeouts, asked)
        };
        self.dispatch(Box::new(flight));
        Ok(())
    }

    /// The request that is repeated. The first call of the worker creates it.
    fn template(&mut self, user: UserId) -> Result<Option<Template>, Fault> {
        let Some(run) = &self.fixed else {
            return Ok(None);
        };
        if let Some(template) = &run.template {
            return Ok(Some(template.clone()));
        }
        let is_shared = run.plain.shared.is_some();
        let Some(mut request) = run.plain.request() else {
            return Ok(None);
        };
        let endpoint = self.net.connector.endpoint_of(&request.url)?;
        self.add_standing_headers(user, &mut request.headers);
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
        if let Some(run) = &mut self.fixed {
            run.template = Some(template.clone());
        }
        Ok(Some(template))
    }

    /// Counts a complete response, and sends the next request on the same connection.
    pub(crate) fn fixed_responded(
        &mut self,
        key: u32,
        op: OpId,
        mut call: Box<InFlight>,
        response: &Response,
        reusable: bool,
        now: Nanos,
    ) {
        let (user, endpoint) = (call.context.user, call.endpoint);
        self.count_answer(&call, response, now);
        if !reusable {
            self.drop_http(key);
            return self.fixed_goes_on((op, user));
        }
        if self.level.arrivals.is_open || !self.take_one() {
            self.release(key, user, endpoint);
            return self.end_fixed((op, user));
        }
        self.again(&mut call);
        self.transmit(key, call);
    }

    /// Like [`World::fixed_responded`], but on a shared connection: the next request is queued behind those of other
    /// users.
    pub(crate) fn fixed_responded_on_stream(
        &mut self,
        op: OpId,
        mut call: Box<InFlight>,
        response: &Response,
        now: Nanos,
    ) {
        self.count_answer(&call, response, now);
        if self.level.arrivals.is_open || !self.take_one() {
            return self.end_fixed((op, call.context.user));
        }
        self.again(&mut call);
        self.dispatch(call);
    }

    fn again(&self, call: &mut InFlight) {
        let now = self.clock.now();
        call.again(now, self.config.options.timeouts);
        call.context.again(now);
    }

    /// Handles a request that has ended without a response.
    pub(crate) fn fixed_broke(&mut self, op: OpId, user: UserId) {
        if self.level.arrivals.is_open {
            self.end_fixed((op, user));
        } else {
            self.fixed_pause((op, user));
        }
    }

    fn fixed_goes_on(&mut self, at: At) {
        if self.level.arrivals.is_open {
            self.end_fixed(at);
        } else {
            self.fixed_request(at, None);
        }
    }

    /// Opens a WebSocket for the next message. If the opening fails, the message has failed.
    fn fixed_connect(&mut self, at: At) {
        if !self.take_one() {
            return self.end_fixed(at);
        }
        let Some(run) = &self.fixed else { return };
        let call = SocketCall {
            url: run.plain.url.to_string(),
            name: run.name.to_string(),
            headers: self.config.options.headers.clone(),
            // Each message has one reply, regardless of its content.
            documents: DocumentsIn::Whole,
            ..SocketCall::default()
        };
        if let Err(fault) = self.start_socket(at.0, at.1, call, None) {
            self.not_started(at.1, "connection", None, &fault);
            self.fixed_pause(at);
        }
    }

    fn fixed_opened(&mut self, at: At) {
        let now = self.clock.now();
        if now >= self.level.recorder.hold.end {
            return self.end_fixed(at);
        }
        let per_socket = self.fixed.as_ref().and_then(|run| run.plain.per_socket);
        let (op, user) = at;
        let Some(per_s) = per_socket else {
            return match self.open_socket_of(user) {
                Some(socket) => self.send_fixed(at, socket, None),
                // The server has closed it already, and the failure has been counted.
                None => self.fixed_pause(at),
            };
        };
        let period = Nanos::from_secs_f64(1.0 / per_s);
        let ticker = start_ticker(&mut self.level, user, (period, None), now);
        if let Some(run) = &mut self.fixed {
            run.sends_at(ticker, op);
        }
        // The ticker stops when the measured time ends. This operation ends then too, which ends the user's iteration.
        if let Some((group, ..)) = self.level.group_of(user) {
            group.stays.waiting.push(op);
        }
    }

    /// Sends the next message, unless the socket has closed.
    fn fixed_message(&mut self, at: At, planned: Option<Nanos>) {
        let Some(socket) = self.open_socket_of(at.1) else {
            return;
        };
        if !self.take_one() {
            return self.end_fixed(at);
        }
        self.send_fixed(at, socket, planned);
    }

    fn open_socket_of(&mut self, user: UserId) -> Option<SocketId> {
        let sockets = &self.level.users.get(user)?.sockets;
        sockets.last().copied().map(SocketId)
    }

    /// Sends a message that [`World::take_one`] has taken.
    fn send_fixed(&mut self, at: At, socket: SocketId, planned: Option<Nanos>) {
        let Some(run) = &self.fixed else { return };
        let Send::Message(text) = &run.plain.send else {
            return self.inconsistent("a user without a message has a socket");
        };
        let call = RoundTripCall {
            name: Arc::clone(&run.name),
            payload: Payload::Text(text.clone()),
            by: ReplyBy::FirstInFirstOut,
            only: Vec::new(),
            timeout: None,
            planned,
        };
        if self.start_round_trip(at.0, socket, call).is_err() {
            self.close_sockets_of(at.1, CutOff::IterationFailed);
            self.fixed_pause(at);
        }
    }

    fn fixed_pause(&mut self, (op, user): At) {
        let epoch = self.level.users.get(user).map_or(0, |user| user.epoch);
        let until = self.clock.now() + PAUSE;
        if !self.level.timers.sleep(Sleep { op, user, epoch }, until) {
            self.inconsistent("more users without a script pause than exist");
        }
    }

    /// Ends the user's iteration.
    fn end_fixed(&mut self, (op, user): At) {
        let group = self
            .level
            .group_of(user)
            .map(|(group, ..)| group)
            .filter(|group| matches!(group.stage, Stage::Running { .. }))
            .map(|group| group.id);
        if let (Some(group), Some(run)) = (group, &mut self.fixed) {
            run.end(op, group);
        }
    }
}

#[cfg(test)]
mod tests;
