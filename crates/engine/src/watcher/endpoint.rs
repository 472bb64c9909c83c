//! Queries the target's Prometheus endpoint on a separate thread, so that a slow response delays neither control nor a
//! worker.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use model::{Fault, FaultKind, Nanos};
use plan::Watch;
use probe::Exposition;
use url::Url;
use wire::TlsSettings;

use super::sampling::EVERY;
use crate::ask::{Limits, get_within};
use crate::clock::Clock;
use crate::config::RunConfig;

/// The time limit is less than a second, so that the next query is not late.
const LIMITS: Limits = Limits {
    time: Nanos::from_millis(800),
    bytes: 16 << 20,
};

/// The URL of the target's metrics, and the names of the metrics to store.
#[derive(Clone, Debug)]
pub(super) struct Endpoint {
    url: Url,
    watch: Watch,
    allow_any: bool,
    tls: TlsSettings,
    clock: Clock,
}

/// One response, or the reason why there is none.
#[derive(Debug)]
pub(super) struct Answer {
    /// The middle of the time between query and response.
    pub(super) at: Nanos,
    pub(super) result: Result<Exposition, Fault>,
}

impl Endpoint {
    /// Creates the endpoint that the scenario names; `None` if it names none.
    pub(super) fn of(config: &RunConfig, clock: Clock, tls: &TlsSettings) -> Option<Self> {
        let watch = config.options.watch.clone();
        let url = config.target.join(watch.metrics.as_deref()?).ok()?;
        Some(Self {
            url,
            watch,
            allow_any: config.target_is_mine,
            tls: tls.clone(),
            clock,
        })
    }

    pub(super) fn url(&self) -> &Url {
        &self.url
    }

    pub(super) fn watch(&self) -> &Watch {
        &self.watch
    }

    /// The name of a target that is known only by its endpoint.
    pub(super) fn name(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        match self.url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }

    /// Queries once. A response without a single sample is an error.
    pub(super) fn ask(&self) -> Result<Exposition, Fault> {
        let response = get_within(LIMITS, &self.url, self.allow_any, &self.tls, self.clock)?;
        if response.status != 200 {
            let detail = format!("HTTP status {} instead of metrics", response.status);
            return Err(Fault::target(FaultKind::Protocol, detail));
        }
        let found = Exposition::parse(&String::from_utf8_lossy(&response.body));
        if found.samples.is_empty() {
            let detail = "the response is not in the Prometheus text format";
            return Err(Fault::target(FaultKind::Protocol, detail));
        }
        Ok(found)
    }

    fn answer(&self) -> Answer {
        let before = self.clock.now();
        let result = self.ask();
        let took = self.clock.now() - before;
        Answer {
            at: before + Nanos(took.0 / 2),
            result,
        }
    }
}

/// Queries every second until it is dropped.
#[derive(Debug)]
pub(super) struct Asker {
    endpoint: Endpoint,
    answers: Receiver<Answer>,
    /// Dropping this sender ends the thread.
    _going: Sender<()>,
    _thread: JoinHandle<()>,
}

impl Asker {
    pub(super) fn start(endpoint: Endpoint) -> std::io::Result<Self> {
        let (going, stop) = channel();
        let (tell, answers) = channel();
        let asked = endpoint.clone();
        let thread = thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || ask_on(&asked, &stop, &tell))?;
        Ok(Self {
            endpoint,
            answers,
            _going: going,
            _thread: thread,
        })
    }

    pub(super) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The responses since the last call.
    pub(super) fn answers(&self) -> impl Iterator<Item = Answer> {
        self.answers.try_iter()
    }
}

fn ask_on(endpoint: &Endpoint, stop: &Receiver<()>, tell: &Sender<Answer>) {
    let mut due = endpoint.clock.now();
    loop {
        if tell.send(endpoint.answer()).is_err() {
            return;
        }
        // Queries are due every second, however long a response takes. Missed queries are skipped.
        let now = endpoint.clock.now();
        while due <= now {
            due += EVERY;
        }
        if stop.recv_timeout(Duration::from(due - now)) != Err(RecvTimeoutError::Timeout) {
            return;
        }
    }
}
