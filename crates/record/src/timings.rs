use std::borrow::Cow;

use model::Nanos;
use serde::{Deserialize, Serialize};
use stats::{Blocks, Estimate, Histogram, Samples, Shares};

/// Counts and times of all operations with one name: connections, requests, round trips, steps or conditions.
///
/// `failed` is part of `count`, and `timed_out` is part of `failed`. Every operation with a response has a time, even
/// if the response is an error. An operation that timed out has no time and ranks above all times. An operation that
/// was in flight when the level was closed ranks at its age or higher.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timings {
    /// Number of operations that ended, successfully or not.
    pub count: u64,
    /// Number of failures.
    pub failed: u64,
    /// Number of operations in flight when the level was closed, not included in `count`.
    pub unfinished: u64,
    /// Ages of unfinished operations since their planned starts. Each age is a lower bound of the response time. Empty
    /// in records of version 1.
    #[serde(default)]
    pub open: Histogram,
    /// Number of operations that received no response within the time limit.
    pub timed_out: u64,
    /// Longest time limit that an operation exceeded, in nanoseconds.
    pub timeout: Option<Nanos>,
    /// Response times: from the planned start to the end, as the user experiences them.
    pub response: Histogram,
    /// Response times of operations that failed. These times are also part of `response`. Empty in the first records of
    /// version 3, and in older ones.
    #[serde(default, skip_serializing_if = "Histogram::is_empty")]
    pub failed_response: Histogram,
    /// Service times: from the actual start to the end. This is the time that the target took.
    pub service: Histogram,
    /// Response times and timeouts over the measured time, in blocks. Empty in records of version 1.
    #[serde(default, skip_serializing_if = "Blocks::is_empty")]
    pub blocks: Blocks,
    /// Number of operations sent again on a new connection, because the reused connection closed before any response.
    /// The target may have received them twice.
    #[serde(default)]
    pub repeated: u64,
    /// Bytes received.
    pub bytes_in: u64,
    /// Bytes sent.
    pub bytes_out: u64,
}

impl Timings {
    /// Counts an operation that received a response, `response` after its planned start and `service` after its actual
    /// start.
    pub fn answered(&mut self, response: Nanos, service: Nanos, failed: bool) {
        self.count += 1;
        self.failed += u64::from(failed);
        self.response.record(response);
        self.service.record(service);
        if failed {
            self.failed_response.record(response);
        }
    }

    /// Counts an operation as failed that has been counted as successful, with this response time.
    pub fn fail_answered(&mut self, response: Nanos) {
        self.failed += 1;
        self.failed_response.record(response);
    }

    /// Counts an operation that failed without a response: refused, reset, or not sent.
    pub fn broke(&mut self) {
        self.count += 1;
        self.failed += 1;
    }

    /// Counts an operation that received no response within `limit`.
    pub fn ran_out(&mut self, limit: Nanos) {
        self.broke();
        self.timed_out += 1;
        self.timeout = self.timeout.max(Some(limit));
    }

    /// Counts an operation that is in flight when the level is closed, `age` after its planned start.
    pub fn left_open(&mut self, age: Nanos) {
        self.unfinished += 1;
        self.open.record(age);
    }

    /// Adds the measurements of another worker.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.failed += other.failed;
        self.unfinished += other.unfinished;
        self.open.merge(&other.open);
        self.timed_out += other.timed_out;
        self.timeout = self.timeout.max(other.timeout);
        self.response.merge(&other.response);
        self.failed_response.merge(&other.failed_response);
        self.service.merge(&other.service);
        self.blocks.merge(&other.blocks);
        self.repeated += other.repeated;
        self.bytes_in += other.bytes_in;
        self.bytes_out += other.bytes_out;
    }

    /// Returns quantile `q` of the response time. Operations in flight rank at their age or higher, and timeouts rank
    /// above all other operations.
    pub fn response_at(&self, q: f64) -> Estimate {
        self.samples(&self.response, &self.ages())
            .at_in(&self.blocks, q)
    }

    /// Returns the standard error of the logarithm of quantile `q` of the response time, as this run alone shows it.
    pub fn response_log_error_at(&self, q: f64) -> Option<f64> {
        self.samples(&self.response, &self.ages())
            .log_error_in(&self.blocks, q)
    }

    /// Returns quantile `q` of the service time, without a confidence interval. Operations in flight have no service
    /// time; only their number is known.
    pub fn service_at(&self, q: f64) -> Estimate {
        let open = ages_of(self.unfinished, Histogram::NONE);
        self.samples(&self.service, &open).at(q)
    }

    /// Counts response times within `limit` and beyond it. Operations in flight that are younger than `limit` count as
    /// unknown. Operations that failed without a response have no time and are not counted.
    pub fn beyond(&self, limit: Nanos) -> Shares {
        self.samples(&self.response, &self.ages()).shares(limit)
    }

    /// Returns the counts and response times of the operations that succeeded. `None` for a record that does not state
    /// which times are those of failures.
    pub fn succeeded(&self) -> Option<Self> {
        let response = self.response.without(&self.failed_response);
        let count = self.count.saturating_sub(self.failed);
        (response.count() == count).then(|| Self {
            count,
            response,
            ..Self::default()
        })
    }

    /// Whether some operations failed and others succeeded.
    pub fn is_partly_failed(&self) -> bool {
        0 < self.failed && self.failed < self.count
    }

    fn ages(&self) -> Cow<'_, Histogram> {
        ages_of(self.unfinished, &self.open)
    }

    fn samples<'a>(&self, times: &'a Histogram, open: &'a Histogram) -> Samples<'a> {
        Samples {
            times,
            open,
            endless: self.timed_out,
        }
    }

    /// Whether the mean and the maximum are known, because nothing timed out and nothing is in flight.
    fn all_ended(&self) -> bool {
        self.timed_out == 0 && self.unfinished == 0
    }

    /// Returns the mean response time. `None` if there are no times, or if an operation timed out or is in flight.
    pub fn mean(&self) -> Option<Nanos> {
        self.response.mean().filter(|_| self.all_ended())
    }

    /// Returns the longest response time. `None` if there are no times, or if an operation timed out or is in flight.
    pub fn longest(&self) -> Option<Nanos> {
        self.response.max().filter(|_| self.all_ended())
    }

    /// Returns a lower bound of the longest response time if that time is unknown: the longest time, timeout or age.
    pub fn longest_exceeds(&self) -> Option<Nanos> {
        let measured = self.response.max();
        let known = self.timeout.max(self.open.max()).max(measured);
        known.filter(|_| !self.all_ended())
    }
}

/// Returns the ages of `count` operations in flight. Records of version 1 have no ages, so each age is 0, the lowest
/// bound.
pub(crate) fn ages_of(count: u64, known: &Histogram) -> Cow<'_, Histogram> {
    let missing = count.saturating_sub(known.count());
    if missing == 0 {
        return Cow::Borrowed(known);
    }
    let mut ages = known.clone();
    ages.record_n(Nanos::ZERO, missing);
    Cow::Owned(ages)
}
