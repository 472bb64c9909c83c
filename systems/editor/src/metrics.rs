use std::sync::atomic::AtomicI64;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// The counters of the editor. Clones share the same values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counters {
    pub(crate) edits: Counter,
    pub(crate) carets: Counter,
    pub(crate) deliveries: Counter,
    pub(crate) refusals: Counter,
    pub(crate) too_slow: Counter,
    pub(crate) settled: Counter,
    pub(crate) saved: Counter,
    pub(crate) compactions: Counter,
    pub(crate) runs: Counter,
    pub(crate) store_failures: Counter,
    pub(crate) visits: Gauge<i64, AtomicI64>,
    pub(crate) rooms: Gauge<i64, AtomicI64>,
}

impl Counters {
    /// Registers the counters for `/metrics`.
    pub(crate) fn register(&self, registry: &mut Registry) {
        let counters = [
            ("edits", "Accepted edits of the whole text", &self.edits),
            ("carets", "Accepted caret moves", &self.carets),
            (
                "deliveries",
                "Messages sent, counted once per recipient",
                &self.deliveries,
            ),
            ("refusals", "Refused events", &self.refusals),
            (
                "lines_too_slow",
                "Clients disconnected because they did not keep up",
                &self.too_slow,
            ),
            ("runs", "Programs run", &self.runs),
            ("saved", "Saved updates", &self.saved),
            (
                "compactions",
                "Room logs that were compacted",
                &self.compactions,
            ),
            (
                "store_failures",
                "Failed operations of the store",
                &self.store_failures,
            ),
            (
                "settled",
                "Documents sent to members whose text may have differed",
                &self.settled,
            ),
        ];
        for (name, help, counter) in counters {
            registry.register(format!("editor_{name}"), help, counter.clone());
        }
        let gauges = [
            ("visits", "Socket.IO clients", &self.visits),
            ("rooms", "Open rooms", &self.rooms),
        ];
        for (name, help, gauge) in gauges {
            registry.register(format!("editor_{name}"), help, gauge.clone());
        }
    }
}
