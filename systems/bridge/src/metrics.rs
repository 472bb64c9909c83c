use std::sync::atomic::AtomicI64;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// What the bridge counts. Clones count together.
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
    /// Shows them in `/metrics`.
    pub(crate) fn register(&self, registry: &mut Registry) {
        let counters = [
            ("messages", "Messages that were taken", &self.messages),
            (
                "deliveries",
                "Messages times those who were to hear them",
                &self.deliveries,
            ),
            (
                "refusals",
                "Requests and WebSocket messages that were refused",
                &self.refusals,
            ),
            (
                "sockets_too_slow",
                "WebSockets closed because they did not keep up",
                &self.too_slow,
            ),
            (
                "sockets_silent",
                "WebSockets given up because no ping was answered",
                &self.silent,
            ),
            (
                "agent_failures",
                "Questions that the agent did not answer",
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
