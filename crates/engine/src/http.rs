//! Assigns users' HTTP requests to the connections of each user's pool. `start` creates requests, `end` completes
//! them, and `content` fails completed ones.

mod content;
mod end;
mod http2;
mod in_flight;
mod received;
mod start;

use model::{Fault, FaultKind, Nanos, UserId};
use wire::Stream;
use wire::http::Response;
use wire::http2::Repeatable;

use crate::base::Base;
use crate::dial::Dial;
use crate::link::Link;
use crate::net::http::{HttpEnd, HttpEvent, HttpLink};
use crate::net::http2::Http2Link;
use crate::net::{EndpointIndex, Opening};
use crate::news::News;
use crate::recorder::{Ending, ending_of};
use crate::trace;

pub(crate) use crate::protocols::{Http, Requests};
pub(crate) use in_flight::{Asked, Asker, FOR_EVER, InFlight};

/// Maximum number of requests of one user that may wait for a connection to one endpoint.
const LINE_LIMIT: usize = 10_000;
/// Maximum number of servers to which a user keeps idle connections. A target that redirects each request to another
/// server would otherwise use up all descriptors.
const SERVERS_PER_USER: usize = 64;

impl Http<'_> {
    /// Sends a request on an idle connection of the user or on a new one, or queues it.
    pub(crate) fn dispatch(&mut self, flight: Box<InFlight>) {
        if self.base.streams().is_some() {
            return self.dispatch_http2(flight);
        }
        let Some(user) = self.base.level.users.get(flight.context.user) else {
            return self.base.inconsistent("a request has no user");
        };
        let pool = user.contact(flight.endpoint);
        if let Some(key) = pool.idle.pop() {
            self.transmit(key, flight);
        } else if pool.may_dial() {
            pool.connect_queue += 1;
            self.base.dial(Dial::Http(flight));
        } else {
            self.enter_line(flight.context.user, flight);
        }
    }

    /// Queues a request until a connection of `owner`, or a stream on it, is free.
    pub(crate) fn enter_line(&mut self, owner: UserId, flight: Box<InFlight>) {
        let Some(owner) = self.base.level.users.get(owner) else {
            return self
                .base
                .inconsistent("a request that must wait has no user");
        };
        let line = &mut owner.contact(flight.endpoint).waiting;
        if line.len() < LINE_LIMIT {
            let limit = flight.limit();
            line.push_back(flight);
            return self.base.net.watch_limit(limit);
        }
        let detail = format!("{LINE_LIMIT} requests of one user already wait for a connection");
        let fault = Fault::generator(FaultKind::Resources, detail);
        let now = self.base.clock.now();
        self.end_http(&flight, now, Err(fault));
    }

    pub(crate) fn open(&mut self, mut flight: Box<InFlight>) {
        let (endpoint, now) = (flight.endpoint, self.base.clock.now());
        // The actual start is now. The planned start does not change, so the wait is part of the response time.
        flight.starts_late(now);
        let owner = self.base.owner_of(flight.context.user);
        let Some(user) = self.base.level.users.get(owner) else {
            return self
                .base
                .inconsistent("a request that waited for a connection has no user");
        };
        user.pool(endpoint).connect_queue -= 1;
        let until = now + self.base.config.options.timeouts.connect;
        let source = self.base.source_of(owner);
        let stream = if self.base.streams().is_some() {
            self.base.net.connector.connect_http2(endpoint, source)
        } else {
            self.base.net.connector.connect(endpoint, source)
        };
        let opened = stream.and_then(|stream| {
            let opening = Opening { asked: now, until };
            let link = self.link_on(stream, flight.context.asker, opening)?;
            self.base.admit(owner, endpoint, link)
        });
        match opened {
            Ok(key) => {
                if let Some(user) = self.base.level.users.get(owner) {
                    user.pool(endpoint).open.push(key);
                }
                self.base.net.watch_limit(until);
                // Pass the request to the connection before it is open. It is sent as soon as TCP and TLS are
                // established.
                self.transmit(key, flight);
                self.limit_servers(owner);
                self.base.tell(News::Added(key));
            }
            Err(fault) => {
                let fault = flight.context.blamed(fault);
                self.end_http(&flight, now, Err(fault));
            }
        }
    }

    /// Closes the connections to the servers that the user has not contacted for the longest time, if the user knows
    /// too many servers. Servers with requests in flight are kept.
    fn limit_servers(&mut self, owner: UserId) {
        while let Some(open) = self.take_unused_pool(owner) {
            for key in open {
                if self.base.take_out(key).is_none() {
                    self.base
                        .inconsistent("a user has an HTTP connection that does not exist");
                }
            }
        }
    }

    /// Removes the unused pool whose server the user has not contacted for the longest time, and returns its
    /// connections. `None` if the user knows few servers, or uses all of them.
    fn take_unused_pool(&mut self, owner: UserId) -> Option<Vec<u32>> {
        let Base { level, net, .. } = &mut *self.base;
        let user = level.users.get(owner)?;
        if user.pools.len() <= SERVERS_PER_USER {
            return None;
        }
        let is_idle = |key: u32, idle: &[u32]| match net.conns.get(key).map(|conn| &conn.link) {
            Some(Link::Http2(http2)) => http2.calls().next().is_none(),
            _ => idle.contains(&key),
        };
        let unused = user.pools.iter().enumerate().filter(|(_, pool)| {
            let mut open = pool.open.iter();
            pool.waits_for_none() && open.all(|&key| is_idle(key, &pool.idle))
        });
        let (oldest, _) = unused.min_by_key(|(_, pool)| (!pool.open.is_empty(), pool.last_use))?;
        Some(user.pools.remove(oldest).open)
    }

    fn link_on(&self, stream: Stream, asker: Asker, opening: Opening) -> Result<Link, Fault> {
        let limit = self.base.config.options.max_message;
        // Users without a script never read bodies.
        let discards = matches!(asker, Asker::Fixed(_));
        if self.base.streams().is_some() {
            let http2 = Http2Link::new(stream, limit, discards, opening)?;
            return Ok(Link::Http2(Box::new(http2)));
        }
        let http = HttpLink::new(stream, limit, discards, opening);
        Ok(Link::Http(http))
    }

    pub(crate) fn transmit(&mut self, key: u32, flight: Box<InFlight>) {
        if !flight.context.is_of_socket() {
            self.base
                .trace(flight.context.user, || trace::request(&flight));
        }
        if self.base.streams().is_some() {
            return self.transmit_http2(key, flight);
        }
        self.base.net.encoded.clear();
        // The prepared bytes contain no cookies, but the user may have received a cookie while the request was queued.
        let still_fits = matches!(flight.context.asker, Asker::Fixed(_))
            || self.base.is_bare(flight.context.user);
        let prepared = flight.prepared.as_ref().filter(|_| still_fits);
        let encoded = if let Some(prepared) = prepared {
            self.base.net.encoded.extend_from_slice(prepared);
            Ok(())
        } else {
            self.encode(&flight)
        };
        let limit = flight.limit();
        let Some(Link::Http(http)) = self.base.net.conns.get_mut(key).map(|conn| &mut conn.link)
        else {
            return self
                .base
                .inconsistent("a request was assigned to a connection that does not exist");
        };
        let encoded = encoded.map(|()| self.base.net.encoded.as_slice());
        if let Err(fault) = http.send(flight, encoded) {
            return self.broke(key, fault);
        }
        self.base.net.watch_limit(limit);
        self.base.net.update_interest(key);
    }

    fn encode(&mut self, flight: &InFlight) -> Result<(), Fault> {
        let user = self.base.level.users.get(flight.context.user);
        let cookies = user.and_then(|user| user.standing.cookies.header_for(&flight.request.url));
        flight
            .request
            .encode_into(cookies.as_deref(), &mut self.base.net.encoded)
    }

    /// Counts an HTTP connection that is now open.
    pub(crate) fn opened(&mut self, key: u32, now: Nanos) {
        let Some(conn) = self.base.net.conns.get_mut(key) else {
            return self
                .base
                .inconsistent("a connection that is not in the table opened");
        };
        let (endpoint, opening) = (conn.endpoint, conn.link.take_opening());
        if let Some(opening) = opening {
            let ending = Ending::Answered { failed: false };
            self.count_connection(endpoint, opening, now, ending);
        }
    }

    /// Counts a connection that has opened or failed to open.
    fn count_connection(
        &mut self,
        endpoint: EndpointIndex,
        Opening { asked, .. }: Opening,
        now: Nanos,
        ending: Ending,
    ) {
        let name = || self.base.net.connector.label(endpoint);
        let recorder = &mut self.base.level.recorder;
        recorder.time_connection(name, asked, now, ending);
    }

    /// Handles what happened on an HTTP connection.
    pub(crate) fn happened(&mut self, key: u32, event: HttpEvent<Asked>, now: Nanos) {
        match event {
            HttpEvent::Incomplete => {}
            HttpEvent::Responded {
                call,
                response,
                reusable,
                unasked,
            } => {
                if let Some(unasked) = unasked {
                    self.note_unasked(key, &unasked, now);
                }
                self.responded(key, call, response, reusable, now);
            }
            HttpEvent::Closed => self.drop_http(key),
            HttpEvent::Broke { fault, unasked } => {
                if unasked {
                    self.note_unasked(key, &fault, now);
                }
                self.broke(key, fault);
            }
        }
    }

    /// Handles a complete response: the connection returns to the pool, and the request ends or is redirected.
    fn responded(
        &mut self,
        key: u32,
        call: Box<InFlight>,
        response: Response,
        reusable: bool,
        now: Nanos,
    ) {
        if let Asker::Fixed(_) = call.context.asker {
            self.count_answer(&call, &response, now);
            let free = reusable.then_some(key);
            if !reusable {
                self.drop_http(key);
            }
            return self.base.tell(News::Answered { call, free });
        }
        let (user, endpoint) = (call.context.user, call.endpoint);
        // Store the cookies before the connection is released, because the next request on it may need them.
        self.store_cookies(&call, &response);
        if reusable {
            self.release(key, user, endpoint);
        } else {
            self.drop_http(key);
        }
        self.follow_or_end(call, response, now);
    }

    pub(crate) fn release(&mut self, key: u32, user: UserId, endpoint: EndpointIndex) {
        let Some(user) = self.base.level.users.get(user) else {
            return self.base.inconsistent("an HTTP connection has no user");
        };
        let pool = user.pool(endpoint);
        match pool.waiting.pop_front() {
            Some(next) => self.transmit(key, next),
            None => pool.idle.push(key),
        }
    }

    /// Counts a response without a request as a failure of the connection.
    fn note_unasked(&mut self, key: u32, fault: &Fault, now: Nanos) {
        let conn = self.base.net.conns.get(key);
        if let Some((conn, user)) = conn.and_then(|conn| Some((conn, conn.owner.user()?))) {
            let endpoint = self.base.net.connector.label(conn.endpoint);
            let what = format!("connection {endpoint}");
            self.base
                .level
                .fail_during((now, now), (user, &what), now, fault);
        }
    }

    pub(crate) fn broke(&mut self, key: u32, fault: Fault) {
        let Some(Link::Http(http)) = self.base.link(key) else {
            return self.base.inconsistent("an HTTP connection broke twice");
        };
        let HttpEnd {
            call,
            opening,
            was_idle,
        } = http.end();
        self.connection_failed(key, opening, &fault);
        self.drop_http(key);
        let Some(call) = call else { return };
        let repeatable = if was_idle && matches!(fault.kind, FaultKind::Reset | FaultKind::Closed) {
            Repeatable::IfIdempotent
        } else {
            Repeatable::No
        };
        let now = self.base.clock.now();
        self.repeat_or_end(call, fault, repeatable, now);
    }

    /// Counts a connection that failed to open.
    pub(crate) fn connection_failed(&mut self, key: u32, opening: Option<Opening>, fault: &Fault) {
        let endpoint = self.base.net.conns.get(key).map(|conn| conn.endpoint);
        if let (Some(opening), Some(endpoint)) = (opening, endpoint) {
            let ending = ending_of(fault, self.base.config.options.timeouts.connect);
            let now = self.base.clock.now();
            self.count_connection(endpoint, opening, now, ending);
        }
    }

    /// Ends a request or a connection attempt whose time limit has passed.
    pub(crate) fn timed_out(&mut self, key: u32, now: Nanos) {
        let connect = self.base.config.options.timeouts.connect;
        let Some(Link::Http(http)) = self.base.link(key) else {
            return self
                .base
                .inconsistent("an HTTP connection that timed out does not exist");
        };
        let (fault, limit) = (http.timed_out(now, connect), http.limit());
        match fault {
            Some(fault) => self.broke(key, fault),
            // The connection got another request in the meantime.
            None => self.base.net.watch_limit(limit),
        }
    }

    pub(crate) fn drop_http(&mut self, key: u32) {
        let Some(conn) = self.base.take_out(key) else {
            return self
                .base
                .inconsistent("an HTTP connection was dropped twice");
        };
        let user = conn.owner.user();
        let Some(user) = user.and_then(|user| self.base.level.users.get(user)) else {
            return self.base.inconsistent("an HTTP connection has no user");
        };
        let pool = user.pool(conn.endpoint);
        pool.idle.retain(|&idle| idle != key);
        pool.open.retain(|&open| open != key);
        // One more connection may be opened now, so start the next queued request.
        if let Some(next) = pool.waiting.pop_front() {
            self.dispatch(next);
        }
    }
}
