//! The live page (`--ui`): the report of the run while it is in progress, with a button that ends the run.

mod address;
mod follow;
mod guard;
mod site;

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use engine::{Notice, Stop};
use report::LiveEnd;
use tokio::sync::mpsc::{Sender, channel as events};

pub(crate) use address::UiAddress;

use self::follow::{Event, Followed};
use self::guard::Token;
use super::local_server::{LocalServer, Port};

/// Number of events that may wait for the thread of the page. There are a few each second, so this many wait only if the
/// thread never runs. The run does not wait for it: further events are missing on the page.
const WAITING: usize = 10_000;

/// Longest time for a page that is open to ask for the last update. It asks at once.
const LAST_UPDATE: Duration = Duration::from_millis(250);

/// The live page of one run.
#[derive(Debug)]
pub(super) struct LivePage {
    url: String,
    token: Token,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Before the run.
    Open(Port),
    Serving {
        events: Sender<Event>,
        /// Told when a page that is open has received the last update.
        done: Receiver<()>,
        server: LocalServer,
    },
    Closed,
}

impl LivePage {
    /// Reserves the port, so that a port in use is an error before any load.
    pub(super) fn open(address: UiAddress) -> anyhow::Result<Self> {
        let port = Port::open(address.0)?;
        let token = Token::random()?;
        Ok(Self {
            url: format!("http://{}/{}/", port.address(), token.as_str()),
            token,
            state: State::Open(port),
        })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Starts to serve the page of a run, which its button ends through `stop`.
    pub(super) fn begin(&mut self, stop: &Stop) -> anyhow::Result<()> {
        let State::Open(port) = std::mem::replace(&mut self.state, State::Closed) else {
            return Ok(()); // it serves already
        };
        let (events, coming) = events(WAITING);
        let (told, done) = channel();
        let followed = Followed::new(stop, told);
        let router = site::router(self.token.clone(), followed.clone());
        let server = port.serve("live page", router, followed.follow(coming))?;
        self.state = State::Serving {
            events,
            done,
            server,
        };
        Ok(())
    }

    /// Shows a notice. Never waits.
    pub(super) fn notice(&self, notice: Notice) {
        if !matches!(notice, Notice::Log(..)) {
            self.send(Event::Notice(notice));
        }
    }

    /// Shows the verdict. Never waits.
    pub(super) fn end(&self, end: LiveEnd) {
        self.send(Event::Ended(end));
    }

    /// Shows the path of the report to pages that are open, and ends the server. Waits a fraction of a second at most.
    pub(super) fn close(&mut self, report: Option<String>) {
        self.send(Event::Saved(report));
        let state = std::mem::replace(&mut self.state, State::Closed);
        if let State::Serving { done, server, .. } = state {
            let _ = done.recv_timeout(LAST_UPDATE); // the page misses it, and the run ends
            server.close();
        }
    }

    fn send(&self, event: Event) {
        if let State::Serving { events, .. } = &self.state {
            let _ = events.try_send(event); // the page misses it, and the run continues
        }
    }
}
