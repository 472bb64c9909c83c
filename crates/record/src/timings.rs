use std::borrow::Cow;

use model::Nanos;
use serde::{Deserialize, Serialize};
use stats::{Blocks, Estimate, Histogram, Samples, Shares};

/// How often one named thing was done and how long it took: a connection, request, round trip, step or condition.
///
/// `failed` is a part of `count`, `timed_out` a part of `failed`. A time is noted for everything that was answered,
/// error answers included. What timed out has no time and counts as longer than every other; what was still in flight
/// when the level was closed is longer than its age.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timings {
    /// How many ended, well or not.
    pub count: u64,
    /// How many of them failed.
    pub failed: u64,
    /// How many were in flight when the level was closed; not in `count`.
    pub unfinished: u64,
    /// How old those were, from their planned start: lower bounds of their response times. Empty in records of version 1.
    #[serde(default)]
    pub open: Histogram,
    /// How many of the failed had no answer within the limit.
    pub timed_out: u64,
    /// The longest limit that one of them ran into, in nanoseconds.
    pub timeout: Option<Nanos>,
    /// From the planned start to the end: what the user feels.
    pub response: Histogram,
    /// From the actual start to the end: what the target took.
    pub service: Histogram,
    /// How the response times came in the course of the measured time, time-outs included; empty in records of version 1.
    #[serde(default, skip_serializing_if = "Blocks::is_empty")]
    pub blocks: Blocks,
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

    /// Notes one that is in flight as the level is closed, `age` after its planned start.
    pub fn left_open(&mut self, age: Nanos) {
        self.unfinished += 1;
        self.open.record(age);
    }

    /// Adds what another worker measured.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.failed += other.failed;
        self.unfinished += other.unfinished;
        self.open.merge(&other.open);
        self.timed_out += other.timed_out;
        self.timeout = self.timeout.max(other.timeout);
        self.response.merge(&other.response);
        self.service.merge(&other.service);
        self.blocks.merge(&other.blocks);
        self.repeated += other.repeated;
        self.bytes_in += other.bytes_in;
        self.bytes_out += other.bytes_out;
    }

    /// Quantile `q` of the response time. Operations in flight rank at their age or higher, time-outs above all others.
    pub fn response_at(&self, q: f64) -> Estimate {
        self.samples(&self.response, &self.ages())
            .at_in(&self.blocks, q)
    }

    /// Quantile `q` of the service time, without an interval. Of operations in flight it is only known that they have one.
    pub fn service_at(&self, q: f64) -> Estimate {
        let open = ages_of(self.unfinished, Histogram::NONE);
        self.samples(&self.service, &open).at(q)
    }

    /// How many response times lie within `limit` and how many beyond it; of those in flight for less than that it is
    /// not known. What broke without an answer has no time and is in neither.
    pub fn beyond(&self, limit: Nanos) -> Shares {
        self.samples(&self.response, &self.ages()).shares(limit)
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

    /// Whether the mean and the longest are known: nothing timed out, nothing is in flight.
    fn all_ended(&self) -> bool {
        self.timed_out == 0 && self.unfinished == 0
    }

    /// The mean response time; `None` without one, or when something timed out or is in flight and its time is not
    /// known.
    pub fn mean(&self) -> Option<Nanos> {
        self.response.mean().filter(|_| self.all_ended())
    }

    /// The longest response time; `None` without one, or when something timed out or is in flight and the longest is
    /// not known.
    pub fn longest(&self) -> Option<Nanos> {
        self.response.max().filter(|_| self.all_ended())
    }

    /// What the longest response time exceeds, where it is not known itself: the longest time-out, or the age of what
    /// was in flight.
    pub fn longest_exceeds(&self) -> Option<Nanos> {
        let measured = self.response.max();
        let known = self.timeout.max(self.open.max()).max(measured);
        known.filter(|_| !self.all_ended())
    }
}

/// The ages of `count` operations in flight. Records of version 1 have none; that they are not negative is known.
pub(crate) fn ages_of(count: u64, known: &Histogram) -> Cow<'_, Histogram> {
    let missing = count.saturating_sub(known.count());
    if missing == 0 {
        return Cow::Borrowed(known);
    }
    let mut ages = known.clone();
    ages.record_n(Nanos::ZERO, missing);
    Cow::Owned(ages)
}
