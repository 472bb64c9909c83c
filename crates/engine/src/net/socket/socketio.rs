//! The transport of a session that has no WebSocket yet, as a state machine. It decides which requests start, and starts
//! none itself.
//!
//! | state | requests | next |
//! |---|---|---|
//! | opening | one GET without a session | polling or connecting, when the server has opened the session |
//! | polling | always one GET; a POST while messages are queued | – |
//! | connecting | as polling | probing, when the WebSocket is open; polling, if it fails |
//! | probing | as polling | pausing, when the server accepts the probe; polling, if it fails |
//! | pausing | no new GET or POST | the WebSocket takes over when no request is in flight; polling, if it fails |

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;

use model::{Fault, FaultKind, Nanos};
use url::Url;
use wire::Stream;
use wire::socketio::{Open, Part, encode_part};

use super::transport::Transport;
use super::{Method, Queued};

/// Maximum number of messages that may wait for a POST. A script that sends more than the server accepts must get an
/// error.
const QUEUE_LIMIT: usize = 10_000;
/// Maximum number of packets in one POST. The Python server drops a POST with more packets, and still responds with
/// success.
const PACKETS: usize = 16;

/// The transport of a session before it has a WebSocket.
#[derive(Debug)]
pub(crate) struct Polling {
    /// The URL without the session's ID and the transport.
    url: Arc<Url>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) limit: Nanos,
    pub(crate) state: Carrier,
    queued: VecDeque<Queued>,
    /// Whether a GET is in flight.
    get: bool,
    /// Whether a POST is in flight.
    post: bool,
}

/// The carrier of the session's messages, and the attempt to replace it by a WebSocket. `probe` is the connection of the
/// WebSocket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carrier {
    /// The server has not opened the session yet. Without the session's ID there is no POST.
    Opening { wants_websocket: bool },
    /// No WebSocket is wanted or offered, or the attempt has failed.
    Polling,
    /// A WebSocket is being opened.
    Connecting,
    /// The WebSocket is open, and the server has not accepted the probe yet.
    Probing { probe: u32 },
    /// The server has accepted the probe. Requests in flight must end before the WebSocket takes over.
    Pausing { probe: u32 },
}

/// What the session needs now.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Nothing until a request in flight has ended.
    Wait,
    /// The session is closed.
    End,
    /// The WebSocket takes over.
    TakeOver { probe: u32 },
    /// Starts requests, or none if all that are needed are in flight.
    Start {
        /// The payload of a POST.
        post: Option<Vec<u8>>,
        get: bool,
        /// Whether to try a WebSocket.
        websocket: bool,
    },
}

impl Carrier {
    /// The connection of the WebSocket, once there is one.
    pub(crate) fn probe(self) -> Option<u32> {
        match self {
            Self::Probing { probe } | Self::Pausing { probe } => Some(probe),
            Self::Opening { .. } | Self::Polling | Self::Connecting => None,
        }
    }
}

impl Polling {
    pub(crate) fn new(
        url: Arc<Url>,
        headers: Vec<(String, String)>,
        limit: Nanos,
        wants_websocket: bool,
    ) -> Self {
        Self {
            url,
            headers,
            limit,
            state: Carrier::Opening { wants_websocket },
            queued: VecDeque::new(),
            get: false,
            post: false,
        }
    }

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

    pub(crate) fn queued(&self) -> &VecDeque<Queued> {
        &self.queued
    }

    /// Whether a GET is in flight.
    pub(crate) fn waits_for_the_server(&self) -> bool {
        self.get
    }

    pub(crate) fn url_of(&self, transport: &str, sid: Option<&str>) -> Arc<Url> {
        let mut url = Url::clone(&self.url);
        url.query_pairs_mut()
            .append_pair("EIO", "4")
            .append_pair("transport", transport);
        if let Some(sid) = sid {
            url.query_pairs_mut().append_pair("sid", sid);
        }
        Arc::new(url)
    }

    /// Decides what the session needs now. Requests to start count as in flight from now on, because a request that
    /// fails at once leads to the next call. `session` is the server's first packet, once it has arrived. `closing`:
    /// headcount has queued the close packet.
    pub(crate) fn next(&mut self, session: Option<&Open>, closing: bool) -> Next {
        // The POST with the close packet has ended, so the server has received it.
        if closing && self.queued.is_empty() && !self.post {
            return Next::End;
        }
        if let Carrier::Pausing { probe } = self.state {
            return if self.get || self.post {
                Next::Wait
            } else {
                Next::TakeOver { probe }
            };
        }
        let websocket = session.is_some_and(|session| self.opened(session, closing));
        // Only one POST at a time keeps messages in order. Without the session's ID there is no POST.
        let post = session
            .filter(|_| !self.post)
            .map(|session| self.take_payload(session.max_payload))
            .filter(|payload| !payload.is_empty());
        // One GET is always in flight, so that the server can send at any time.
        let get = !self.get && !closing;
        self.get |= get;
        self.post |= post.is_some();
        Next::Start {
            post,
            get,
            websocket,
        }
    }

    /// Notes that the session is open. Returns whether to try a WebSocket, which is at most once.
    fn opened(&mut self, session: &Open, closing: bool) -> bool {
        let Carrier::Opening { wants_websocket } = self.state else {
            return false;
        };
        let tries = wants_websocket && session.upgrades && !closing;
        self.state = if tries {
            Carrier::Connecting
        } else {
            Carrier::Polling
        };
        tries
    }

    /// Notes the end of a request.
    pub(crate) fn ended(&mut self, method: Method) {
        match method {
            Method::Get => self.get = false,
            Method::Post => self.post = false,
        }
    }

    /// Takes as much of the queue as one POST may carry.
    fn take_payload(&mut self, max_payload: Option<u64>) -> Vec<u8> {
        let most = max_payload.and_then(|most| usize::try_from(most).ok());
        let most = most.unwrap_or(usize::MAX);
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

impl Transport for Box<Polling> {
    /// Requests on the user's own connections carry the messages.
    type Opener = Infallible;

    fn open(opener: Infallible, _: Stream, _: usize, _: Option<&str>) -> Result<Self, Fault> {
        match opener {}
    }

    fn stream(&self) -> Option<&Stream> {
        None
    }

    fn stream_mut(&mut self) -> Option<&mut Stream> {
        None
    }

    fn send_text_of(&mut self, parts: &[&str]) -> Result<(), Fault> {
        self.queue(Queued::Text(parts.concat()))
    }

    fn send_binary(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.queue(Queued::Binary(bytes.to_vec()))
    }

    fn send_ping(&mut self, _: &[u8]) -> Result<(), Fault> {
        Ok(())
    }

    fn sends_by_request(&self) -> bool {
        true
    }

    fn close(&mut self, _: Option<u16>, _: &str) -> Result<(), Fault> {
        // "1" is the close packet of Engine.IO.
        self.queue(Queued::Text("1".to_owned()))
    }

    fn closes_with_handshake(&self) -> bool {
        true
    }

    fn unconfirmed_close(&self) -> &'static str {
        "the server did not acknowledge the disconnect"
    }

    fn is_replaceable(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
