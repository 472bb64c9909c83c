use model::Nanos;
use serde::{Deserialize, Serialize};
use stats::{Histogram, estimate};

/// One second of a level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// When it began, in seconds since the start of the level's measured time.
    pub start_s: f64,
    /// Users present.
    pub users: u64,
    /// Requests that ended.
    pub requests: u64,
    /// How many of them failed.
    pub failed: u64,
    /// Exchanges that ended.
    pub exchanges: u64,
    /// Messages sent.
    pub messages: u64,
    /// Deliveries received.
    pub deliveries: u64,
    /// Of the delivery latency if there were deliveries, else of the response time; in milliseconds, like the next.
    pub p50_ms: Option<f64>,
    /// `None` when the window has too few samples for it; so for all percentiles here.
    pub p95_ms: Option<f64>,
    /// See `p95_ms`.
    pub p99_ms: Option<f64>,
    /// The longest.
    pub max_ms: Option<f64>,
}

/// A window that is still being measured: mergeable, where a [`Window`] no longer is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpenWindow {
    /// Users present.
    pub users: u64,
    /// Requests that ended.
    pub requests: u64,
    /// How many of them failed.
    pub failed: u64,
    /// Exchanges that ended.
    pub exchanges: u64,
    /// Messages sent.
    pub messages: u64,
    /// Deliveries received.
    pub deliveries: u64,
    /// Response times of requests and exchanges.
    pub response: Histogram,
    /// Delivery latencies.
    pub latency: Histogram,
}

impl OpenWindow {
    /// Adds the same window of another worker.
    pub fn merge(&mut self, other: &Self) {
        self.users += other.users;
        self.requests += other.requests;
        self.failed += other.failed;
        self.exchanges += other.exchanges;
        self.messages += other.messages;
        self.deliveries += other.deliveries;
        self.response.merge(&other.response);
        self.latency.merge(&other.latency);
    }

    /// The figures of the window, which began at `start_s`.
    pub fn close(&self, start_s: f64) -> Window {
        let times = if self.latency.is_empty() {
            &self.response
        } else {
            &self.latency
        };
        let at = |q| estimate(times, 0, q).value().map(Nanos::as_millis_f64);
        Window {
            start_s,
            users: self.users,
            requests: self.requests,
            failed: self.failed,
            exchanges: self.exchanges,
            messages: self.messages,
            deliveries: self.deliveries,
            p50_ms: at(0.5),
            p95_ms: at(0.95),
            p99_ms: at(0.99),
            max_ms: times.max().map(Nanos::as_millis_f64),
        }
    }
}
