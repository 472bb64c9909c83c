//! Sessions that begin by polling: one GET waits for the server's messages, and POSTs send the user's messages. A
//! WebSocket replaces these requests if the server offers it.
//!
//! | state | requests | ends when |
//! |---|---|---|
//! | opening | one GET without a session | the server has opened the session |
//! | polling | always one GET, a POST while messages are queued; a WebSocket is tried | the server accepts the probe |
//! | pausing | no new GET or POST | no request is in flight, so the WebSocket takes over |

use std::collections::VecDeque;
use std::sync::Arc;

use model::{Fault, FaultKind, Nanos, UserId};
use script::host::{OpId, SocketIoCall};
use serde_json::Value;
use url::Url;
use wire::http::{Body, Request, Response};
use wire::socketio::{Part, encode_part, parts};

use super::Talk;
use crate::conn::{Conn, Link};
use crate::connector::{EndpointIndex, Located};
use crate::http::{Asker, InFlight};
use crate::share::Share;
use crate::socket::{Opening, Parts, SocketLink, SocketState, Wire};
use crate::world::World;

/// Maximum number of messages that may wait for a POST. A script that sends more than the server accepts must get an
/// error.
const QUEUE_LIMIT: usize = 10_000;
/// Maximum number of packets in one POST. The Python server drops a POST with more packets, and still responds with
/// success.
const PACKETS: usize = 16;
/// Time limit of a GET. It is practically unlimited, because the heartbeat detects a dead session.
const FOR_EVER: Nanos = Nanos::from_secs(365 * 24 * 3600);

/// A polling request of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Poll {
    /// The socket.
    key: u32,
    /// Whether the request is a POST, not a GET.
    posts: bool,
}

/// A message that waits to be sent.
#[derive(Clone, Debug)]
pub(crate) enum Queued {
    Text(String),
    Binary(Vec<u8>),
}

/// The transport of a session before it has a WebSocket.
#[derive(Debug)]
pub(crate) struct Polling {
    /// The URL without the session's ID and the transport.
    pub(super) url: Arc<Url>,
    pub(super) headers: Vec<(String, String)>,
    pub(super) limit: Nanos,
    pub(super) queued: VecDeque<Queued>,
    /// Whether a GET is in flight.
    pub(super) gets: bool,
    /// Whether a POST is in flight.
    pub(super) posts: bool,
    /// Whether a WebSocket is wanted and no attempt has failed.
    pub(super) upgrades: bool,
    pub(super) probe: Option<Probe>,
}

/// Borrowed parts of a socket that has no WebSocket yet.
pub(super) struct Polled<'a> {
    pub(super) user: UserId,
    pub(super) endpoint: EndpointIndex,
    pub(super) polling: &'a mut Polling,
    pub(super) state: &'a mut SocketState,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    /// The connection of the WebSocket, once there is one.
    pub(super) key: Option<u32>,
    /// Whether the server has accepted the probe.
    pub(super) answered: bool,
}

impl Polling {
    pub(crate) fn queue(&mut self, message: Queued) -> Result<(), Fault> {
        if self.queued.len() >= QUEUE_LIMIT {
            let detail = format!(
                "{QUEUE_LIMIT} messages are queued, because the server accepts no polling requests"
            );
            return Err(Fault::target(FaultKind::TimedOut, detail));
        }
        self.queued.push_back(message);
        Ok(())
    }

    /// Whether a GET is in flight.
    pub(crate) fn waits_for_the_server(&self) -> bool {
        self.gets
    }

    pub(super) fn url_of(&self, transport: &str, sid: Option<&str>) -> Arc<Url> {
        let mut url = Url::clone(&self.url);
        url.query_pairs_mut()
            .append_pair("EIO", "4")
            .append_pair("transport", transport);
        if let Some(sid) = sid {
            url.query_pairs_mut().append_pair("sid", sid);
        }
        Arc::new(url)
    }

    /// Takes as much of the queue as one POST may carry.
    fn take_payload(&mut self, most: usize) -> Vec<u8> {
        let mut payload = Vec::new();
        for _ in 0..PACKETS {
            let Some(next) = self.queued.front() else {
                break;
            };
            let size = match next {
                Queued::Text(text) => text.len(),
                Queued::Binary(bytes) => bytes.len() * 4 / 3 + 4,
            };
            if !payload.is_empty() && payload.len() + size + 1 > most {
                break;
            }
            match next {
                Queued::Text(text) => encode_part(&mut payload, &Part::Text(text)),
                Queued::Binary(bytes) => encode_part(&mut payload, &Part::Binary(bytes.clone())),
            }
            self.queued.pop_front();
        }
        payload
    }
}

impl World {
    pub(super) fn start_polling(
        &mut self,
        op: OpId,
        user: UserId,
        call: SocketIoCall,
        talk: Box<Talk>,
    ) -> Result<(), Fault> {
        let now = self.clock.now();
        let Located { url, endpoint, .. } = self.connector.locate(&call.url)?;
        let limit = self.opening_limit(call.timeout);
        let planned = call.planned.unwrap_or(now);
        let opening = Opening {
            op,
            planned,
            asked: now,
            until: now + limit,
            limit,
        };
        let state = SocketState {
            opening: Some(opening),
            name: call.name,
            talk: Some(talk),
            ..SocketState::default()
        };
        let polling = Polling {
            url,
            headers: call.headers,
            limit,
            queued: VecDeque::new(),
            gets: false,
            posts: false,
            upgrades: call.upgrades,
            probe: None,
        };
        let wire = Wire::Polling(Box::new(polling));
        let link = Link::Socket(Box::new(SocketLink { wire, state }));
        let key = self.admit(Conn {
            user,
            endpoint,
            asks_write: false,
            sampled: false,
            accepted: true,
            share: Share::default(),
            link,
        })?;
        if let Some(owner) = self.users.get(user) {
            owner.sockets.push(key);
        }
        self.watch_limit(opening.until);
        self.go_on_polling(key);
        Ok(())
    }

    /// The socket, if it exists and has no WebSocket yet.
    pub(super) fn polled_socket(&mut self, key: u32) -> Option<Polled<'_>> {
        let conn = self.conns.get_mut(key)?;
        let Link::Socket(socket) = &mut conn.link else {
            return None;
        };
        let SocketLink { wire, state } = &mut **socket;
        match wire {
            Wire::Polling(polling) => Some(Polled {
                user: conn.user,
                endpoint: conn.endpoint,
                polling,
                state,
            }),
            Wire::WebSocket(_) => None,
        }
    }

    /// Starts the requests that the session needs now, unless a WebSocket has replaced polling.
    pub(crate) fn go_on_polling(&mut self, key: u32) {
        let Some(Polled {
            user,
            polling,
            state,
            ..
        }) = self.polled_socket(key)
        else {
            return;
        };
        let closing = state.closing.is_some();
        let open = state.talk.as_ref().and_then(|talk| talk.opened.as_ref());
        let may_upgrade = open.is_some_and(|open| open.upgrades) && polling.upgrades && !closing;
        let sid = open.map(|open| open.sid.clone());
        let most = open.and_then(|open| usize::try_from(open.max_payload?).ok());
        // The POST with the close packet has ended, so the server has received it.
        if closing && polling.queued.is_empty() && !polling.posts {
            return self.socket_broke(key, &Fault::target(FaultKind::Closed, "closed"));
        }
        // The server has accepted the probe. No request may start any more, and requests in flight must end first.
        if polling.probe.is_some_and(|probe| probe.answered) {
            if !polling.gets && !polling.posts {
                self.upgrade(key);
            }
            return;
        }
        let url = polling.url_of("polling", sid.as_deref());
        // Only one POST at a time keeps messages in order. Without the session's ID there is no POST.
        let payload = match &sid {
            Some(_) if !polling.posts => polling.take_payload(most.unwrap_or(usize::MAX)),
            _ => Vec::new(),
        };
        // One GET is always in flight, so that the server can send at any time.
        let (posts, gets) = (!payload.is_empty(), !polling.gets && !closing);
        let tries = may_upgrade && polling.probe.is_none();
        // Set the flags first, because a request that fails at once calls this function again.
        polling.gets |= gets;
        polling.posts |= posts;
        let headers = polling.headers.clone();
        if posts {
            let body = Body {
                bytes: payload,
                content_type: Some("text/plain;charset=UTF-8".to_owned()),
            };
            let request = Request {
                headers: headers.clone(),
                body,
                ..Request::new("POST", Arc::clone(&url))
            };
            self.ask(Poll { key, posts: true }, user, request);
        }
        if gets {
            let request = Request {
                headers,
                ..Request::new("GET", url)
            };
            self.ask(Poll { key, posts: false }, user, request);
        }
        if tries {
            self.probe(key, user);
        }
    }

    /// Sends a polling request.
    fn ask(&mut self, poll: Poll, user: UserId, mut request: Request) {
        let now = self.clock.now();
        let mut timeouts = self.config.options.timeouts;
        if !poll.posts {
            (timeouts.first_byte, timeouts.total) = (FOR_EVER, FOR_EVER);
        }
        self.add_standing_headers(user, &mut request.headers);
        match self.connector.endpoint_of(&request.url) {
            Ok(endpoint) => {
                // The GET occupies its connection, so the user may open one more connection.
                if let Some(owner) = self.users.get(user).filter(|_| !poll.posts) {
                    owner.pool(endpoint).polls += 1;
                }
                let flight =
                    InFlight::new(Asker::Poll(poll), user, (request, endpoint), now, timeouts);
                self.dispatch(Box::new(flight));
            }
            Err(fault) => self.socket_broke(poll.key, &fault),
        }
    }

    /// Makes the poll's connection an ordinary connection of the user again.
    pub(crate) fn poll_ended(&mut self, call: &InFlight, poll: Poll) {
        if let Some(owner) = self.users.get(call.user).filter(|_| !poll.posts) {
            let pool = owner.pool(call.endpoint);
            pool.polls = pool.polls.saturating_sub(1);
        }
    }

    /// Drops the GET of a session that is over. The Python server leaves the GET open until the session's next ping is
    /// due.
    pub(crate) fn drop_poll(&mut self, key: u32, user: UserId, endpoint: EndpointIndex) {
        let poll = Poll { key, posts: false };
        let Some(owner) = self.users.get(user) else {
            return;
        };
        let open = owner.pool(endpoint).open.clone();
        let asks = |conn: &&u32| match self.conns.get(**conn).map(|conn| &conn.link) {
            Some(Link::Http(http)) => http.call.as_ref().is_some_and(|call| call.is(poll)),
            _ => false,
        };
        let Some(&conn) = open.iter().find(asks) else {
            return;
        };
        if let Some(Conn {
            link: Link::Http(http),
            ..
        }) = self.conns.get_mut(conn)
            && let Some(call) = http.call.take()
        {
            self.poll_ended(&call, poll);
        }
        self.drop_http(conn);
    }

    /// Handles the end of a polling request. The session may have ended before the request.
    pub(crate) fn polled(&mut self, poll: Poll, outcome: Result<Response, Fault>, now: Nanos) {
        let Some(Polled { polling, state, .. }) = self.polled_socket(poll.key) else {
            return;
        };
        if poll.posts {
            polling.posts = false;
        } else {
            polling.gets = false;
        }
        let is_closing = state.closing.is_some();
        let response = match outcome.and_then(|response| taken(response, is_closing)) {
            Ok(response) => response,
            Err(fault) => return self.socket_broke(poll.key, &fault),
        };
        if !poll.posts {
            match parts(&response.body).collect() {
                Ok(all) => self.socket_received(poll.key, Parts(all), now),
                Err(fault) => return self.socket_broke(poll.key, &fault),
            };
        }
        self.go_on_polling(poll.key);
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
