use std::sync::atomic::{AtomicI64, AtomicU64};

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// The labels of a response: its operation and status.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct Answered {
    pub(crate) operation: &'static str,
    pub(crate) status: u16,
}

/// Metrics of the hashing threads. Clones share the same values.
#[derive(Clone, Debug, Default)]
pub(crate) struct HashCounters {
    pub(crate) waiting: Gauge<i64, AtomicI64>,
    pub(crate) hashed: Counter,
    pub(crate) refused: Counter,
    pub(crate) abandoned: Counter,
    pub(crate) busy: Counter<f64, AtomicU64>,
}

/// Metrics of the marketplace. Clones share the same values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counters {
    pub(crate) answers: Family<Answered, Counter>,
    pub(crate) hash: HashCounters,
    pub(crate) notifications: Counter,
    pub(crate) lost_on_order: Counter,
    pub(crate) pushed: Counter,
    pub(crate) sent: Counter,
    pub(crate) send_failures: Counter,
    pub(crate) retries: Counter,
    pub(crate) replays: Counter,
    pub(crate) streams: Gauge<i64, AtomicI64>,
}

impl Counters {
    /// Registers the metrics for `/metrics`.
    pub(crate) fn register(&self, registry: &mut Registry) {
        registry.register(
            "marketplace_answers",
            "Responses, by operation and status",
            self.answers.clone(),
        );
        let counters = [
            ("hashes", "Passwords hashed or checked", &self.hash.hashed),
            (
                "hashes_refused",
                "Passwords refused because the queue was full or slow",
                &self.hash.refused,
            ),
            (
                "hashes_abandoned",
                "Passwords not hashed because their request was gone",
                &self.hash.abandoned,
            ),
            (
                "notifications",
                "Notifications written",
                &self.notifications,
            ),
            (
                "notifications_lost_on_order",
                "Notifications omitted by the injected fault `--lose-accepted`",
                &self.lost_on_order,
            ),
            (
                "notifications_pushed",
                "Notifications pushed into streams",
                &self.pushed,
            ),
            (
                "outbox_sent",
                "Notifications sent by webhook or Telegram",
                &self.sent,
            ),
            (
                "outbox_failures",
                "Failed attempts to send a notification",
                &self.send_failures,
            ),
            (
                "transactions_retried",
                "Transactions repeated after a conflict",
                &self.retries,
            ),
            (
                "replays",
                "Stored responses returned for a repeated idempotency key",
                &self.replays,
            ),
        ];
        for (name, help, counter) in counters {
            registry.register(format!("marketplace_{name}"), help, counter.clone());
        }
        self.register_gauges(registry);
        let busy = "Time spent hashing; equal to the CPU time if each hashing thread has a core";
        registry.register("marketplace_hash_seconds", busy, self.hash.busy.clone());
    }

    fn register_gauges(&self, registry: &mut Registry) {
        let gauges = [
            (
                "hashes_waiting",
                "Passwords waiting to be hashed",
                &self.hash.waiting,
            ),
            ("streams", "Open streams of notifications", &self.streams),
        ];
        for (name, help, gauge) in gauges {
            registry.register(format!("marketplace_{name}"), help, gauge.clone());
        }
    }
}
