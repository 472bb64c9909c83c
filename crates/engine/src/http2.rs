//! HTTP/2 connections, whose streams carry many requests at once: those of one user or, without a script, those of
//! several users. [`crate::http`] starts, ends and counts requests. This file handles what is different on a shared
//! connection.

use model::{Fault, Nanos, UserId};
use wire::http2::Finished;

use crate::dial::Dial;
use crate::http::{Asked, Asker, InFlight};
use crate::link::Link;
use crate::net::EndpointIndex;
use crate::net::http2::{Http2Link, TimedOut};
use crate::net::socket::ResponsePart;
use crate::world::World;

impl World {
    /// Number of users on each connection, if the run uses HTTP/2.
    pub(crate) fn streams(&self) -> Option<u32> {
        self.config.program.streams()
    }

    /// The user whose connections carry the requests of `user`. Over HTTP/2, several users share the connections of the
    /// first of these users.
    pub(crate) fn owner_of(&self, user: UserId) -> UserId {
        self.streams()
            .map_or(user, |streams| self.level.users.first_of(user, streams))
    }

    fn http2(&mut self, key: u32) -> Option<&mut Http2Link<Asked>> {
        match self.link(key) {
            Some(Link::Http2(http2)) => Some(http2),
            _ => None,
        }
    }

    /// Queues a request for its owner's connection, then sends as many queued requests as the server allows.
    pub(crate) fn dispatch_http2(&mut self, flight: Box<InFlight>) {
        let (owner, endpoint) = (self.owner_of(flight.context.user), flight.endpoint);
        self.enter_line(owner, flight);
        self.advance_line(owner, endpoint);
    }

    /// Sends queued requests on the newest connection, if it is usable and has a free stream. Opens a connection if
    /// none is usable.
    fn advance_line(&mut self, owner: UserId, endpoint: EndpointIndex) {
        while let Some(pool) = self.level.users.get(owner).map(|user| user.pool(endpoint)) {
            let (newest, connect_queue) = (pool.open.last().copied(), pool.connect_queue > 0);
            let usable = newest.filter(|&key| self.http2(key).is_some_and(|it| it.is_usable()));
            let may = match usable {
                Some(key) => self.http2(key).is_some_and(|it| it.has_free_stream()),
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
        let limit = flight.limit();
        let cookies = match flight.context.asker {
            Asker::Fixed(_) => None,
            Asker::Script(_) | Asker::Poll(_) | Asker::Events(_) => {
                self.cookies_for(flight.context.user, &flight.request.url)
            }
        };
        let Some(http2) = self.http2(key) else {
            return self.inconsistent("a request was assigned to a connection that does not exist");
        };
        let in_parts = matches!(flight.context.asker, Asker::Events(_));
        match http2.send(flight, cookies.as_deref(), in_parts) {
            Ok(()) => {
                self.net.watch_limit(limit);
                self.net.update_interest(key);
            }
            Err((flight, fault)) => {
                let now = self.clock.now();
                self.end_http(&flight, now, Err(fault));
                self.settle_http2(key, now);
            }
        }
    }

    /// Handles received bytes. Returns the number of server-sent events in them, plus the maximum number of responses,
    /// which is the number of awaited ones.
    pub(crate) fn http2_received(&mut self, key: u32, bytes: &[u8], now: Nanos) -> usize {
        let Some(http2) = self.http2(key) else {
            self.inconsistent("an HTTP/2 connection that is not in the table received data");
            return 0;
        };
        let awaited = http2.awaited();
        if let Err(fault) = http2.on_bytes(bytes) {
            self.fail_streams(key, now, &fault);
        }
        let events = self.settle_http2(key, now);
        (awaited + events).max(1)
    }

    pub(crate) fn http2_closed(&mut self, key: u32) {
        let now = self.clock.now();
        if let Some(http2) = self.http2(key) {
            http2.on_close();
        }
        self.settle_http2(key, now);
    }

    pub(crate) fn http2_broke(&mut self, key: u32, fault: &Fault) {
        let now = self.clock.now();
        let opening = self.http2(key).and_then(Http2Link::take_opening);
        self.connection_failed(key, opening, fault);
        if let Some(http2) = self.http2(key) {
            http2.fail(fault);
        }
        self.settle_http2(key, now);
    }

    /// Ends all requests in flight with this fault, regardless of the outcome that the codec reports.
    fn fail_streams(&mut self, key: u32, now: Nanos, fault: &Fault) {
        while let Some(call) = self.http2(key).and_then(Http2Link::take_first) {
            self.end_http(&call, now, Err(fault.clone()));
        }
    }

    /// Handles the parts of responses, ends requests whose streams have ended, and sends queued requests in their place.
    /// Returns the number of server-sent events.
    fn settle_http2(&mut self, key: u32, now: Nanos) -> usize {
        let mut events = 0;
        // The parts come first, because the end of a response may have been received together with its last part.
        while let Some((call, part)) = self.http2(key).and_then(Http2Link::next_part) {
            let Asker::Events(socket) = call.context.asker else {
                self.inconsistent("a response that is awaited as a whole arrived in parts");
                continue;
            };
            events += self.socket_received(socket, ResponsePart(part), now);
        }
        while let Some((call, end)) = self.http2(key).and_then(Http2Link::next_ended) {
            self.stream_ended(call, end, now);
        }
        // It may have ended while the next requests were sent.
        let Some(conn) = self.net.conns.get(key) else {
            return events;
        };
        let endpoint = conn.endpoint;
        let Some(owner) = conn.owner.user() else {
            self.inconsistent("an HTTP/2 connection has no user");
            return events;
        };
        if self.http2(key).is_some_and(|http2| http2.is_spent()) {
            self.take_out(key);
            if let Some(owner) = self.level.users.get(owner) {
                owner.pool(endpoint).open.retain(|&open| open != key);
            }
        }
        self.advance_line(owner, endpoint);
        events
    }

    fn stream_ended(&mut self, call: Box<InFlight>, end: Finished, now: Nanos) {
        match end.outcome {
            Ok(response) => match call.context.asker {
                Asker::Fixed(op) => self.fixed_responded_on_stream(op, call, &response, now),
                Asker::Events(socket) => self.events_ended(socket, Ok(response)),
                Asker::Script(_) | Asker::Poll(_) => {
                    self.store_cookies(&call, &response);
                    self.follow_or_end(call, response, now);
                }
            },
            Err(fault) => self.repeat_or_end(call, fault, end.repeatable, now),
        }
    }

    /// Gives up a request that carries the messages of a socket: resets its stream, or takes it out of its queue. It may
    /// have ended already.
    pub(crate) fn cancel_request(&mut self, asker: Asker, user: UserId, endpoint: EndpointIndex) {
        let Some(owner) = self.level.users.get(user) else {
            return self.inconsistent("a socket has no user");
        };
        let pool = owner.pool(endpoint);
        let line = &mut pool.waiting;
        if let Some(at) = line.iter().position(|call| call.context.asker == asker) {
            line.remove(at);
            return;
        }
        for key in pool.open.clone() {
            let cancelled = self
                .http2(key)
                .and_then(|http2| http2.cancel(|asked| asked.asker == asker));
            match cancelled {
                None => continue,
                Some(Ok(())) => {
                    self.settle_http2(key, self.clock.now());
                    self.net.update_interest(key);
                }
                Some(Err(fault)) => self.http2_broke(key, &fault),
            }
            return;
        }
        let is_it = |dial: &Dial| matches!(dial, Dial::Http(call) if call.context.asker == asker);
        if !self.net.queue.take_if(is_it).is_empty() {
            if let Some(owner) = self.level.users.get(user) {
                owner.pool(endpoint).connect_queue -= 1;
            }
            self.advance_line(user, endpoint);
        }
    }

    /// Resets only the streams whose requests take too long. The connection stays open.
    pub(crate) fn http2_timed_out(&mut self, key: u32, now: Nanos) {
        let connect = self.config.options.timeouts.connect;
        let Some(http2) = self.http2(key) else {
            return self.inconsistent("an HTTP/2 connection that timed out does not exist");
        };
        if let Some(fault) = http2.never_opened(now, connect) {
            return self.http2_broke(key, &fault);
        }
        while let Some(over) = self.http2(key).and_then(|http2| http2.next_timed_out(now)) {
            let TimedOut { call, fault, broke } = over;
            self.end_http(&call, now, Err(fault));
            if let Some(fault) = broke {
                return self.http2_broke(key, &fault);
            }
        }
        self.settle_http2(key, now);
        // Watch the limits of the remaining requests.
        if let Some(limit) = self.http2(key).map(|http2| http2.limit()) {
            self.net.watch_limit(limit);
        }
        self.net.update_interest(key);
    }
}
