//! Users without a script, who repeat one request, or one message on a WebSocket.
//!
//! The code that handles a response sends the next request at once, on the same connection and with the same bytes.
//! This needs no wake and no allocation. Connections, limits, failures and counts are the same as for users with a
//! script.

use std::collections::HashMap;
use std::sync::Arc;

use delivery::CutOff;
use model::{Fault, GroupId, Nanos, UserId};
use script::Ended;
use script::host::{
    DocumentsIn, OpId, Payload, ReplyBy, RoundTripCall, SocketCall, SocketId, TickerId, Value, Wake,
};
use wire::http::{Body, Request, Response};

use crate::config::RunConfig;
use crate::http::{Asked, Asker, InFlight};
use crate::net::EndpointIndex;
use crate::program::{Plain, Program, Send};
use crate::recorder::Family;
use crate::timers::{Alarm, Sleep};
use crate::world::World;

/// Pause of a user after a failure, so that a dead target is not flooded with requests.
const PAUSE: Nanos = Nanos::from_millis(100);

/// The repeated request with the run's own headers, together with its endpoint and its bytes for HTTP/1.1.
#[derive(Clone, Debug)]
struct Template {
    request: Request,
    endpoint: EndpointIndex,
    encoded: Arc<[u8]>,
}

/// The users of one worker without a script.
#[derive(Debug)]
pub(crate) struct PlainRun {
    plain: Plain,
    name: Arc<str>,
    /// The request that is repeated; set by the first request.
    template: Option<Template>,
    /// Number of requests or messages that may still be started.
    left: u64,
    tickers: HashMap<TickerId, UserId>,
    ended: Vec<Ended>,
}

impl PlainRun {
    pub(crate) fn of(config: &RunConfig, worker: u32) -> Option<Self> {
        let Program::Plain(plain) = &config.program else {
            return None;
        };
        Some(Self {
            name: plain.name().into(),
            template: None,
            left: plain.share_of(worker, config.workers),
            plain: (**plain).clone(),
            tickers: HashMap::new(),
            ended: Vec::new(),
        })
    }

    fn expect(&self) -> Vec<u16> {
        match &self.plain.send {
            Send::Request { expect, .. } => expect.clone(),
            Send::Message(_) => Vec::new(),
        }
    }
}

impl World {
    /// Starts a user: with a request, or by opening a WebSocket.
    pub(crate) fn begin_plain(&mut self, group: GroupId, planned: Option<Nanos>) {
        let user = self
            .group_by_id(group)
            .and_then(|group| group.users.first().copied());
        let Some(user) = user else { return };
        match self.plain.as_ref().map(|run| &run.plain.send) {
            Some(Send::Request { .. }) => self.plain_request(user, planned),
            Some(Send::Message(_)) => self.plain_connect(user),
            None => {}
        }
    }

    /// Handles an event of a user.
    pub(crate) fn plain_wake(&mut self, wake: Wake) {
        match wake {
            // A user without a script has one operation at a time, whose ID is the user's ID.
            Wake::Done { op, result } => self.plain_done(UserId(op.0), &result),
            Wake::Tick { ticker, due } => {
                let user = self.plain.as_ref().and_then(|run| run.tickers.get(&ticker));
                if let Some(&user) = user {
                    self.plain_message(user, Some(due));
                }
            }
            Wake::Message { .. } | Wake::Event { .. } | Wake::Closed { .. } => {}
        }
    }

    /// Takes the iterations that have ended since the last call.
    pub(crate) fn plain_ended(&mut self) -> Vec<Ended> {
        self.plain
            .as_mut()
            .map(|run| std::mem::take(&mut run.ended))
            .unwrap_or_default()
    }

    fn plain_done(&mut self, user: UserId, result: &Result<Value, Fault>) {
        match result {
            Ok(Value::Socket(..)) => self.plain_opened(user),
            Ok(_) if self.clock.now() >= self.level.hold.end => self.end_plain(user),
            Ok(Value::Message(_)) if self.paces_sockets() => {}
            Ok(Value::Message(_)) => self.plain_message(user, None),
            Ok(Value::Nothing | Value::Response(_) | Value::Heard(_)) => {
                let id = self.group_of(user).map(|(group, ..)| group.id);
                if let Some(id) = id {
                    self.begin_plain(id, None);
                }
            }
            Err(_) => {
                // A late reply would be mistaken for the reply to the next message, so the socket cannot be used again.
                self.close_sockets_of(user, CutOff::IterationFailed);
                self.plain_pause(user);
            }
        }
    }

    /// Takes one of the remaining requests or messages. Returns false if none is left or the measured time is over.
    fn take_one(&mut self) -> bool {
        let within = self.clock.now() < self.level.hold.end;
        let Some(run) = self.plain.as_mut().filter(|run| within && run.left > 0) else {
            return false;
        };
        run.left -= 1;
        true
    }

    fn paces_sockets(&self) -> bool {
        self.plain
            .as_ref()
            .is_some_and(|run| run.plain.per_socket.is_some())
    }

    fn plain_request(&mut self, user: UserId, planned: Option<Nanos>) {
        if !(self.level.is_open || self.take_one()) {
            self.end_plain(user);
            return;
        }
        if let Err(fault) = self.try_plain_request(user, planned) {
            self.not_started(user, "request", planned, &fault);
            self.plain_pause(user);
        }
    }

    /// Counts an operation that could not start, if it was due in the measured time.
    fn not_started(&mut self, user: UserId, what: &str, planned: Option<Nanos>, fault: &Fault) {
        let now = self.clock.now();
        if self.level.hold.contains(planned.unwrap_or(now)) {
            self.fail(user, what, now, fault);
        }
    }

    fn try_plain_request(&mut self, user: UserId, planned: Option<Nanos>) -> Result<(), Fault> {
        let Some(Template {
            request,
            endpoint,
            encoded,
        }) = self.template(user)?
        else {
            return Ok(());
        };
        let Some(run) = &self.plain else {
            return Ok(());
        };
        let expect = run.expect();
        let name = self.level.recorder.name(Family::Request, &run.name);
        let (now, timeouts) = (self.clock.now(), self.config.options.timeouts);
        let mut asked = Asked::by(Asker::Plain, user, now);
        asked.name = name;
        asked.planned = planned.unwrap_or(now);
        asked.expect = expect;
        let flight = InFlight {
            prepared: Some(encoded),
            ..InFlight::new((request, endpoint), now, timeouts, asked)
        };
        self.dispatch(Box::new(flight));
        Ok(())
    }

    /// The request that is repeated. The first call of the worker creates it.
    fn template(&mut self, user: UserId) -> Result<Option<Template>, Fault> {
        let Some(run) = &self.plain else {
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
        if let Some(run) = &mut self.plain {
            run.template = Some(template.clone());
        }
        Ok(Some(template))
    }

    /// Counts a complete response, and sends the next request on the same connection.
    pub(crate) fn plain_answered(
        &mut self,
        key: u32,
        mut call: Box<InFlight>,
        response: &Response,
        reusable: bool,
        now: Nanos,
    ) {
        let (user, endpoint) = (call.context.user, call.endpoint);
        self.count_answer(&call, response, now);
        if !reusable {
            self.drop_http(key);
            return self.plain_goes_on(user);
        }
        if self.level.is_open || !self.take_one() {
            self.release(key, user, endpoint);
            return self.end_plain(user);
        }
        self.again(&mut call);
        self.transmit(key, call);
    }

    /// Like [`World::plain_answered`], but on a shared connection: the next request is queued behind those of other
    /// users.
    pub(crate) fn plain_answered_on_stream(
        &mut self,
        mut call: Box<InFlight>,
        response: &Response,
        now: Nanos,
    ) {
        self.count_answer(&call, response, now);
        if self.level.is_open || !self.take_one() {
            return self.end_plain(call.context.user);
        }
        self.again(&mut call);
        self.dispatch(call);
    }

    fn again(&self, call: &mut InFlight) {
        let now = self.clock.now();
        call.again(now, self.config.options.timeouts);
        call.context.again(now);
    }

    /// Number of concurrent requests on each connection, if the run uses HTTP/2.
    pub(crate) fn streams(&self) -> Option<u32> {
        self.plain
            .as_ref()?
            .plain
            .shared
            .map(|shared| shared.streams)
    }

    /// The user whose connections carry the requests of `user`. Over HTTP/2, several users share the connections of the
    /// first of these users.
    pub(crate) fn owner_of(&self, user: UserId) -> UserId {
        self.streams()
            .map_or(user, |streams| self.level.users.first_of(user, streams))
    }

    /// Handles a request that has ended without a response.
    pub(crate) fn plain_broke(&mut self, user: UserId) {
        if self.level.is_open {
            self.end_plain(user);
        } else {
            self.plain_pause(user);
        }
    }

    fn plain_goes_on(&mut self, user: UserId) {
        if self.level.is_open {
            self.end_plain(user);
        } else {
            self.plain_request(user, None);
        }
    }

    /// Opens a WebSocket for the next message. If the opening fails, the message has failed.
    fn plain_connect(&mut self, user: UserId) {
        if !self.take_one() {
            return self.end_plain(user);
        }
        let Some(run) = &self.plain else { return };
        let call = SocketCall {
            url: run.plain.url.to_string(),
            name: run.name.to_string(),
            headers: self.config.options.headers.clone(),
            // Each message has one reply, regardless of its content.
            documents: DocumentsIn::Whole,
            ..SocketCall::default()
        };
        if let Err(fault) = self.start_socket(OpId(user.0), user, call, None) {
            self.not_started(user, "connection", None, &fault);
            self.plain_pause(user);
        }
    }

    fn plain_opened(&mut self, user: UserId) {
        if self.clock.now() >= self.level.hold.end {
            return self.end_plain(user);
        }
        let per_socket = self.plain.as_ref().and_then(|run| run.plain.per_socket);
        let Some(per_s) = per_socket else {
            return self.send_plain(user, None);
        };
        let period = Nanos::from_secs_f64(1.0 / per_s);
        let ticker = self.start_ticker(user, period, None);
        if let Some(run) = &mut self.plain {
            run.tickers.insert(ticker, user);
        }
        // The ticker stops when the measured time ends. This operation ends then too, which ends the user's iteration.
        if let Some((group, ..)) = self.group_of(user) {
            group.staying.push(OpId(user.0));
        }
    }

    fn plain_message(&mut self, user: UserId, planned: Option<Nanos>) {
        if self.open_socket_of(user).is_none() {
            return;
        }
        if !self.take_one() {
            return self.end_plain(user);
        }
        self.send_plain(user, planned);
    }

    fn open_socket_of(&mut self, user: UserId) -> Option<u32> {
        self.level.users.get(user)?.sockets.last().copied()
    }

    /// Sends a message that [`World::take_one`] has taken.
    fn send_plain(&mut self, user: UserId, planned: Option<Nanos>) {
        let Some(socket) = self.open_socket_of(user) else {
            return;
        };
        let Some(run) = &self.plain else { return };
        let Send::Message(text) = &run.plain.send else {
            return;
        };
        let call = RoundTripCall {
            name: Arc::clone(&run.name),
            payload: Payload::Text(text.clone()),
            by: ReplyBy::FirstInFirstOut,
            only: Vec::new(),
            timeout: None,
            planned,
        };
        if self
            .start_round_trip(OpId(user.0), SocketId(socket), call)
            .is_err()
        {
            self.close_sockets_of(user, CutOff::IterationFailed);
            self.plain_pause(user);
        }
    }

    fn plain_pause(&mut self, user: UserId) {
        let epoch = self.level.users.get(user).map_or(0, |user| user.epoch);
        let sleep = Sleep {
            op: OpId(user.0),
            user,
            epoch,
        };
        if let Some(key) = self.level.sleeps.insert(sleep) {
            let due = self.clock.now() + PAUSE;
            self.level.timers.set(due, Alarm::Wake(key));
        }
    }

    fn end_plain(&mut self, user: UserId) {
        let group = self
            .group_of(user)
            .map(|(group, ..)| group)
            .filter(|group| matches!(group.stage, crate::people::Stage::Running { .. }))
            .map(|group| group.id);
        if let (Some(group), Some(run)) = (group, &mut self.plain) {
            let outcome = Ok(None);
            run.ended.push(Ended { group, outcome });
        }
    }
}

#[cfg(test)]
mod tests;
