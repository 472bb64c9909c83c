use std::convert::Infallible;
use std::sync::Arc;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::watch;

use super::enumerate::filter;
use crate::filter::Filter;
use crate::refusal::Refusal;
use crate::registration::Change;
use crate::registry::Registry;
use crate::tenant::Tenant;

/// An open stream of changes.
struct Watching {
    changes: Receiver<Arc<Change>>,
    filter: Filter,
    stopping: watch::Receiver<bool>,
    greeted: bool,
    _place: watch::Receiver<()>,
}

/// Streams the changes of registrations as server-sent events. A watcher that is too slow to follow is told how many
/// changes it missed.
pub(super) fn open(
    registry: &Registry,
    tenant: &Tenant,
    wanted: Option<&str>,
) -> Result<Response, Refusal> {
    let invalid = |error: serde_json::Error| Refusal::InvalidQuery(format!("`filter`: {error}"));
    let wanted: Option<Value> = wanted
        .map(serde_json::from_str)
        .transpose()
        .map_err(invalid)?;
    let watching = Watching {
        _place: tenant.place()?,
        changes: tenant.view.watch(),
        filter: filter(wanted.as_ref())?,
        stopping: registry.stopping(),
        greeted: false,
    };
    let events = unfold(watching, async |mut watching| {
        let event = watching.next().await?;
        Some((Ok::<_, Infallible>(event), watching))
    });
    Ok(Sse::new(events)
        .keep_alive(KeepAlive::default())
        .into_response())
}

impl Watching {
    async fn next(&mut self) -> Option<Event> {
        if !self.greeted {
            self.greeted = true;
            return Some(Event::default().event("ready").data("{}"));
        }
        loop {
            let received = tokio::select! {
                received = self.changes.recv() => received,
                // An error means that the registry is gone, which is also a stop.
                _ = self.stopping.wait_for(|stopping| *stopping) => return None,
            };
            match received {
                Ok(change) if self.filter.matches(&change.registration.metadata) => {
                    return Some(event(&change));
                }
                Ok(_) => {}
                Err(RecvError::Lagged(missed)) => {
                    let data = json!({ "type": "missed", "changes": missed });
                    return Some(Event::default().event("missed").data(data.to_string()));
                }
                Err(RecvError::Closed) => return None,
            }
        }
    }
}

fn event(change: &Change) -> Event {
    let registration = &change.registration;
    let data = json!({
        "type": change.kind,
        "identity": registration.identity,
        "metadata": *registration.metadata,
        "registered_at": registration.registered_at,
        "expires_at": registration.expires_at,
        "generation": registration.generation,
    });
    Event::default()
        .id(registration.generation.to_string())
        .event(change.kind.word())
        .data(data.to_string())
}
