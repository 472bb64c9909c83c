//! HTTP/2 connections, whose streams carry many requests at once: those of one user or, without a script, those of
//! several users. [`super`] starts, ends and counts requests. This file handles what is different on a shared
//! connection.

use model::{Fault, Nanos, UserId};
use wire::http2::Finished;

use super::{Asked, Asker, Http, InFlight};
use crate::dial::Dial;
use crate::link::Link;
use crate::net::EndpointIndex;
use crate::net::http2::{Http2Link, TimedOut};
use crate::news::News;

impl Http<'_> {
    fn http2(&mut self, key: u32) -> Option<&mut Http2Link<Asked>> {
        match self.base.link(key) {
            Some(Link::Http2(http2)) => Some(http2),
            _ => None,
        }
    }

    /// Queues a request for its owner's connection, then sends as many queued requests as the server allows.
    pub(crate) fn dispatch_http2(&mut self, flight: Box<InFlight>) {
        let (owner, endpoint) = (self.base.owner_of(flight.context.user), flight.endpoint);
        self.enter_line(owner, flight);
        self.advance_line(owner, endpoint);
    }

    /// Sends queued requests on the newest connection, if it is usable and has a free stream. Opens a connection if
    /// none is usable.
    pub(crate) fn advance_line(&mut self, owner: UserId, endpoint: EndpointIndex) {
        while let Some(pool) = self
            .base
            .level
            .users
            .get(owner)
            .map(|user| user.pool(endpoint))
        {
            let (newest, connect_queue) = (pool.open.last().copied(), pool.connect_queue > 0);
            let usable = newest.filter(|&key| self.http2(key).is_some_and(|it| it.is_usable()));
            let may = match usable {
                Some(key) => self.http2(key).is_some_and(|it| it.has_free_stream()),
                None => !connect_queue,
            };
            let pool = self
                .base
                .level
                .users
                .get(owner)
                .map(|user| user.pool(endpoint));
            let next = pool
                .filter(|_| may)
                .and_then(|pool| pool.waiting.pop_front());
            let Some(flight) = next else { return };
            if let Some(key) = usable {
                self.transmit(key, flight);
            } else {
                self.dial_for(owner, flight);
                // The others wait until it is known whether the connection opens.
                return self.base.tell(News::InLine { owner, endpoint });
            }
        }
    }

    fn dial_for(&mut self, owner: UserId, mut flight: Box<InFlight>) {
        // The request waited for a stream of the server, not for the generator, so the wait is not start lag.
        flight.starts_late(self.base.clock.now());
        if let Some(owner) = self.base.level.users.get(owner) {
            owner.pool(flight.endpoint).connect_queue += 1;
        }
        self.base.dial(Dial::Http(flight));
    }

    pub(crate) fn transmit_http2(&mut self, key: u32, flight: Box<InFlight>) {
        let limit = flight.limit();
        let cookies = match flight.context.asker {
            Asker::Fixed(_) => None,
            Asker::Script(_) | Asker::Poll(_) | Asker::Events(_) => self
                .base
                .cookies_for(flight.context.user, &flight.request.url),
        };
        let Some(http2) = self.http2(key) else {
            return self
                .base
                .inconsistent("a request was assigned to a connection that does not exist");
        };
        let in_parts = matches!(flight.context.asker, Asker::Events(_));
        match http2.send(flight, cookies.as_deref(), in_parts) {
            Ok(()) => {
                self.base.net.watch_limit(limit);
                self.base.net.update_interest(key);
            }
            Err((flight, fault)) => {
                let now = self.base.clock.now();
                self.end_http(&flight, now, Err(fault));
                self.settle_http2(key, now);
            }
        }
    }

    /// Handles received bytes. Returns the maximum number of responses in them, which is the number of awaited ones.
    pub(crate) fn http2_received(&mut self, key: u32, bytes: &[u8], now: Nanos) -> usize {
        let Some(http2) = self.http2(key) else {
            self.base
                .inconsistent("an HTTP/2 connection that is not in the table received data");
            return 0;
        };
        let awaited = http2.awaited();
        if let Err(fault) = http2.on_bytes(bytes) {
            self.fail_streams(key, now, &fault);
        }
        self.settle_http2(key, now);
        awaited
    }

    pub(crate) fn http2_closed(&mut self, key: u32) {
        let now = self.base.clock.now();
        if let Some(http2) = self.http2(key) {
            http2.on_close();
        }
        self.settle_http2(key, now);
    }

    pub(crate) fn http2_broke(&mut self, key: u32, fault: &Fault) {
        let now = self.base.clock.now();
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
    pub(crate) fn settle_http2(&mut self, key: u32, now: Nanos) {
        // The parts come first, because the end of a response may have been received together with its last part. Each
        // part may give up the requests of the next ones.
        while let Some((call, content)) = self.http2(key).and_then(Http2Link::next_part) {
            let Asker::Events(socket) = call.context.asker else {
                let what = "a response that is awaited as a whole arrived in parts";
                self.base.inconsistent(what);
                continue;
            };
            self.base.tell(News::Part {
                socket,
                content,
                now,
            });
            return self.base.tell(News::Unsettled { key, now });
        }
        while let Some((call, end)) = self.http2(key).and_then(Http2Link::next_ended) {
            self.stream_ended(call, end, now);
        }
        // It may have ended while the next requests were sent.
        let Some(conn) = self.base.net.conns.get(key) else {
            return;
        };
        let endpoint = conn.endpoint;
        let Some(owner) = conn.owner.user() else {
            return self.base.inconsistent("an HTTP/2 connection has no user");
        };
        if self.http2(key).is_some_and(|http2| http2.is_spent()) {
            self.base.take_out(key);
            if let Some(owner) = self.base.level.users.get(owner) {
                owner.pool(endpoint).open.retain(|&open| open != key);
            }
        }
        self.advance_line(owner, endpoint);
    }

    fn stream_ended(&mut self, call: Box<InFlight>, end: Finished, now: Nanos) {
        match end.outcome {
            Ok(response) => match call.context.asker {
                Asker::Fixed(_) => {
                    self.count_answer(&call, &response, now);
                    self.base.tell(News::Answered { call, free: None });
                }
                to @ Asker::Events(_) => {
                    let outcome = Ok(response);
                    self.base.tell(News::Responded { to, outcome, now });
                }
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
        let Some(owner) = self.base.level.users.get(user) else {
            return self.base.inconsistent("a socket has no user");
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
                    self.settle_http2(key, self.base.clock.now());
                    self.base.net.update_interest(key);
                }
                Some(Err(fault)) => self.http2_broke(key, &fault),
            }
            return;
        }
        let is_it = |dial: &Dial| matches!(dial, Dial::Http(call) if call.context.asker == asker);
        if !self.base.net.queue.take_if(is_it).is_empty() {
            if let Some(owner) = self.base.level.users.get(user) {
                owner.pool(endpoint).connect_queue -= 1;
            }
            self.advance_line(user, endpoint);
        }
    }

    /// Resets only the streams whose requests take too long. The connection stays open.
    pub(crate) fn http2_timed_out(&mut self, key: u32, now: Nanos) {
        let connect = self.base.config.options.timeouts.connect;
        let Some(http2) = self.http2(key) else {
            return self
                .base
                .inconsistent("an HTTP/2 connection that timed out does not exist");
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
            self.base.net.watch_limit(limit);
        }
        self.base.net.update_interest(key);
    }
}
