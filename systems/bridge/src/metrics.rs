use std::sync::atomic::AtomicI64;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// The bridge's counters and gauges. Clones share the same values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counters {
    pub(crate) messages: Counter,
    pub(crate) deliveries: Counter,
    pub(crate) refusals: Counter,
    pub(crate) too_slow: Counter,
    pub(crate) silent: Counter,
    pub(crate) agent_failures: Counter,
    pub(crate) sessions: Gauge<i64, AtomicI64>,
    pub(crate) sockets: Gauge<i64, AtomicI64>,
}

impl Counters {
    /// Registers all metrics for `/metrics`.
    pub(crate) fn register(&self, registry: &mut Registry) {
        let counters = [
            ("messages", "Accepted messages", &self.messages),
            (
                "deliveries",
                "Deliveries of messages to the listeners of their rooms",
                &self.deliveries,
            ),
            (
                "refusals",
                "Refused requests and WebSocket messages",
                &self.refusals,
            ),
            (
                "sockets_too_slow",
                "WebSockets closed because their queue was full",
                &self.too_slow,
            ),
            (
                "sockets_silent",
                "WebSockets closed because the client did not respond to a ping",
                &self.silent,
            ),
            (
                "agent_failures",
                "Requests to the agent that failed",
                &self.agent_failures,
            ),
        ];
        for (name, help, counter) in counters {
            registry.register(format!("bridge_{name}"), help, counter.clone());
        }
        let gauges = [
            ("sessions", "Open sessions", &self.sessions),
            ("sockets", "Open WebSockets", &self.sockets),
        ];
        for (name, help, gauge) in gauges {
            registry.register(format!("bridge_{name}"), help, gauge.clone());
        }
    }
}
