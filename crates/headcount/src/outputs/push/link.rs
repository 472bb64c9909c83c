//! The connection to a server that takes metrics.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Receiver;
use std::thread;
use std::time::Duration;

use anyhow::Context as _;
use engine::Clock;
use format::{plural, shorten};
use model::Nanos;
use reqwest::header::HeaderMap;
use reqwest::{Client, Response, StatusCode, redirect};
use tokio::runtime::{Builder, Runtime};
use url::{Host, Url};

use super::{Protocol, TimedSecond};
use crate::screen::{self, erase_live_line};

/// Maximum number of seconds per request.
const BATCH: usize = 60;
/// Time limit of a request.
const LIMIT: Duration = Duration::from_secs(5);
/// Pause before a failed request is repeated.
const AGAIN: Duration = Duration::from_secs(1);
/// Maximum length of a server's explanation that is shown, and of what is read of it.
const SHOWN: usize = 200;
const READ: usize = 4096;

/// Whether the run has ended, and until when the rest must be sent.
#[derive(Clone, Debug)]
pub(super) struct Ending {
    clock: Clock,
    /// In nanoseconds of the clock. 0 during the run.
    until: Arc<AtomicU64>,
}

impl Ending {
    pub(super) fn new(clock: Clock) -> Self {
        Self {
            clock,
            until: Arc::default(),
        }
    }

    /// The run has ended. Only the first call counts.
    pub(super) fn begin(&self, rest: Nanos) {
        let until = (self.clock.now() + rest).0;
        let _ = self
            .until
            .compare_exchange(0, until, Ordering::Relaxed, Ordering::Relaxed);
    }

    fn has_begun(&self) -> bool {
        self.until.load(Ordering::Relaxed) > 0
    }

    fn is_over(&self) -> bool {
        let until = self.until.load(Ordering::Relaxed);
        until > 0 && self.clock.now().0 >= until
    }
}

/// The connection to the server.
pub(super) struct Link {
    name: String,
    url: Url,
    client: Client,
    runtime: Runtime,
    ending: Ending,
    /// Whether the user knows that requests fail, and that requests are refused.
    told: (bool, bool),
}

/// How a request ended.
enum Sent {
    Accepted,
    /// The same request may succeed later.
    Failed(String),
    /// The server does not accept this request, but perhaps later ones.
    Refused(String),
    /// The server will accept no request.
    Forbidden(String),
}

impl Link {
    pub(super) fn open(
        name: String,
        url: Url,
        headers: HeaderMap,
        ending: Ending,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            client: client_for(&url, headers)?,
            name,
            url,
            runtime: Builder::new_current_thread().enable_all().build()?,
            ending,
            told: (false, false),
        })
    }

    /// Sends what is queued until the run ends or the server forbids it.
    pub(super) fn run(&mut self, queue: &Receiver<TimedSecond>, mut protocol: Box<dyn Protocol>) {
        while let Ok(first) = queue.recv() {
            let mut batch = vec![first];
            batch.extend(queue.try_iter().take(BATCH - 1));
            let sent = match protocol.body(&batch) {
                Ok(_) if self.ending.is_over() => Err("the run is over".to_owned()),
                Ok(body) => self.deliver(&body),
                Err(error) => Err(format!("{error:#}")),
            };
            if let Err(why) = sent {
                self.give_up(&why, batch.len() + queue.try_iter().count());
                return;
            }
        }
        if let Ok(Some(body)) = protocol.last_body()
            && let Err(why) = self.deliver(&body)
        {
            self.complain(&format!("the end of the run was not sent: {why}"));
        }
    }

    fn give_up(&self, why: &str, seconds: usize) {
        let unsent = plural(seconds as u64, "second");
        let rest = if self.ending.has_begun() {
            format!("{unsent} not sent")
        } else {
            "no further seconds are sent".to_owned()
        };
        self.complain(&format!("{why}; {rest}"));
    }

    /// Sends a request until the server accepts or refuses it. Fails if the server forbids requests, or at the end of the
    /// run, after another attempt.
    fn deliver(&mut self, body: &[u8]) -> Result<(), String> {
        loop {
            let is_last = self.ending.has_begun();
            let why = match self.send(body) {
                Sent::Accepted => {
                    self.told.0 = false;
                    return Ok(());
                }
                Sent::Refused(why) => {
                    if !std::mem::replace(&mut self.told.1, true) {
                        self.complain(&format!("{why}; the run continues with the next seconds"));
                    }
                    return Ok(());
                }
                Sent::Forbidden(why) => return Err(why),
                Sent::Failed(why) => why,
            };
            if is_last || self.ending.is_over() {
                return Err(why);
            }
            if !std::mem::replace(&mut self.told.0, true) {
                self.complain(&format!(
                    "{why}; the run continues, and headcount tries again"
                ));
            }
            if !self.ending.has_begun() {
                thread::sleep(AGAIN);
            }
        }
    }

    fn send(&self, body: &[u8]) -> Sent {
        let request = self.client.post(self.url.clone()).body(body.to_vec());
        let sent = self.runtime.block_on(async {
            let response = request.send().await?;
            let status = response.status();
            beginning(response).await.map(|text| (status, text))
        });
        let (status, text) = match sent {
            Ok(response) => response,
            Err(error) => return Sent::Failed(reason(error)),
        };
        let why = format!(
            "the server responded {status} {}",
            shorten(text.trim(), SHOWN)
        );
        let why = why.trim_end().to_owned();
        match status {
            _ if status.is_success() => Sent::Accepted,
            StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT => Sent::Failed(why),
            _ if status.is_server_error() => Sent::Failed(why),
            StatusCode::UNAUTHORIZED
            | StatusCode::FORBIDDEN
            | StatusCode::NOT_FOUND
            | StatusCode::METHOD_NOT_ALLOWED => Sent::Forbidden(why),
            _ if status.is_client_error() => Sent::Refused(why),
            _ => Sent::Forbidden(why), // a redirect, to which no credentials are sent
        }
    }

    fn complain(&self, what: &str) {
        complain(&self.name, what);
    }
}

/// Says what happened to an output, in place of the live line.
pub(super) fn complain(name: &str, what: &str) {
    erase_live_line();
    screen::complain(&anyhow::anyhow!("--output {name}: {what}"));
}

/// Reads the whole response, and returns its beginning.
async fn beginning(mut response: Response) -> reqwest::Result<String> {
    let mut text = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        let room = READ.saturating_sub(text.len());
        text.extend_from_slice(&chunk[..chunk.len().min(room)]);
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn client_for(url: &Url, headers: HeaderMap) -> anyhow::Result<Client> {
    let client = Client::builder()
        .default_headers(headers)
        .timeout(LIMIT)
        .redirect(redirect::Policy::none());
    // A proxy cannot reach this machine.
    let is_here = match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    };
    let client = if is_here { client.no_proxy() } else { client };
    client.build().context("cannot prepare requests")
}

/// The innermost cause of an error, such as `Connection refused`. The URL may have credentials, so it is left out.
fn reason(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut cause: &dyn Error = &error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
