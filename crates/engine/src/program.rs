use script::{Bundle, DataStore};
use url::Url;
use wire::TlsSettings;

/// What the users of a run do.
#[derive(Debug)]
pub enum Program {
    /// A scenario.
    Scenario(Box<Scenario>),
    /// One request or message again and again, without a script.
    Plain(Box<Plain>),
}

impl Program {
    /// Whether HTTP/2 is spoken.
    pub(crate) fn is_http2(&self) -> bool {
        matches!(self, Self::Plain(plain) if plain.shared.is_some())
    }

    /// What the connections of users offer to speak.
    pub(crate) fn tls_of_users(&self, tls: TlsSettings) -> TlsSettings {
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
    /// Its modules.
    pub bundle: Bundle,
    /// Its tables, loaded once for all workers.
    pub data: DataStore,
    /// Whether it has a `setup`.
    pub has_setup: bool,
    /// Whether it has a `teardown`.
    pub has_teardown: bool,
}

/// What users without a script send: over HTTP each asks again as soon as it is answered, or when an arrival is due;
/// over a WebSocket each message waits for its reply.
#[derive(Clone, Debug)]
pub struct Plain {
    /// Where.
    pub url: Url,
    /// What.
    pub send: Send,
    /// So many in all, over all workers; `None`: until the hold ends.
    pub count: Option<u64>,
    /// Messages a second of each WebSocket; `None`: the next when the reply is there.
    pub per_socket: Option<f64>,
    /// HTTP/2 instead of HTTP/1.1.
    pub shared: Option<Shared>,
}

/// HTTP/2 connections, each of which carries the requests of `streams` users.
#[derive(Clone, Copy, Debug)]
pub struct Shared {
    /// How many connections there are.
    pub connections: u32,
    /// Requests at a time on each.
    pub streams: u32,
}

impl Shared {
    /// The most workers that have equally many connections each: a connection belongs to one of them.
    pub(crate) fn workers(self, most: u32) -> u32 {
        let fits = |workers: &u32| self.connections.is_multiple_of(*workers);
        (1..=most.max(1)).rev().find(fits).unwrap_or(1)
    }
}

/// One request or message.
#[derive(Clone, Debug)]
pub enum Send {
    /// An HTTP request.
    Request {
        /// `GET`, `POST`, …
        method: String,
        /// Beside those of the options.
        headers: Vec<(String, String)>,
        /// May be empty.
        body: Vec<u8>,
        /// Statuses of 400 and more that are no failure.
        expect: Vec<u16>,
    },
    /// A text message, for a server that answers each message with one.
    Message(String),
}

impl Plain {
    /// In a line, as the record and the report name it.
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
                format!("{method} {}{over}", self.url)
            }
            Send::Message(_) => format!("messages to {}", self.url),
        }
    }

    /// Path and query: what the requests are measured under.
    fn place(&self) -> &str {
        &self.url[url::Position::BeforePath..url::Position::AfterQuery]
    }

    pub(crate) fn name(&self) -> String {
        match &self.send {
            Send::Request { method, .. } => format!("{method} {}", self.place()),
            Send::Message(_) => self.place().to_owned(),
        }
    }

    /// Those that one of the workers may send.
    pub(crate) fn share_of(&self, worker: u32, workers: u32) -> u64 {
        let (worker, workers) = (u64::from(worker), u64::from(workers.max(1)));
        self.count.map_or(u64::MAX, |count| {
            count / workers + u64::from(worker < count % workers)
        })
    }
}
