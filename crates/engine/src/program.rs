use std::sync::Arc;

use model::{Fault, Nanos, without_credentials};
use record::{IssueCause, Measured, Timings};
use script::host::AudienceSpec;
use script::{Bundle, DataStore, Env};
use serde::{Deserialize, Serialize};
use url::Url;
use wire::http::{Body, Request};
use wire::websocket::Handshake;
use wire::{Endpoint, TlsSettings};

/// The program that the users of a run execute.
#[derive(Debug)]
pub enum Program {
    /// A scenario.
    Scenario(Box<Scenario>),
    /// One request or message that is repeated without a script.
    Plain(Box<Plain>),
}

impl Program {
    /// Whether the run uses HTTP/2.
    pub(crate) fn is_http2(&self) -> bool {
        self.streams().is_some()
    }

    /// Number of users on each connection, if the run uses HTTP/2.
    pub(crate) fn streams(&self) -> Option<u32> {
        match self {
            Self::Plain(plain) => plain.shared.map(|shared| shared.streams),
            // Each user has a connection of their own, so groups cannot delay each other.
            Self::Scenario(scenario) => scenario.http2.then_some(1),
        }
    }

    /// The TLS settings for users' requests, with the protocols to offer.
    pub(crate) fn tls_of_requests(&self, tls: TlsSettings) -> TlsSettings {
        if self.is_http2() {
            tls.offering_http2()
        } else {
            tls
        }
    }
}

/// A scenario, read and loaded once.
#[derive(Debug)]
pub struct Scenario {
    /// The scenario's modules.
    pub bundle: Bundle,
    /// The scenario's data tables, loaded once for all workers.
    pub data: DataStore,
    /// The environment variables that the scenario may read.
    pub env: Env,
    /// The passive audiences that the scenario declares.
    pub audiences: Vec<AudienceSpec>,
    /// Whether the scenario uses HTTP/2.
    pub http2: bool,
    /// Whether the scenario has a `setup`.
    pub has_setup: bool,
    /// Whether the scenario has a `teardown`.
    pub has_teardown: bool,
}

/// The request or message that users without a script send. Over HTTP, a user sends the next request after each
/// response, or when an arrival is due. Over a WebSocket, each message waits for its reply.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plain {
    /// The URL.
    pub url: Url,
    /// The request or message.
    pub send: Send,
    /// Number of requests or messages in total, over all workers; `None`: until the measured time ends.
    pub count: Option<u64>,
    /// Messages per second on each WebSocket; `None`: each message is sent after the reply to the previous one.
    pub per_socket: Option<f64>,
    /// The HTTP/2 connections; `None`: the run uses HTTP/1.1.
    pub shared: Option<Shared>,
}

/// HTTP/2 connections, each of which carries the requests of `streams` users.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Shared {
    /// Number of connections.
    pub connections: u32,
    /// Concurrent requests on each connection.
    pub streams: u32,
}

impl Shared {
    /// The largest number of workers, up to `most`, among which the connections can be divided equally. A connection
    /// belongs to one worker.
    pub(crate) fn workers(self, most: u32) -> u32 {
        let fits = |workers: &u32| self.connections.is_multiple_of(*workers);
        (1..=most.max(1)).rev().find(fits).unwrap_or(1)
    }
}

/// One request or message.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Send {
    /// An HTTP request.
    Request {
        /// `GET`, `POST`, …
        method: String,
        /// Headers in addition to those of the options.
        headers: Vec<(String, String)>,
        /// The body; may be empty.
        body: Vec<u8>,
        /// Statuses of 400 and more that are not failures.
        expect: Vec<u16>,
    },
    /// A text message, for a server that replies to each message with one message.
    Message(String),
}

impl Plain {
    /// One line that names the request or message in the record and the report.
    pub fn title(&self) -> String {
        match &self.send {
            Send::Request { method, .. } => {
                let over = self.shared.map_or(String::new(), |shared| {
                    let Shared {
                        connections,
                        streams,
                    } = shared;
                    format!(" (HTTP/2, {connections} connections × {streams} streams)")
                });
                format!("{method} {}{over}", without_credentials(self.url.as_str()))
            }
            Send::Message(_) => format!("messages to {}", without_credentials(self.url.as_str())),
        }
    }

    /// The request that is repeated, without the run's own headers; `None` for a WebSocket.
    pub(crate) fn request(&self) -> Option<Request> {
        let Send::Request {
            method,
            headers,
            body,
            ..
        } = &self.send
        else {
            return None;
        };
        Some(Request {
            method: method.clone().into(),
            url: Arc::new(self.url.clone()),
            headers: headers.clone(),
            body: Body {
                bytes: body.clone(),
                content_type: None,
            },
        })
    }

    /// Encodes the request or message that every user will send, with the run's own headers. A request that cannot be
    /// sent is an error before the run, not a failure of users.
    pub(crate) fn check(&self, standing: &[(String, String)]) -> Result<(), Fault> {
        Endpoint::try_from(&self.url)?;
        let Some(mut request) = self.request() else {
            return Handshake::new(&self.url, &[], standing, [0; 16]).map(|_| ());
        };
        request.headers.extend_from_slice(standing);
        if self.shared.is_some() {
            wire::http2::check(&request)?;
        }
        request.encode_into(None, &mut Vec::new())
    }

    /// An issue, if fewer requests or messages were sent in the level than planned.
    pub(crate) fn unsent(&self, measured: &Measured, limit: Option<Nanos>) -> Option<IssueCause> {
        let count = self.count?;
        let begun = |timings: &Timings| timings.count + timings.unfinished;
        let sent: u64 = match &self.send {
            Send::Request { .. } => measured.requests.values().map(begun).sum(),
            // Each WebSocket that did not open has used up one message.
            Send::Message(_) => {
                let messages: u64 = measured.round_trips.values().map(begun).sum();
                let refused: u64 = measured.connections.values().map(|all| all.failed).sum();
                messages + refused
            }
        };
        (sent < count).then(|| IssueCause::NotAllSent {
            unsent: count - sent,
            planned: count,
            limit,
        })
    }

    /// The URL's path and query, which are the name under which the requests are measured.
    fn place(&self) -> &str {
        &self.url[url::Position::BeforePath..url::Position::AfterQuery]
    }

    pub(crate) fn name(&self) -> String {
        match &self.send {
            Send::Request { method, .. } => format!("{method} {}", self.place()),
            Send::Message(_) => self.place().to_owned(),
        }
    }

    /// The number of requests or messages that one worker may send.
    pub(crate) fn share_of(&self, worker: u32, workers: u32) -> u64 {
        let (worker, workers) = (u64::from(worker), u64::from(workers.max(1)));
        self.count.map_or(u64::MAX, |count| {
            count / workers + u64::from(worker < count % workers)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_limit_of_a_count_cut_off_is_told() {
        let plain = Plain {
            url: Url::parse("ws://127.0.0.1/").unwrap(),
            send: Send::Message("ping".to_owned()),
            count: Some(100),
            per_socket: None,
            shared: None,
        };
        let mut measured = Measured::default();
        let timings = |count, failed, unfinished| Timings {
            count,
            failed,
            unfinished,
            ..Timings::default()
        };
        let place = || "/".to_owned();
        measured.round_trips.insert(place(), timings(90, 5, 2));
        let hour = Some(Nanos::from_secs(3600));
        let unsent = IssueCause::NotAllSent {
            unsent: 8,
            planned: 100,
            limit: hour,
        };
        assert_eq!(plain.unsent(&measured, hour), Some(unsent));
        measured.connections.insert(place(), timings(12, 8, 0));
        assert_eq!(plain.unsent(&measured, hour), None, "8 never opened");
    }
}
