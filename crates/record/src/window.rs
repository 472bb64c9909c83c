use model::Nanos;
use serde::{Deserialize, Serialize};
use stats::{Histogram, estimate};

/// One second of a level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// Start in seconds since the start of the level, including ramp-up and warm-up.
    pub start_s: f64,
    /// Number of users present.
    pub users: u64,
    /// Number of requests that ended.
    pub requests: u64,
    /// Number of requests and round trips that failed.
    pub failed: u64,
    /// Number of round trips that ended.
    pub round_trips: u64,
    /// Number of messages sent.
    pub messages: u64,
    /// Number of deliveries received.
    pub deliveries: u64,
    /// Median of the delivery latency in milliseconds. Without deliveries, median of the response time. The percentiles
    /// and the maximum below refer to the same quantity.
    pub p50_ms: Option<f64>,
    /// 95th percentile. Every percentile is `None` if there are too few samples, or if it lies among timeouts.
    pub p95_ms: Option<f64>,
    /// 99th percentile.
    pub p99_ms: Option<f64>,
    /// Maximum. `None` if an operation timed out, because its time is longer but unknown.
    pub max_ms: Option<f64>,
}

/// A window that is still being measured. Unlike a [`Window`], it can be merged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OpenWindow {
    /// Number of users present.
    pub users: u64,
    /// Number of requests that ended.
    pub requests: u64,
    /// Number of requests and round trips that failed.
    pub failed: u64,
    /// Number of round trips that ended.
    pub round_trips: u64,
    /// Number of messages sent.
    pub messages: u64,
    /// Number of deliveries received.
    pub deliveries: u64,
    /// Number of requests and round trips that timed out. A timeout ranks above all times in `response`.
    pub timed_out: u64,
    /// Response times of requests and round trips that received a response.
    pub response: Histogram,
    /// Delivery latencies.
    pub latency: Histogram,
}

impl OpenWindow {
    /// Adds the measurements of another worker for the same second.
    pub fn merge(&mut self, other: &Self) {
        self.users += other.users;
        self.requests += other.requests;
        self.failed += other.failed;
        self.round_trips += other.round_trips;
        self.messages += other.messages;
        self.deliveries += other.deliveries;
        self.timed_out += other.timed_out;
        self.response.merge(&other.response);
        self.latency.merge(&other.latency);
    }

    /// Returns the times that the percentiles of the window describe, and the number of operations that timed out,
    /// which rank above these times.
    pub fn times(&self) -> (&Histogram, u64) {
        if self.latency.is_empty() {
            (&self.response, self.timed_out)
        } else {
            (&self.latency, 0)
        }
    }

    /// Returns the figures of the window, which starts at `start_s`.
    pub fn close(&self, start_s: f64) -> Window {
        let (times, beyond) = self.times();
        let at = |q| estimate(times, beyond, q).value();
        let at = |q| at(q).map(Nanos::as_millis_f64);
        let longest = times.max().filter(|_| beyond == 0);
        Window {
            start_s,
            users: self.users,
            requests: self.requests,
            failed: self.failed,
            round_trips: self.round_trips,
            messages: self.messages,
            deliveries: self.deliveries,
            p50_ms: at(0.5),
            p95_ms: at(0.95),
            p99_ms: at(0.99),
            max_ms: longest.map(Nanos::as_millis_f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_timed_out_is_longer_than_every_time() {
        let mut window = OpenWindow::default();
        for _ in 0..1000 {
            window.response.record(Nanos::from_millis(5));
        }
        window.timed_out = 30;
        let closed = window.close(0.0);
        assert!((closed.p50_ms.unwrap() - 5.0).abs() < 0.01);
        assert!((closed.p95_ms.unwrap() - 5.0).abs() < 0.01);
        assert_eq!((closed.p99_ms, closed.max_ms), (None, None));
    }
}
