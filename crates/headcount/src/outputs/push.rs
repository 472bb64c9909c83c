//! Sends the seconds of a run to a server.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime};

use anyhow::Context as _;
use engine::{Clock, Second};
use format::{plural, shorten};
use model::without_credentials;
use reqwest::header::HeaderMap;
use reqwest::{Client, StatusCode, redirect};
use tokio::runtime::{Builder, Runtime};
use url::{Host, Url};

use crate::screen::complain;

/// Number of seconds that wait while the server does not respond. Later ones are not sent.
const WAITING: usize = 3600;
/// Maximum number of seconds per request.
const BATCH: usize = 60;
/// Time limit of a request. The program waits for the last one at the end of the run.
const LIMIT: Duration = Duration::from_secs(5);
/// Pause before a failed request is repeated.
const AGAIN: Duration = Duration::from_secs(1);

/// Maximum length of a server's explanation that is shown.
const SHOWN: usize = 200;

/// A protocol by which a server takes metrics.
pub(super) trait Protocol: fmt::Debug + Send {
    /// The headers of every request.
    fn headers(&self) -> HeaderMap;
    /// Encodes seconds that follow those of earlier requests.
    fn body(&mut self, seconds: &[TimedSecond]) -> anyhow::Result<Vec<u8>>;
}

/// A second, and when it ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimedSecond {
    pub(super) second: Second,
    pub(super) end: SystemTime,
}

/// Sends seconds to a server from a thread of its own. Dropping it sends the rest.
#[derive(Debug)]
pub(super) struct Pusher {
    seconds: Option<SyncSender<TimedSecond>>,
    thread: Option<JoinHandle<()>>,
    ending: Arc<AtomicBool>,
    /// The running level and its start.
    level: Option<(u32, SystemTime)>,
    /// Number of seconds for which there was no room.
    dropped: u64,
    clock: Clock,
    /// The output as text, for messages.
    name: String,
}

impl Pusher {
    /// `name` is the output as the user wrote it, for messages.
    pub(super) fn open(
        name: &str,
        clock: Clock,
        url: Url,
        protocol: Box<dyn Protocol>,
    ) -> anyhow::Result<Self> {
        let client = client_for(&url, protocol.headers())?;
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (seconds, queue) = sync_channel(WAITING);
        let ending = Arc::<AtomicBool>::default();
        let mut link = Link {
            name: without_credentials(name).into_owned(),
            url,
            client,
            runtime,
            ending: ending.clone(),
            failing: false,
        };
        let name = link.name.clone();
        let thread = thread::Builder::new()
            .name("push".to_owned())
            .spawn(move || link.run(&queue, protocol))?;
        Ok(Self {
            seconds: Some(seconds),
            thread: Some(thread),
            ending,
            level: None,
            dropped: 0,
            clock,
            name,
        })
    }

    /// Queues a second. Never waits.
    pub(super) fn push(&mut self, second: &Second) {
        let end = self.end_of(second, self.clock.wall());
        let second = TimedSecond {
            second: *second,
            end,
        };
        if let Some(seconds) = &self.seconds
            && matches!(seconds.try_send(second), Err(TrySendError::Full(_)))
        {
            self.dropped += 1;
        }
    }

    /// The time at which a second ended. The first second of a level tells when the level began, so the others are exactly
    /// a second apart.
    fn end_of(&mut self, second: &Second, now: SystemTime) -> SystemTime {
        let after = Duration::from_secs_f64(second.window.start_s.max(0.0) + 1.0);
        let start = match self.level {
            Some((level, start)) if level == second.level => start,
            _ => now - after,
        };
        self.level = Some((second.level, start));
        start + after
    }
}

impl Drop for Pusher {
    fn drop(&mut self) {
        self.ending.store(true, Ordering::Relaxed);
        self.seconds = None;
        if let Some(thread) = self.thread.take() {
            // A panic was reported when it happened.
            let _ = thread.join();
        }
        if self.dropped > 0 {
            let seconds = plural(self.dropped, "second");
            let name = &self.name;
            complain(&anyhow::anyhow!(
                "--output {name}: {seconds} were not sent, because the server did not respond for too long"
            ));
        }
    }
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

/// The connection to the server.
struct Link {
    name: String,
    url: Url,
    client: Client,
    runtime: Runtime,
    /// Whether the run has ended.
    ending: Arc<AtomicBool>,
    /// Whether the user knows that requests fail.
    failing: bool,
}

/// How a request ended.
enum Sent {
    Accepted,
    /// The same request may succeed later.
    Failed(String),
    /// The server will never accept the request.
    Refused(String),
}

impl Link {
    /// Sends what is queued until the run ends or the server refuses a request.
    fn run(&mut self, queue: &Receiver<TimedSecond>, mut protocol: Box<dyn Protocol>) {
        while let Ok(first) = queue.recv() {
            let mut batch = vec![first];
            batch.extend(queue.try_iter().take(BATCH - 1));
            let body = protocol.body(&batch).map_err(|error| format!("{error:#}"));
            if let Err(why) = body.and_then(|body| self.deliver(&body)) {
                let unsent = batch.len() + queue.try_iter().count();
                self.complain(&format!(
                    "{why}; {} not sent",
                    plural(unsent as u64, "second")
                ));
                return;
            }
        }
    }

    /// Sends a request until the server accepts it. Fails if the server refuses it, or at the end of the run.
    fn deliver(&mut self, body: &[u8]) -> Result<(), String> {
        loop {
            let why = match self.send(body) {
                Sent::Accepted => {
                    self.failing = false;
                    return Ok(());
                }
                Sent::Refused(why) => return Err(why),
                Sent::Failed(why) => why,
            };
            if self.ending.load(Ordering::Relaxed) {
                return Err(why);
            }
            if !self.failing {
                self.failing = true;
                self.complain(&format!(
                    "{why}; the run continues, and headcount tries again"
                ));
            }
            thread::sleep(AGAIN);
        }
    }

    fn send(&self, body: &[u8]) -> Sent {
        let request = self.client.post(self.url.clone()).body(body.to_vec());
        let sent = self.runtime.block_on(async {
            let response = request.send().await?;
            let status = response.status();
            response.text().await.map(|text| (status, text))
        });
        let (status, text) = match sent {
            Ok(answer) => answer,
            Err(error) => return Sent::Failed(reason(error)),
        };
        if status.is_success() {
            return Sent::Accepted;
        }
        let text = shorten(text.trim(), SHOWN);
        let why = format!("the server responded {status} {text}");
        if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
            Sent::Failed(why)
        } else {
            Sent::Refused(why)
        }
    }

    fn complain(&self, what: &str) {
        complain(&anyhow::anyhow!("--output {}: {what}", self.name));
    }
}

/// The innermost cause of an error, such as `Connection refused`. The URL may have credentials, so it is left out.
fn reason(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut cause: &dyn std::error::Error = &error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use record::Window;

    use super::*;

    #[test]
    fn seconds_of_a_level_end_exactly_one_second_apart() {
        let (seconds, _queue) = sync_channel(1);
        let mut pusher = Pusher {
            seconds: Some(seconds),
            thread: None,
            ending: Arc::default(),
            level: None,
            dropped: 0,
            clock: Clock::start(),
            name: String::new(),
        };
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1000);
        let mut end = |level, start_s, late_ms| {
            let second = Second {
                level,
                window: Window {
                    start_s,
                    ..Window::default()
                },
                busiest_worker_percent: None,
            };
            let now = now + Duration::from_millis(late_ms);
            let end = pusher.end_of(&second, now);
            end.duration_since(SystemTime::UNIX_EPOCH)
                .unwrap()
                .as_millis()
        };
        assert_eq!(end(1, 0.0, 0), 1_000_000);
        assert_eq!(end(1, 1.0, 1700), 1_001_000, "reported late");
        assert_eq!(end(1, 2.0, 1701), 1_002_000);
        assert_eq!(end(2, 0.0, 9000), 1_009_000, "the next level");
    }
}
