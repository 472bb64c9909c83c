use std::sync::atomic::AtomicI64;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// What the editor counts. Clones count together.
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
    /// Shows them in `/metrics`.
    pub(crate) fn register(&self, registry: &mut Registry) {
        let counters = [
            ("edits", "Texts that were taken", &self.edits),
            ("carets", "Moves of carets that were taken", &self.carets),
            (
                "deliveries",
                "Packets times those who were to get them",
                &self.deliveries,
            ),
            ("refusals", "Events that were refused", &self.refusals),
            (
                "lines_too_slow",
                "Receivers cut off because they did not keep up",
                &self.too_slow,
            ),
            ("runs", "Programs that were run", &self.runs),
            ("saved", "Updates that were saved", &self.saved),
            (
                "compactions",
                "Long logs of rooms that became short",
                &self.compactions,
            ),
            (
                "store_failures",
                "Times that the store refused",
                &self.store_failures,
            ),
            (
                "settled",
                "Members who got the document because their text may have differed",
                &self.settled,
            ),
        ];
        for (name, help, counter) in counters {
            registry.register(format!("editor_{name}"), help, counter.clone());
        }
        let gauges = [
            ("visits", "Clients of Socket.IO", &self.visits),
            ("rooms", "Rooms that somebody is in", &self.rooms),
        ];
        for (name, help, gauge) in gauges {
            registry.register(format!("editor_{name}"), help, gauge.clone());
        }
    }
}
