use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::refusal::Refusal;
use super::reply::{self, Reply};
use crate::service::Service;
use crate::sessions::{Past, Session, Shared};

/// Maximum number of searches of a connection. At this number, the service stops reading.
const SEARCHES: usize = 4;

/// Searches for sessions in the table of all workers. They take a moment, but their replies keep the order of the client's
/// messages.
#[derive(Debug, Default)]
pub(super) struct Search {
    queue: Option<UnboundedSender<String>>,
    /// Number of searches without a reply so far.
    open: usize,
}

impl Search {
    pub(super) fn is_idle(&self) -> bool {
        self.open == 0
    }

    pub(super) fn is_full(&self) -> bool {
        self.open >= SEARCHES
    }

    /// Searches for a session. The reply arrives in the inbox.
    pub(super) fn start(
        &mut self,
        id: String,
        shared: &Arc<Shared>,
        service: &Arc<Service>,
        session: Arc<Session>,
    ) {
        let queue = self.queue.get_or_insert_with(|| {
            let (queue, ids) = unbounded_channel();
            let (shared, service) = (shared.clone(), service.clone());
            tokio::spawn(search(ids, shared, service, session));
            queue
        });
        if queue.send(id).is_ok() {
            self.open += 1;
        }
    }

    /// A reply has arrived.
    pub(super) fn found(&mut self) {
        self.open -= 1;
    }
}

/// Searches for one session after the other, until the connection ends.
async fn search(
    mut ids: UnboundedReceiver<String>,
    shared: Arc<Shared>,
    service: Arc<Service>,
    session: Arc<Session>,
) {
    while let Some(id) = ids.recv().await {
        let found = if *session.id == *id {
            None
        } else {
            take(&id, &shared, &service).await
        };
        let reply = if let Some(past) = found {
            recovered(&service, &id, &past)
        } else {
            service.counters.errors.inc();
            session.errors.fetch_add(1, Ordering::Relaxed);
            reply::error(&Refusal::SessionNotFound)
        };
        session.inbox.found(reply);
    }
}

/// Takes a session, if nobody on any worker has taken it.
async fn take(id: &str, shared: &Shared, service: &Service) -> Option<Past> {
    let sessions = &service.sessions;
    let taken = shared.recover(id, sessions.knows(id)).await;
    let taken = taken.unwrap_or_else(|error| {
        tracing::warn!(%error, "the session table cannot be reached");
        None
    });
    // The figures of this worker are newer than those in the table.
    let past = taken?;
    sessions.recover(id).or(past)
}

/// The reply with the figures of a recovered session.
pub(super) fn recovered(service: &Service, id: &str, past: &Past) -> String {
    service.counters.recovered.inc();
    let reply = Reply::SessionRecovered {
        previous_session_id: id,
        previous_metrics: &past.metrics,
        text: &past.text,
        message: "Session recovered",
    };
    reply.write()
}
