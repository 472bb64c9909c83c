//! Assigns users' HTTP requests to the connections of each user's pool. `start` creates requests, `end` completes
//! them, and `content` fails completed ones.

mod content;
mod end;
mod flight;
mod start;

use model::{Fault, FaultKind, Nanos, Timing};
use wire::Stream;
use wire::http::Connection;
use wire::http2::Repeatable;

use crate::conn::{Conn, Link};
use crate::connect_queue::Dial;
use crate::http2::Http2Link;
use crate::recorder::{Ending, Family, ending_of};
use crate::share::Share;
use crate::trace;
use crate::world::World;

pub(crate) use flight::{Asker, InFlight};

/// Maximum number of requests of one user that may wait for a connection to one endpoint.
const LINE_LIMIT: usize = 10_000;

/// One HTTP connection of a user.
#[derive(Debug)]
pub(crate) struct HttpLink {
    pub(crate) wire: Connection,
    pub(crate) call: Option<Box<InFlight>>,
    /// The opening of the connection; `None` once the connection is open.
    pub(crate) opening: Option<Opening>,
}

/// A connection that is being opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opening {
    /// The time at which the connection was requested.
    pub(crate) asked: Nanos,
    /// The time by which the connection must be open.
    pub(crate) until: Nanos,
}

impl HttpLink {
    pub(crate) fn limit(&self) -> Nanos {
        let opening = self.opening.map_or(Nanos::MAX, |opening| opening.until);
        let call = self.call.as_ref().map_or(Nanos::MAX, |call| call.limit());
        opening.min(call)
    }
}

impl World {
    /// Sends a request on an idle connection of the user or on a new one, or queues it.
    pub(crate) fn dispatch(&mut self, flight: Box<InFlight>) {
        if self.streams().is_some() {
            return self.dispatch_http2(flight);
        }
        let Some(user) = self.level.users.get(flight.user) else {
            return;
        };
        let pool = user.pool(flight.endpoint);
        if let Some(key) = pool.idle.pop() {
            self.transmit(key, flight);
        } else if pool.may_dial() {
            pool.connect_queue += 1;
            self.dial(Dial::Http(flight));
        } else if pool.waiting.len() < LINE_LIMIT {
            let limit = flight.limit();
            pool.waiting.push_back(flight);
            self.watch_limit(limit);
        } else {
            let detail = format!("{LINE_LIMIT} requests of one user already wait for a connection");
            let now = self.clock.now();
            self.end_http(
                &flight,
                now,
                Err(Fault::generator(FaultKind::Resources, detail)),
            );
        }
    }

    pub(crate) fn open_http(&mut self, mut flight: Box<InFlight>) {
        let (endpoint, now) = (flight.endpoint, self.clock.now());
        // The actual start is now. The planned start does not change, so the wait is part of the response time.
        flight.starts_late(now);
        let owner = self.owner_of(flight.user);
        let Some(user) = self.level.users.get(owner) else {
            return;
        };
        user.pool(endpoint).connect_queue -= 1;
        let until = now + self.config.options.timeouts.connect;
        let source = self.source_of(owner);
        let opened = self.connector.connect(endpoint, source).and_then(|stream| {
            let link = self.link_on(stream, flight.asker, Opening { asked: now, until })?;
            self.admit(Conn {
                user: owner,
                endpoint,
                asks_write: false,
                sampled: false,
                accepted: false,
                share: Share::default(),
                link,
            })
        });
        match opened {
            Ok(key) => {
                if let Some(user) = self.level.users.get(owner) {
                    user.pool(endpoint).open.push(key);
                }
                self.watch_limit(until);
                // Pass the request to the connection before it is open. It is sent as soon as TCP and TLS are
                // established.
                self.transmit(key, flight);
                self.look_if_open(key);
            }
            Err(fault) => self.end_http(&flight, now, Err(flight.blamed(fault))),
        }
    }

    fn link_on(&self, stream: Stream, asker: Asker, opening: Opening) -> Result<Link, Fault> {
        let limit = self.config.options.max_message;
        if self.streams().is_some() {
            let http2 = Http2Link::new(stream, limit, opening)?;
            return Ok(Link::Http2(Box::new(http2)));
        }
        let mut wire = Connection::with_body_limit(stream, limit);
        // Users without a script never read bodies, so bodies are counted and not stored.
        if asker == Asker::Plain {
            wire.discard();
        }
        Ok(Link::Http(HttpLink {
            wire,
            call: None,
            opening: Some(opening),
        }))
    }

    pub(crate) fn transmit(&mut self, key: u32, mut flight: Box<InFlight>) {
        if !matches!(flight.asker, Asker::Poll(_)) {
            self.trace(flight.user, || trace::request(&flight));
        }
        if self.streams().is_some() {
            return self.transmit_http2(key, flight);
        }
        self.encoded.clear();
        // The prepared bytes contain no cookies, but the user may have received a cookie while the request was queued.
        let still_fits = flight.asker == Asker::Plain || self.is_bare(flight.user);
        let prepared = flight.prepared.as_ref().filter(|_| still_fits);
        let encoded = if let Some(prepared) = prepared {
            self.encoded.extend_from_slice(prepared);
            Ok(())
        } else {
            self.encode(&flight)
        };
        let Some(Conn {
            link: Link::Http(http),
            ..
        }) = self.conns.get_mut(key)
        else {
            return;
        };
        flight.bytes_out += self.encoded.len() as u64;
        let sent =
            encoded.and_then(|()| http.wire.send(&self.encoded, flight.request.expects_body()));
        let limit = flight.limit();
        http.call = Some(flight);
        if let Err(fault) = sent {
            self.broke(key, fault);
            return;
        }
        self.watch_limit(limit);
        self.update_interest(key);
    }

    fn encode(&mut self, flight: &InFlight) -> Result<(), Fault> {
        let user = self.level.users.get(flight.user);
        let cookies = user.and_then(|user| user.cookies.header_for(&flight.request.url));
        flight
            .request
            .encode_into(cookies.as_deref(), &mut self.encoded)
    }

    pub(crate) fn http_opened(&mut self, key: u32, now: Nanos) {
        let Some(conn) = self.conns.get_mut(key) else {
            return;
        };
        let endpoint = conn.endpoint;
        let Some(Opening { asked, .. }) = conn.take_opening() else {
            return;
        };
        if self.level.hold.contains(asked) {
            let name = self.connector.label(endpoint);
            let index = self.level.recorder.name(Family::Connection, &name);
            let timing = Timing {
                planned: asked,
                started: asked,
                ended: now,
            };
            self.level.recorder.time(
                Family::Connection,
                index,
                timing,
                Ending::Answered { failed: false },
            );
        }
    }

    pub(crate) fn http_received(&mut self, key: u32, bytes: &[u8], now: Nanos) {
        let Some(Conn {
            link: Link::Http(http),
            ..
        }) = self.conns.get_mut(key)
        else {
            return;
        };
        if let Some(call) = &mut http.call {
            // Data received before the request was sent, such as a 408 on an idle connection, is not the response.
            if !call.began && now < call.started {
                let early = "the server sent data before the request: the connection is unusable";
                return self.http_broke(key, Fault::target(FaultKind::Closed, early));
            }
            call.began = true;
        }
        let asked = http.call.is_some();
        match http.wire.on_bytes(bytes) {
            Ok(Some(response)) => {
                if let Some(unasked) = http.wire.take_unasked() {
                    self.note_unasked(key, &unasked, now);
                }
                self.answered(key, response, now);
            }
            Ok(None) => {}
            Err(fault) => {
                // A 408 announces that the server closes an idle connection. This is not a fault.
                if !asked && !bytes.starts_with(b"HTTP/1.1 408") {
                    self.note_unasked(key, &fault, now);
                }
                self.http_broke(key, fault);
            }
        }
    }

    /// Counts a response without a request as a failure of the connection.
    fn note_unasked(&mut self, key: u32, fault: &Fault, now: Nanos) {
        let Some(conn) = self
            .conns
            .get(key)
            .filter(|_| self.level.hold.contains(now))
        else {
            return;
        };
        let (user, what) = (conn.user, self.connector.label(conn.endpoint));
        self.fail(user, &format!("connection {what}"), now, fault);
    }

    pub(crate) fn http_closed(&mut self, key: u32) {
        let now = self.clock.now();
        let Some(Conn {
            link: Link::Http(http),
            ..
        }) = self.conns.get_mut(key)
        else {
            return;
        };
        match http.wire.on_close() {
            Ok(Some(response)) => self.answered(key, response, now),
            Ok(None) => self.drop_http(key),
            Err(fault) => self.http_broke(key, fault),
        }
    }

    pub(crate) fn http_broke(&mut self, key: u32, fault: Fault) {
        let Some(Conn {
            link: Link::Http(http),
            ..
        }) = self.conns.get_mut(key)
        else {
            return;
        };
        let (call, stale) = (http.call.take(), http.wire.is_stale_close());
        let opening = http.opening;
        self.connection_failed(key, opening, &fault);
        self.drop_http(key);
        let Some(call) = call else { return };
        // The server probably closed the idle connection just before the request arrived. Most likely it did not
        // process the request (RFC 9110 §9.2.2).
        let stale = stale && matches!(fault.kind, FaultKind::Reset | FaultKind::Closed);
        let repeatable = if stale {
            Repeatable::IfIdempotent
        } else {
            Repeatable::No
        };
        let now = self.clock.now();
        self.repeat_or_end(call, fault, repeatable, now);
    }

    /// Counts a connection that failed to open, if it was requested in the measured time.
    pub(crate) fn connection_failed(&mut self, key: u32, opening: Option<Opening>, fault: &Fault) {
        let asked = opening.map(|opening| opening.asked);
        let Some(asked) = asked.filter(|&asked| self.level.hold.contains(asked)) else {
            return;
        };
        let Some(conn) = self.conns.get(key) else {
            return;
        };
        let name = self.connector.label(conn.endpoint);
        let index = self.level.recorder.name(Family::Connection, &name);
        let timing = Timing {
            planned: asked,
            started: asked,
            ended: self.clock.now(),
        };
        let limit = self.config.options.timeouts.connect;
        self.level
            .recorder
            .time(Family::Connection, index, timing, ending_of(fault, limit));
    }

    /// Ends a request or a connection attempt whose time limit has passed.
    pub(crate) fn http_ran_out(&mut self, key: u32, now: Nanos) {
        let Some(Conn {
            link: Link::Http(http),
            ..
        }) = self.conns.get(key)
        else {
            return;
        };
        let timeouts = self.config.options.timeouts;
        let detail = match (&http.opening, &http.call) {
            (Some(opening), _) if opening.until <= now => {
                format!("no connection within {}", timeouts.connect)
            }
            (_, Some(call)) => call.what_took_too_long(),
            (_, None) => return,
        };
        self.http_broke(key, Fault::target(FaultKind::TimedOut, detail));
    }

    pub(crate) fn drop_http(&mut self, key: u32) {
        let Some(conn) = self.take_out(key) else {
            return;
        };
        let Some(user) = self.level.users.get(conn.user) else {
            return;
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
