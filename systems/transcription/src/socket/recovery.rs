use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::refusal::Refusal;
use super::reply::{self, Reply};
use crate::service::Service;
use crate::sessions::{Past, Session, Shared};

/// A search for a session on other nodes. A connection has at most one at a time.
#[derive(Debug, Default)]
pub(super) struct Search(Arc<()>);

impl Search {
    pub(super) fn is_running(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// Searches the table of all workers, and posts the reply to the session.
    pub(super) fn start(
        &self,
        id: String,
        shared: Arc<Shared>,
        service: Arc<Service>,
        session: Arc<Session>,
    ) {
        let running = self.0.clone();
        tokio::spawn(async move {
            let found = shared.recover(&id).await.unwrap_or_else(|error| {
                tracing::warn!(%error, "the session table cannot be reached");
                None
            });
            let reply = if let Some(past) = found {
                recovered(&service, &id, &past)
            } else {
                service.counters.errors.inc();
                session.errors.fetch_add(1, Ordering::Relaxed);
                reply::error(&Refusal::SessionNotFound)
            };
            // The connection may have ended meanwhile.
            session.inbox.post(reply);
            drop(running);
        });
    }
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
