use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// Upper bounds of the latency buckets in seconds.
const BUCKETS: [f64; 9] = [0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 1.0, 2.5];

/// Counters and histograms. Clones share the same values.
#[derive(Clone, Debug)]
pub(crate) struct Counters {
    pub(crate) sessions: Counter,
    pub(crate) refused: Counter,
    pub(crate) expired: Counter,
    pub(crate) recovered: Counter,
    pub(crate) chunks: Counter,
    pub(crate) audio_bytes: Counter,
    pub(crate) partials: Counter,
    pub(crate) finals: Counter,
    pub(crate) errors: Counter,
    pub(crate) dropped: Counter,
    pub(crate) slow: Counter,
    pub(crate) silent: Counter,
    pub(crate) engine_failures: Counter,
    /// From the arrival of a chunk until its reply is queued.
    pub(crate) chunk_latency: Histogram,
    /// From the arrival of a recording until its response.
    pub(crate) request_latency: Histogram,
}

impl Default for Counters {
    fn default() -> Self {
        let histogram = || Histogram::new(BUCKETS);
        Self {
            sessions: Counter::default(),
            refused: Counter::default(),
            expired: Counter::default(),
            recovered: Counter::default(),
            chunks: Counter::default(),
            audio_bytes: Counter::default(),
            partials: Counter::default(),
            finals: Counter::default(),
            errors: Counter::default(),
            dropped: Counter::default(),
            slow: Counter::default(),
            silent: Counter::default(),
            engine_failures: Counter::default(),
            chunk_latency: histogram(),
            request_latency: histogram(),
        }
    }
}

impl Counters {
    /// Registers the metrics for `/metrics`.
    pub(crate) fn register(&self, registry: &mut Registry) {
        let counters = [
            ("sessions", "Sessions created", &self.sessions),
            (
                "sessions_refused",
                "Sessions refused because of a limit",
                &self.refused,
            ),
            (
                "sessions_expired",
                "Sessions closed because they were idle",
                &self.expired,
            ),
            (
                "sessions_recovered",
                "Sessions recovered by a new connection",
                &self.recovered,
            ),
            ("chunks", "Chunks of audio received", &self.chunks),
            ("audio_bytes", "Bytes of audio received", &self.audio_bytes),
            ("partials", "Partial results", &self.partials),
            ("finals", "Final results", &self.finals),
            ("errors", "Error messages sent on WebSockets", &self.errors),
            (
                "replies_dropped",
                "Replies dropped because a client did not read",
                &self.dropped,
            ),
            (
                "slow_clients",
                "Clients disconnected because they did not read",
                &self.slow,
            ),
            (
                "silent_clients",
                "Clients disconnected because they did not answer a ping",
                &self.silent,
            ),
            (
                "engine_failures",
                "Recognitions that failed",
                &self.engine_failures,
            ),
        ];
        for (name, help, counter) in counters {
            registry.register(format!("asr_{name}"), help, counter.clone());
        }
        let latencies = [
            (
                "chunk",
                "Time from the arrival of a chunk until its reply is queued",
                &self.chunk_latency,
            ),
            (
                "request",
                "Time from the arrival of a recording until its response",
                &self.request_latency,
            ),
        ];
        for (name, help, histogram) in latencies {
            registry.register(
                format!("asr_{name}_latency_seconds"),
                help,
                histogram.clone(),
            );
        }
    }
}
