use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use kit::serve::Connections;
use serde_json::{Map, Value, json};
use tokio::time::{interval, timeout};

use crate::market::Market;
use crate::store::{outbox, payments};
use crate::terms::PaymentMode;

/// Interval between database checks.
const EVERY: Duration = Duration::from_secs(1);
/// Time limit of a database check.
const PATIENCE: Duration = Duration::from_secs(2);
/// Maximum number of unsent notifications. If there are more, the status is `degraded`.
const MANY: i64 = 1000;

/// The latest facts about the database. A background task queries them, so that `/healthz` never waits for the
/// database.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch(Arc<Watched>);

#[derive(Debug, Default)]
struct Watched {
    gone: AtomicBool,
    outbox: AtomicI64,
    unmatched: AtomicI64,
}

impl Watch {
    /// Queries the database periodically, forever.
    pub(crate) async fn run(self, market: Arc<Market>) {
        let mut ticks = interval(EVERY);
        loop {
            ticks.tick().await;
            let asked = timeout(PATIENCE, async {
                let mut db = market.store.read().await.ok()?;
                let waiting = outbox::waiting(&mut db).await.ok()?;
                Some((waiting, payments::count_unmatched(&mut db).await.ok()?))
            });
            let found = asked.await.ok().flatten();
            self.0.gone.store(found.is_none(), Ordering::Relaxed);
            // On failure, keep the last values, because 0 would mean that nothing is waiting.
            let Some((waiting, unmatched)) = found else {
                continue;
            };
            self.0.outbox.store(waiting, Ordering::Relaxed);
            self.0.unmatched.store(unmatched, Ordering::Relaxed);
        }
    }
}

/// The body of `/healthz`. It contains the status (`ok`, or `degraded` with reasons) and facts about each part.
pub(crate) fn health(
    market: &Market,
    watch: &Watch,
    connections: &Connections,
) -> Map<String, Value> {
    let hashing = market.hashing.state();
    let waiting = market.hashing.waiting();
    let outbox = watch.0.outbox.load(Ordering::Relaxed);
    let reasons: Vec<String> = [
        watch
            .0
            .gone
            .load(Ordering::Relaxed)
            .then(|| "the database does not respond".to_owned()),
        (waiting >= i64::from(hashing.queue))
            .then(|| format!("{waiting} passwords wait to be hashed")),
        (outbox > MANY).then(|| format!("{outbox} notifications wait to be sent")),
    ]
    .into_iter()
    .flatten()
    .collect();
    let (bypass, limits) = market.door.facts();
    let (busy, size) = market.store.connections();
    let mode = match market.terms.payment_mode {
        PaymentMode::Status => "status",
        PaymentMode::Provider => "provider",
    };
    let facts = [
        (
            "status",
            json!(if reasons.is_empty() { "ok" } else { "degraded" }),
        ),
        ("reasons", json!(reasons)),
        (
            "database",
            json!({ "kind": market.store.kind(), "connections": size, "busy": busy }),
        ),
        (
            "hashing",
            json!({
                "scheme": market.hashing.scheme(), "threads": hashing.threads, "queue": hashing.queue,
                "waiting": waiting, "cost_ms": hashing.cost.as_millis(),
            }),
        ),
        ("payment_mode", json!(mode)),
        ("rate_limits", json!(limits)),
        ("rate_limit_bypass", json!(bypass)),
        ("loses_accepted", json!(market.terms.lose_accepted)),
        ("streams", json!(market.hub.streams())),
        ("outbox", json!(outbox)),
        (
            "unmatched_events",
            json!(watch.0.unmatched.load(Ordering::Relaxed)),
        ),
        ("connections", json!(connections.open())),
    ];
    facts
        .map(|(name, value)| (name.to_owned(), value))
        .into_iter()
        .collect()
}
