//! Sends the polling requests of sessions that have no WebSocket yet: one GET waits for the server's messages, and POSTs
//! send the user's messages. `transport` decides which requests start.

use std::sync::Arc;

use model::{Fault, FaultKind, Nanos, UserId};
use script::host::{OpId, SocketIoCall};
use serde_json::Value;
use url::Url;
use wire::http::{Body, Request, Response};
use wire::socketio::{Part, parts};
use wire::websocket::Event;

use super::polled::{Polled, polled_socket};
use super::{Sessions, Talk};
use crate::http::{Asked, Asker, FOR_EVER, Http, InFlight};
use crate::level_state::level_over;
use crate::link::Link;
use crate::net::socket::socketio::{Carrier, Next, Polling};
use crate::net::socket::{Method, Poll, Wire};
use crate::net::{EndpointIndex, Located};
use crate::news::News;
use crate::socket::{Opening, Over, SocketLink, SocketState, Sockets};

impl Sessions<'_> {
    pub(super) fn start_polling(
        &mut self,
        op: OpId,
        user: UserId,
        call: SocketIoCall,
        talk: Box<Talk>,
    ) -> Result<(), Fault> {
        self.base.level.users.get(user).ok_or_else(level_over)?;
        let now = self.base.clock.now();
        let Located { url, endpoint, .. } = self.base.net.connector.locate(&call.url)?;
        let limit = self.base.opening_limit(call.timeout);
        let planned = call.planned.unwrap_or(now);
        let opening = Opening::new(Some(op), planned, now, limit);
        let state = SocketState {
            opening: Some(opening),
            name: call.name,
            talk: Some(talk),
            ..SocketState::default()
        };
        let polling = Polling::new(url, call.headers, limit, call.upgrades);
        let wire = Wire::SocketIo(Box::new(polling));
        let link = Link::Socket(Box::new(SocketLink { wire, state }));
        let key = self.base.admit(user, endpoint, link)?;
        if let Some(owner) = self.base.level.users.get(user) {
            owner.sockets.push(key);
        }
        self.base.net.watch_limit(opening.until);
        self.poll(key);
        Ok(())
    }

    /// Starts the requests that the session needs now, unless a WebSocket has replaced polling.
    pub(super) fn poll(&mut self, key: u32) {
        let Some(Polled {
            user,
            polling,
            state,
            ..
        }) = polled_socket(self.base, key)
        else {
            return;
        };
        let session = state.talk.as_ref().and_then(|talk| talk.opened.as_ref());
        match polling.next(session, state.ending.closing.is_some()) {
            Next::Wait => {}
            Next::End => self
                .base
                .socket_broke(key, &Fault::target(FaultKind::Closed, "closed")),
            Next::TakeOver { probe } => self.upgrade(key, probe),
            Next::Start {
                post,
                get,
                websocket,
            } => {
                let url = polling.url_of("polling", session.map(|open| open.sid.as_str()));
                let headers = polling.headers.clone();
                if let Some(payload) = post {
                    let request = post_request(Arc::clone(&url), headers.clone(), payload);
                    let method = Method::Post;
                    self.ask(Poll { key, method }, user, request);
                }
                if get {
                    let request = Request {
                        headers,
                        ..Request::new("GET", url)
                    };
                    let method = Method::Get;
                    self.ask(Poll { key, method }, user, request);
                }
                if websocket {
                    self.probe(key, user);
                }
            }
        }
    }

    /// Sends a polling request.
    fn ask(&mut self, poll: Poll, user: UserId, mut request: Request) {
        let now = self.base.clock.now();
        let mut timeouts = self.base.config.options.timeouts;
        if poll.method == Method::Get {
            // The heartbeat detects a dead session.
            (timeouts.first_byte, timeouts.total) = (FOR_EVER, FOR_EVER);
        }
        self.base.add_standing_headers(user, &mut request.headers);
        match self.base.net.connector.endpoint_of(&request.url) {
            Ok(endpoint) => {
                // The GET occupies its connection, so the user may open one more connection.
                if let Some(owner) = self
                    .base
                    .level
                    .users
                    .get(user)
                    .filter(|_| poll.method == Method::Get)
                {
                    owner.pool(endpoint).polls += 1;
                }
                let asked = Asked::by(Asker::Poll(poll), user, now);
                let flight = InFlight::new((request, endpoint), now, timeouts, asked);
                Http { base: self.base }.dispatch(Box::new(flight));
            }
            Err(fault) => self.base.socket_broke(poll.key, &fault),
        }
    }

    /// Drops the GET of a session that is over. The Python server leaves the GET open until the session's next ping is
    /// due.
    fn drop_poll(&mut self, key: u32, user: UserId, endpoint: EndpointIndex) {
        let method = Method::Get;
        let poll = Poll { key, method };
        if self.base.streams().is_some() {
            return Http { base: self.base }.cancel_request(Asker::Poll(poll), user, endpoint);
        }
        let Some(owner) = self.base.level.users.get(user) else {
            return self.base.inconsistent("a Socket.IO session has no user");
        };
        let open = owner.pool(endpoint).open.clone();
        let asks = |conn: &&u32| match self.base.net.conns.get(**conn).map(|conn| &conn.link) {
            Some(Link::Http(http)) => http.call().is_some_and(|call| call.context.is(poll)),
            _ => false,
        };
        // The GET may still be queued. Its response then finds no session.
        let Some(&conn) = open.iter().find(asks) else {
            return;
        };
        if let Some(Link::Http(http)) = self.base.link(conn)
            && let Some(call) = http.take_call()
        {
            Http { base: self.base }.poll_ended(&call, poll);
        }
        Http { base: self.base }.drop_http(conn);
    }

    /// Handles the end of a socket: drops the poll and the probe of a session, or notes that its probe has failed.
    pub(super) fn end_polling(&mut self, over: &Over) {
        if let Wire::SocketIo(polling) = &over.link.wire {
            if polling.waits_for_the_server() {
                self.drop_poll(over.key, over.user, over.endpoint);
            }
            if let Some(probe) = polling.state.probe() {
                self.base.take_out(probe);
            }
        }
        // The session continues by polling, and does not try a WebSocket again.
        if let Some(key) = over.link.state.probes()
            && let Some(polling) = self.polling_of(key)
        {
            polling.state = Carrier::Polling;
            self.base.tell(News::GoesOn(key));
        }
    }

    /// Handles the end of a polling request. The session may have ended before the request.
    pub(super) fn polled(&mut self, poll: Poll, outcome: Result<Response, Fault>, now: Nanos) {
        let Some(Polled { polling, state, .. }) = polled_socket(self.base, poll.key) else {
            return;
        };
        polling.ended(poll.method);
        let is_closing = state.ending.closing.is_some();
        let response = match outcome.and_then(|response| taken(response, is_closing)) {
            Ok(response) => response,
            Err(fault) => return self.base.socket_broke(poll.key, &fault),
        };
        if poll.method == Method::Get {
            let all: Vec<Part<'_>> = match parts(&response.body).collect() {
                Ok(all) => all,
                Err(fault) => return self.base.socket_broke(poll.key, &fault),
            };
            Sockets { base: self.base }.received(poll.key, now, |_, reading| {
                for part in &all {
                    reading.frame(match part {
                        Part::Text(text) => Event::Text(text),
                        Part::Binary(bytes) => Event::Binary(bytes),
                    });
                }
                Ok(())
            });
        }
        // The session may just have ended.
        self.base.tell(News::GoesOn(poll.key));
    }
}

fn post_request(url: Arc<Url>, headers: Vec<(String, String)>, payload: Vec<u8>) -> Request {
    let body = Body {
        bytes: payload,
        content_type: Some("text/plain;charset=UTF-8".to_owned()),
    };
    Request {
        headers,
        body,
        ..Request::new("POST", url)
    }
}

/// Returns the response or, if it is an error, a fault with the server's error message.
fn taken(response: Response, is_closing: bool) -> Result<Response, Fault> {
    // While the session closes, an error status does not matter.
    if response.status == 200 || is_closing {
        return Ok(response);
    }
    let json: Option<Value> = serde_json::from_slice(&response.body).ok();
    let message = json.as_ref().and_then(|json| json.get("message")?.as_str());
    let status = format!("HTTP {} {}", response.status, response.headers.reason());
    Err(match message {
        Some(message) => Fault::target(
            FaultKind::Denied,
            format!("the server refused the session: {message} ({status})"),
        ),
        None => Fault::target(FaultKind::Status, status.trim_end()),
    })
}
