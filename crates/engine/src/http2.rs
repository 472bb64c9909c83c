//! HTTP/2 connections of users without a script: the streams of one connection carry the requests of several users.
//! [`crate::http`] starts, ends and counts requests. This file handles what is different on a shared connection.

use model::{Fault, FaultKind, Nanos, UserId};
use wire::Stream;
use wire::http2::{Connection, Finished, StreamId};

use crate::conn::{Conn, Link};
use crate::connect_queue::Dial;
use crate::connector::EndpointIndex;
use crate::http::{InFlight, Opening};
use crate::world::World;

/// One HTTP/2 connection.
#[derive(Debug)]
pub(crate) struct Http2Link {
    pub(crate) wire: Connection,
    calls: Vec<(StreamId, Box<InFlight>)>,
    pub(crate) opening: Option<Opening>,
    /// The number of sent bytes that have been attributed to a request.
    counted: u64,
}

impl Http2Link {
    /// Creates the connection on a stream that is being opened.
    pub(crate) fn new(stream: Stream, body_limit: usize, opening: Opening) -> Result<Self, Fault> {
        let mut wire = Connection::new(stream, body_limit)?;
        wire.discard();
        Ok(Self {
            wire,
            calls: Vec::new(),
            opening: Some(opening),
            counted: 0,
        })
    }

    /// The time at which the earliest time limit of the connection or its requests ends.
    pub(crate) fn limit(&self) -> Nanos {
        let calls = self.calls.iter().map(|(stream, call)| {
            let begun = self.wire.has_begun(*stream);
            call.limit_if(begun)
        });
        let opening = self.opening.map_or(Nanos::MAX, |opening| opening.until);
        calls.fold(opening, Nanos::min)
    }

    /// The users who wait for a response.
    pub(crate) fn awaiting(&self) -> impl Iterator<Item = UserId> {
        self.calls.iter().map(|(_, call)| call.user)
    }

    /// The requests in flight.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &InFlight> {
        self.calls.iter().map(|(_, call)| &**call)
    }

    /// Takes the requests in flight.
    pub(crate) fn into_calls(self) -> impl Iterator<Item = Box<InFlight>> {
        self.calls.into_iter().map(|(_, call)| call)
    }

    /// Takes the request of a stream that has ended. All bytes sent since the previous request ended are attributed to
    /// this request. The exact number is unknown, because the peer's flow-control windows split bodies.
    fn take(&mut self, stream: StreamId) -> Option<Box<InFlight>> {
        let at = self.calls.iter().position(|(known, _)| *known == stream)?;
        let (_, mut call) = self.calls.swap_remove(at);
        let sent = self.wire.bytes_sent();
        call.bytes_out += sent - std::mem::replace(&mut self.counted, sent);
        Some(call)
    }

    /// The streams whose time limit has passed.
    fn overdue(&mut self, now: Nanos) -> Vec<StreamId> {
        let mut over = Vec::new();
        for (stream, call) in &mut self.calls {
            call.began = self.wire.has_begun(*stream);
            if call.limit() <= now {
                over.push(*stream);
            }
        }
        over
    }

    fn is_spent(&self) -> bool {
        !self.wire.is_usable() && self.calls.is_empty()
    }
}

/// Checks that both sides agreed on HTTP/2. Without TLS there is no negotiation.
pub(crate) fn check_agreed(stream: &Stream) -> Result<(), Fault> {
    if !stream.is_secured() || stream.agreed_protocol() == Some(b"h2") {
        return Ok(());
    }
    Err(Fault::target(
        FaultKind::Protocol,
        "the server does not speak HTTP/2 here: it did not accept h2 in the TLS handshake (ALPN)",
    ))
}

impl World {
    fn http2(&mut self, key: u32) -> Option<&mut Http2Link> {
        match self.conns.get_mut(key) {
            Some(Conn {
                link: Link::Http2(http2),
                ..
            }) => Some(http2),
            _ => None,
        }
    }

    /// Queues a request for its owner's connection, then sends as many queued requests as the server allows.
    pub(crate) fn dispatch_http2(&mut self, flight: Box<InFlight>) {
        let (owner, endpoint) = (self.owner_of(flight.user), flight.endpoint);
        if let Some(owner) = self.level.users.get(owner) {
            let limit = flight.limit();
            owner.pool(endpoint).waiting.push_back(flight);
            self.watch_limit(limit);
        }
        self.advance_line(owner, endpoint);
    }

    /// Sends queued requests on the newest connection, if it is usable and has a free stream. Opens a connection if
    /// none is usable.
    fn advance_line(&mut self, owner: UserId, endpoint: EndpointIndex) {
        while let Some(pool) = self.level.users.get(owner).map(|user| user.pool(endpoint)) {
            let (newest, connect_queue) = (pool.open.last().copied(), pool.connect_queue > 0);
            let usable =
                newest.filter(|&key| self.http2(key).is_some_and(|it| it.wire.is_usable()));
            let may = match usable {
                Some(key) => self.http2(key).is_some_and(|it| it.wire.may_send() > 0),
                None => !connect_queue,
            };
            let pool = self.level.users.get(owner).map(|user| user.pool(endpoint));
            let next = pool
                .filter(|_| may)
                .and_then(|pool| pool.waiting.pop_front());
            let Some(flight) = next else { return };
            if let Some(key) = usable {
                self.transmit(key, flight);
            } else {
                self.dial_for(owner, flight);
            }
        }
    }

    fn dial_for(&mut self, owner: UserId, mut flight: Box<InFlight>) {
        // The request waited for a stream of the server, not for the generator, so the wait is not start lag.
        flight.starts_late(self.clock.now());
        if let Some(owner) = self.level.users.get(owner) {
            owner.pool(flight.endpoint).connect_queue += 1;
        }
        self.dial(Dial::Http(flight));
    }

    pub(crate) fn transmit_http2(&mut self, key: u32, flight: Box<InFlight>) {
        let Some(http2) = self.http2(key) else { return };
        match http2.wire.send(flight.request(), None) {
            Ok(stream) => {
                let limit = flight.limit();
                http2.calls.push((stream, flight));
                self.watch_limit(limit);
                self.update_interest(key);
            }
            Err(fault) => {
                let now = self.clock.now();
                self.end_http(&flight, now, Err(fault));
                self.settle_http2(key, now);
            }
        }
    }

    /// Handles received bytes. Returns the maximum number of responses in these bytes, which is the number of requests
    /// in flight.
    pub(crate) fn http2_received(&mut self, key: u32, bytes: &[u8], now: Nanos) -> usize {
        let Some(http2) = self.http2(key) else {
            return 0;
        };
        let awaited = http2.calls.len();
        let failed = http2.wire.on_bytes(bytes).is_err();
        // A server without HTTP/2 responds to the first frames in HTTP/1. Report this instead of a broken frame.
        if failed && bytes.starts_with(b"HTTP/1.") {
            let other = "the server does not speak HTTP/2 here: it responded in HTTP/1";
            self.fail_streams(key, now, &Fault::target(FaultKind::Protocol, other));
        } else {
            self.settle_http2(key, now);
        }
        awaited.max(1)
    }

    pub(crate) fn http2_closed(&mut self, key: u32) {
        let now = self.clock.now();
        if let Some(http2) = self.http2(key) {
            http2.wire.on_close();
        }
        self.settle_http2(key, now);
    }

    pub(crate) fn http2_broke(&mut self, key: u32, fault: &Fault) {
        let now = self.clock.now();
        let opening = self.http2(key).and_then(|http2| http2.opening.take());
        self.connection_failed(key, opening, fault);
        if let Some(http2) = self.http2(key) {
            http2.wire.fail(fault);
        }
        self.settle_http2(key, now);
    }

    /// Ends all requests in flight with this fault, regardless of the outcome that the codec reports.
    fn fail_streams(&mut self, key: u32, now: Nanos, fault: &Fault) {
        while let Some(http2) = self.http2(key) {
            let Some(&(stream, _)) = http2.calls.first() else {
                break;
            };
            let call = http2.take(stream);
            if let Some(call) = call {
                self.end_http(&call, now, Err(fault.clone()));
            }
        }
        self.settle_http2(key, now);
    }

    /// Removes streams that have ended, and sends queued requests in their place.
    fn settle_http2(&mut self, key: u32, now: Nanos) {
        while let Some(end) = self.http2(key).and_then(|it| it.wire.next_finished()) {
            let call = self.http2(key).and_then(|http2| http2.take(end.stream));
            if let Some(call) = call {
                self.stream_ended(call, end, now);
            }
        }
        let Some(conn) = self.conns.get(key) else {
            return;
        };
        let (owner, endpoint) = (conn.user, conn.endpoint);
        if self.http2(key).is_some_and(|http2| http2.is_spent()) {
            self.take_out(key);
            if let Some(owner) = self.level.users.get(owner) {
                owner.pool(endpoint).open.retain(|&open| open != key);
            }
        }
        self.advance_line(owner, endpoint);
    }

    fn stream_ended(&mut self, call: Box<InFlight>, end: Finished, now: Nanos) {
        match end.outcome {
            Ok(response) => self.plain_answered_on_stream(call, &response, now),
            Err(fault) => self.repeat_or_end(call, fault, end.repeatable, now),
        }
    }

    /// Resets only the streams whose requests take too long. The connection stays open.
    pub(crate) fn http2_ran_out(&mut self, key: u32, now: Nanos) {
        let connect = self.config.options.timeouts.connect;
        let Some(http2) = self.http2(key) else { return };
        if http2.opening.is_some_and(|opening| opening.until <= now) {
            let detail = format!("no connection within {connect}");
            return self.http2_broke(key, &Fault::target(FaultKind::TimedOut, detail));
        }
        for stream in http2.overdue(now) {
            let Some(http2) = self.http2(key) else { return };
            let reset = http2.wire.cancel(stream);
            if let Some(call) = http2.take(stream) {
                let detail = call.what_took_too_long();
                self.end_http(&call, now, Err(Fault::target(FaultKind::TimedOut, detail)));
            }
            if let Err(fault) = reset {
                return self.http2_broke(key, &fault);
            }
        }
        self.settle_http2(key, now);
        // Watch the limits of the remaining requests.
        if let Some(limit) = self.http2(key).map(|http2| http2.limit()) {
            self.watch_limit(limit);
        }
        self.update_interest(key);
    }
}
