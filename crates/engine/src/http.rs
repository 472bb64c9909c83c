//! HTTP requests of users: onto a connection of the user's pool; `end` is about how they end.

mod end;

use std::sync::Arc;

use delivery::Sent;
use model::{Fault, FaultKind, Nanos, Timing, UserId};
use plan::Timeouts;
use script::host::{Body, HttpCall, OpId};
use wire::http::{Connection, Part, Request};

use crate::conn::{Conn, Link};
use crate::dials::{EndpointIndex, Located};
use crate::people::CONNECTIONS_PER_USER;
use crate::recorder::{Ending, Family, ending_of};
use crate::world::World;

/// Requests of one user that may wait in line for a connection to one endpoint.
const LINE_LIMIT: usize = 10_000;

/// One HTTP connection of a user.
#[derive(Debug)]
pub(crate) struct HttpLink {
    pub(crate) wire: Connection,
    pub(crate) call: Option<Box<InFlight>>,
    /// When the connection was asked for, and until when it must stand; `None` once it does.
    opening: Option<(Nanos, Nanos)>,
}

/// Who waits for the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asker {
    /// An operation of the script.
    Script(OpId),
    /// A user without a script.
    Plain,
}

/// A request on its way.
#[derive(Debug)]
pub(crate) struct InFlight {
    asker: Asker,
    pub(crate) user: UserId,
    pub(crate) name: usize,
    request: Request,
    /// The request as it goes out, where it is the same each time.
    pub(crate) prepared: Option<Arc<[u8]>>,
    pub(crate) endpoint: EndpointIndex,
    pub(crate) planned: Nanos,
    started: Nanos,
    until: Nanos,
    first_byte_until: Nanos,
    began: bool,
    redirects: u32,
    repeated: bool,
    pub(crate) expect: Vec<u16>,
    carried: Vec<Sent>,
    bytes_out: u64,
}

impl HttpLink {
    pub(crate) fn limit(&self) -> Nanos {
        let opening = self.opening.map_or(Nanos::MAX, |(_, until)| until);
        let call = self.call.as_ref().map_or(Nanos::MAX, |call| call.limit());
        opening.min(call)
    }
}

impl InFlight {
    /// Asked for now, with the limits of the run; named, planned and followed by the caller.
    pub(crate) fn new(
        asker: Asker,
        user: UserId,
        (request, endpoint): (Request, EndpointIndex),
        now: Nanos,
        timeouts: Timeouts,
    ) -> Self {
        Self {
            asker,
            user,
            name: 0,
            request,
            prepared: None,
            endpoint,
            planned: now,
            started: now,
            until: now + timeouts.total,
            first_byte_until: now + timeouts.first_byte.min(timeouts.total),
            began: false,
            redirects: 0,
            repeated: false,
            expect: Vec::new(),
            carried: Vec::new(),
            bytes_out: 0,
        }
    }

    /// The same once more, now.
    pub(crate) fn again(&mut self, now: Nanos, timeouts: Timeouts) {
        self.planned = now;
        self.started = now;
        self.until = now + timeouts.total;
        self.first_byte_until = now + timeouts.first_byte.min(timeouts.total);
        self.began = false;
        self.repeated = false;
        self.bytes_out = 0;
    }

    fn limit(&self) -> Nanos {
        if self.began {
            self.until
        } else {
            self.until.min(self.first_byte_until)
        }
    }
}

impl World {
    /// Starts a request of the script.
    pub(crate) fn start_http(
        &mut self,
        op: OpId,
        user: UserId,
        call: HttpCall,
    ) -> Result<(), Fault> {
        let now = self.clock.now();
        let planned = call.planned.unwrap_or(now);
        let is_bare = call.method == "GET"
            && call.headers.is_empty()
            && matches!(call.body, Body::None)
            && self.is_bare(user);
        let Located { url, endpoint, get } = self.dials.locate(&call.url)?;
        let mut headers = call.headers;
        self.add_standing_headers(user, &mut headers);
        let request = Request {
            method: call.method,
            url,
            headers,
            body: body_of(call.body),
        };
        let prepared = get.filter(|_| is_bare);
        if prepared.is_none() && is_bare {
            self.encoded.clear();
            request.encode_into(None, &mut self.encoded)?;
            self.dials.remember_get(&call.url, &self.encoded);
        }
        let mut timeouts = self.config.options.timeouts;
        timeouts.total = call.timeout.unwrap_or(timeouts.total);
        let measured = self.hold.contains(planned);
        let carried = match self.group_of(user) {
            Some((group, member, tallies)) => {
                group.ledger.send(member, planned, now, measured, tallies)
            }
            None => return Err(Fault::script(FaultKind::Thrown, "the user's level is over")),
        };
        let flight = Box::new(InFlight {
            name: self.recorder.name(Family::Request, &call.name),
            planned,
            redirects: call.redirects.unwrap_or(self.config.options.redirects),
            expect: call.expect,
            carried,
            prepared,
            ..InFlight::new(Asker::Script(op), user, (request, endpoint), now, timeouts)
        });
        self.dispatch(flight);
        Ok(())
    }

    /// A user with neither headers nor cookies of their own.
    fn is_bare(&mut self, user: UserId) -> bool {
        let user = self.users.get(user);
        user.is_some_and(|user| user.headers.is_empty() && user.cookies.is_unused())
    }

    pub(crate) fn add_standing_headers(
        &mut self,
        user: UserId,
        headers: &mut Vec<(String, String)>,
    ) {
        let named = |headers: &[(String, String)], name: &str| {
            headers
                .iter()
                .any(|(known, _)| known.eq_ignore_ascii_case(name))
        };
        if let Some(user) = self.users.get(user) {
            for (name, value) in &user.headers {
                if !named(headers, name) {
                    headers.push((name.clone(), value.clone()));
                }
            }
        }
        for (name, value) in &self.config.options.headers {
            if !named(headers, name) {
                headers.push((name.clone(), value.clone()));
            }
        }
    }

    /// Onto an idle connection of the user, a new one, or into the line.
    pub(crate) fn dispatch(&mut self, flight: Box<InFlight>) {
        let Some(user) = self.users.get(flight.user) else {
            return;
        };
        let pool = user.pool(flight.endpoint);
        if let Some(key) = pool.idle.pop() {
            self.transmit(key, flight);
        } else if pool.open.len() < CONNECTIONS_PER_USER {
            self.open_http(flight);
        } else if pool.waiting.len() < LINE_LIMIT {
            pool.waiting.push_back(flight);
        } else {
            let detail = format!("{LINE_LIMIT} requests of one user wait in line for a connection");
            let now = self.clock.now();
            self.end_http(
                &flight,
                now,
                Err(Fault::generator(FaultKind::Resources, detail)),
            );
        }
    }

    fn open_http(&mut self, flight: Box<InFlight>) {
        let (user, endpoint, now) = (flight.user, flight.endpoint, self.clock.now());
        let limit = self.config.options.max_message;
        let until = now + self.config.options.timeouts.connect;
        let opened = self
            .dials
            .connect(endpoint, self.config.source_of(user))
            .and_then(|stream| {
                let mut wire = Connection::with_body_limit(stream, limit);
                if flight.asker == Asker::Plain {
                    wire.discard();
                }
                let link = Link::Http(HttpLink {
                    wire,
                    call: None,
                    opening: Some((now, until)),
                });
                self.admit(Conn {
                    user,
                    endpoint,
                    asks_write: false,
                    link,
                })
            });
        match opened {
            Ok(key) => {
                if let Some(user) = self.users.get(user) {
                    user.pool(endpoint).open.push(key);
                }
                self.watch_limit(until);
                self.transmit(key, flight);
            }
            Err(fault) => self.end_http(&flight, now, Err(fault)),
        }
    }

    pub(crate) fn transmit(&mut self, key: u32, mut flight: Box<InFlight>) {
        self.encoded.clear();
        let encoded = if let Some(prepared) = &flight.prepared {
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
        let user = self.users.get(flight.user);
        let cookies = user.and_then(|user| user.cookies.header_for(&flight.request.url));
        flight
            .request
            .encode_into(cookies.as_deref(), &mut self.encoded)
    }

    pub(crate) fn http_opened(&mut self, key: u32, now: Nanos) {
        let Some(Conn {
            endpoint,
            link: Link::Http(http),
            ..
        }) = self.conns.get_mut(key)
        else {
            return;
        };
        let Some((asked, _)) = http.opening.take() else {
            return;
        };
        if self.hold.contains(asked) {
            let name = self.dials.label(*endpoint);
            let index = self.recorder.name(Family::Connection, &name);
            let timing = Timing {
                planned: asked,
                started: asked,
                ended: now,
            };
            self.recorder.time(
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
            call.began = true;
        }
        match http.wire.on_bytes(bytes) {
            Ok(Some(response)) => self.answered(key, response, now),
            Ok(None) => {}
            Err(fault) => self.http_broke(key, fault),
        }
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
        let asked = http.opening.map(|(asked, _)| asked);
        self.connection_failed(key, asked, &fault);
        self.drop_http(key);
        let Some(mut call) = call else { return };
        // The peer closed an idle connection just as it was used: RFC 9112 §9.3.1 allows one repetition.
        if stale && !call.repeated && matches!(fault.kind, FaultKind::Reset | FaultKind::Closed) {
            call.repeated = true;
            self.dispatch(call);
            return;
        }
        let now = self.clock.now();
        self.end_http(&call, now, Err(fault));
    }

    fn connection_failed(&mut self, key: u32, asked: Option<Nanos>, fault: &Fault) {
        let Some(asked) = asked.filter(|&asked| self.hold.contains(asked)) else {
            return;
        };
        let Some(conn) = self.conns.get(key) else {
            return;
        };
        let name = self.dials.label(conn.endpoint);
        let index = self.recorder.name(Family::Connection, &name);
        let timing = Timing {
            planned: asked,
            started: asked,
            ended: self.clock.now(),
        };
        let limit = self.config.options.timeouts.connect;
        self.recorder
            .time(Family::Connection, index, timing, ending_of(fault, limit));
    }

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
            (Some((_, until)), _) if *until <= now => {
                format!("no connection within {}", timeouts.connect)
            }
            (_, Some(call)) if !call.began => format!(
                "no byte of the answer within {}",
                call.limit() - call.started
            ),
            (_, Some(call)) => format!(
                "the answer was not whole within {}",
                call.until - call.started
            ),
            (_, None) => return,
        };
        self.http_broke(key, Fault::target(FaultKind::TimedOut, detail));
    }

    pub(crate) fn drop_http(&mut self, key: u32) {
        let Some(conn) = self.conns.remove(key) else {
            return;
        };
        let Some(user) = self.users.get(conn.user) else {
            return;
        };
        let pool = user.pool(conn.endpoint);
        pool.idle.retain(|&idle| idle != key);
        pool.open.retain(|&open| open != key);
        if let Some(next) = pool.waiting.pop_front() {
            self.dispatch(next);
        }
    }
}

fn body_of(body: Body) -> wire::http::Body {
    match body {
        Body::None => wire::http::Body::empty(),
        Body::Bytes {
            content_type,
            bytes,
        } => wire::http::Body {
            bytes,
            content_type: content_type.map(str::to_owned),
        },
        Body::Form(fields) => wire::http::Body::form(fields),
        Body::Multipart(parts) => {
            let parts: Vec<Part> = parts
                .into_iter()
                .map(|part| Part {
                    name: part.name,
                    filename: part.filename,
                    content_type: part.content_type,
                    bytes: part.bytes,
                })
                .collect();
            wire::http::Body::multipart(&parts)
        }
    }
}
