use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use axum::http::{Extensions, HeaderMap};
use kit::fault::Faults;
use kit::network::{Networks, Peer, client};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::agent::{Agent, Question};
use crate::config::{Config, Times};
use crate::house::{House, Moment};
use crate::metrics::Counters;
use crate::refusal::Refusal;

/// The state that all requests and connections share.
#[derive(Debug)]
pub(crate) struct Bridge {
    house: Mutex<House>,
    pub(crate) times: Times,
    /// Maximum number of messages queued for one WebSocket.
    pub(crate) queue: u32,
    /// Maximum size of a body or WebSocket message, in bytes.
    pub(crate) max_body: u32,
    pub(crate) agent: Agent,
    pub(crate) faults: Option<Arc<Faults>>,
    pub(crate) counters: Counters,
    /// Each WebSocket holds a receiver of this channel, so that shutdown can wait for the last one to close.
    pub(crate) sockets: watch::Sender<()>,
    proxies: Networks,
}

impl Bridge {
    pub(crate) fn new(config: &Config, agent: Agent, faults: Option<Arc<Faults>>) -> Self {
        let counters = Counters::default();
        Self {
            house: Mutex::new(House::new(&config.limits, counters.clone())),
            times: config.times.clone(),
            queue: config.limits.queue,
            max_body: config.limits.max_body,
            agent,
            faults,
            counters,
            sockets: watch::Sender::new(()),
            proxies: config.trusted_proxies.clone(),
        }
    }

    /// Returns the client's address. If the peer is a trusted proxy, the address comes from `X-Forwarded-For`.
    pub(crate) fn address_of(&self, extensions: &Extensions, headers: &HeaderMap) -> IpAddr {
        client(Peer::of(extensions), headers, &self.proxies)
    }

    /// Locks the state. Never hold the guard across an `await`: every request and connection needs this lock.
    pub(crate) fn house(&self) -> MutexGuard<'_, House> {
        self.house.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends `text` to a remote agent and returns its reply. Returns `None` if the built-in persona is configured; the
    /// caller then computes its reply.
    pub(crate) async fn ask(&self, session: u64, text: &str) -> Result<Option<String>, Refusal> {
        let Agent::Remote(remote) = &self.agent else {
            return Ok(None);
        };
        // Release the lock before the request, because an agent may take seconds to respond.
        let question = {
            let house = self.house();
            let known = house.known_to_agent(session);
            let (user, room, conversation) = known.ok_or(Refusal::UnknownSession)?;
            Question::new(remote.model(), user, room, conversation, text)
        };
        match remote.ask(&question).await {
            Ok(answer) => Ok(Some(answer)),
            Err(error) => {
                self.counters.agent_failures.inc();
                tracing::debug!(%error, "the agent returned no reply");
                Err(error.into())
            }
        }
    }
}

/// Returns the current time on the monotonic clock and the wall clock.
pub(crate) fn moment() -> Moment {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let millis = since.map_or(0, |since| since.as_millis());
    Moment {
        now: Instant::now(),
        at: u64::try_from(millis).unwrap_or(u64::MAX),
    }
}
