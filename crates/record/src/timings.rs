use model::Nanos;
use serde::{Deserialize, Serialize};
use stats::{Estimate, Histogram, estimate};

/// How often one named thing was done and how long it took: a connection, request, exchange, step or condition.
///
/// `failed` is a part of `count`, `timed_out` a part of `failed`. A time is noted for everything that was answered,
/// error answers included; what timed out has no time and counts as longer than every other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timings {
    /// How many ended, well or not.
    pub count: u64,
    /// How many of them failed.
    pub failed: u64,
    /// How many had not ended when the settling time was over; not in `count`.
    pub unfinished: u64,
    /// How many of the failed had no answer within the limit.
    pub timed_out: u64,
    /// The longest limit that one of them ran into, in nanoseconds.
    pub timeout: Option<Nanos>,
    /// From the planned start to the end: what the user feels.
    pub response: Histogram,
    /// From the actual start to the end: what the target took.
    pub service: Histogram,
    /// How many were sent a second time, on a new connection, because the one that they were sent on broke before any
    /// answer although it had served others: the target may have seen them twice.
    #[serde(default)]
    pub repeated: u64,
    /// Bytes received.
    pub bytes_in: u64,
    /// Bytes sent.
    pub bytes_out: u64,
}

impl Timings {
    /// Notes one that was answered, after `response` from its planned and `service` from its actual start.
    pub fn answered(&mut self, response: Nanos, service: Nanos, failed: bool) {
        self.count += 1;
        self.failed += u64::from(failed);
        self.response.record(response);
        self.service.record(service);
    }

    /// Notes one that failed without an answer: refused, reset, not written.
    pub fn broke(&mut self) {
        self.count += 1;
        self.failed += 1;
    }

    /// Notes one that had no answer within `limit`.
    pub fn ran_out(&mut self, limit: Nanos) {
        self.broke();
        self.timed_out += 1;
        self.timeout = self.timeout.max(Some(limit));
    }

    /// Adds what another worker measured.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.failed += other.failed;
        self.unfinished += other.unfinished;
        self.timed_out += other.timed_out;
        self.timeout = self.timeout.max(other.timeout);
        self.response.merge(&other.response);
        self.service.merge(&other.service);
        self.repeated += other.repeated;
        self.bytes_in += other.bytes_in;
        self.bytes_out += other.bytes_out;
    }

    /// Quantile `q` of the response time, time-outs counted as longer than all others.
    pub fn response_at(&self, q: f64) -> Estimate {
        estimate(&self.response, self.timed_out, q)
    }

    /// Quantile `q` of the service time, time-outs counted as longer than all others.
    pub fn service_at(&self, q: f64) -> Estimate {
        estimate(&self.service, self.timed_out, q)
    }

    /// The mean response time; `None` without one, or when something timed out and its time is not known.
    pub fn mean(&self) -> Option<Nanos> {
        self.response.mean().filter(|_| self.timed_out == 0)
    }

    /// The longest response time; `None` without one, or when something timed out and the longest is not known.
    pub fn longest(&self) -> Option<Nanos> {
        self.response.max().filter(|_| self.timed_out == 0)
    }
}
