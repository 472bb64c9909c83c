use std::borrow::Cow;
use std::collections::BTreeMap;

use model::Nanos;
use serde::{Deserialize, Serialize};
use stats::{Blocks, Estimate, Histogram, Samples, Shares};

use crate::failure::note_failure;
use crate::timings::ages_of;
use crate::{
    Convergence, Deliveries, DropCause, Failure, Metric, NoneSucceeded, Presence, StepFunnel,
    Streams, Timings,
};

/// Measurements of one level. Each worker has its own, and `merge` combines them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Calls of the scenario function.
    pub iterations: Iterations,
    /// Iterations of each scenario in a mix.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scenarios: BTreeMap<String, Iterations>,
    /// Users who called `stay()`. In a closed load, a user who calls it late is missing from the load until then.
    #[serde(default, skip_serializing_if = "Presence::is_empty")]
    pub presence: Presence,
    /// Connections, keyed by name.
    pub connections: BTreeMap<String, Timings>,
    /// Requests, keyed by name, such as `POST /bridge/chat`.
    pub requests: BTreeMap<String, Timings>,
    /// Round trips, keyed by name.
    pub round_trips: BTreeMap<String, Timings>,
    /// Streams, keyed by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub streams: BTreeMap<String, Streams>,
    /// Steps of the scenario, keyed by name.
    pub steps: BTreeMap<String, Timings>,
    /// Deliveries, keyed by channel.
    pub deliveries: BTreeMap<String, Deliveries>,
    /// Convergence of user states within groups, keyed by the name of the state.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub converged: BTreeMap<String, Convergence>,
    /// Conditions of `eventually`, keyed by name, with the time until each was true.
    pub eventually: BTreeMap<String, Timings>,
    /// Checks, keyed by name.
    pub checks: BTreeMap<String, Check>,
    /// The script's own metrics, keyed by name.
    pub metrics: BTreeMap<String, Metric>,
    /// The step funnel: the steps with their counts, and the first failures.
    #[serde(default, skip_serializing_if = "StepFunnel::is_empty")]
    pub funnel: StepFunnel,
    /// Failures, with one entry for each side, kind and name.
    pub failures: Vec<Failure>,
    /// Operations that ended during ramp-up and warm-up. None of the figures above includes them.
    pub before: Outside,
}

/// Calls of the scenario function: planned = started + dropped, started = succeeded + failed + unfinished.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Iterations {
    /// Number of iterations that were due.
    pub planned: u64,
    /// Number of iterations that were started.
    pub started: u64,
    /// Number of iterations that succeeded.
    pub succeeded: u64,
    /// Number of iterations that failed.
    pub failed: u64,
    /// Number of iterations that failed because an awaited operation timed out.
    #[serde(default)]
    pub timed_out: u64,
    /// Longest time from an iteration's planned start to its timeout, in nanoseconds.
    #[serde(default)]
    pub timeout: Option<Nanos>,
    /// Number of iterations in progress when the level was closed.
    pub unfinished: u64,
    /// Ages of unfinished iterations since their planned starts. Each age is a lower bound of the iteration's time.
    /// Empty in records of version 1.
    #[serde(default)]
    pub open: Histogram,
    /// Number of iterations that were due but never started.
    pub dropped: u64,
    /// Causes of dropped starts, with their counts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dropped_by_cause: BTreeMap<DropCause, u64>,
    /// Times of successful iterations, from the planned start.
    pub time: Histogram,
    /// The same times as in `time`, in blocks over the measured time. Empty in records of version 1.
    #[serde(default, skip_serializing_if = "Blocks::is_empty")]
    pub blocks: Blocks,
}

/// Results of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// Number of times that the check was true.
    pub passed: u64,
    /// Number of times that the check was false.
    pub failed: u64,
}

/// Events outside a level's measured time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outside {
    /// Number of requests that ended.
    pub requests: u64,
    /// Number of requests that failed.
    pub failed_requests: u64,
    /// Response time of the quickest request that succeeded, in nanoseconds, among those of names with responses 429.
    #[serde(rename = "quickest_ns", default)]
    pub quickest: Option<Nanos>,
    /// Number of messages sent.
    pub messages: u64,
    /// Number of iterations that failed.
    pub iterations_failed: u64,
}

impl Measured {
    /// Makes the copy of a worker that did not finish agree with itself: see [`Iterations`].
    pub fn plan_only_what_was_due(&mut self) {
        self.iterations.plan_only_what_was_due();
        self.scenarios
            .values_mut()
            .for_each(Iterations::plan_only_what_was_due);
    }

    /// Whether any iteration failed because of the script itself.
    pub fn script_failed(&self) -> bool {
        let own = |failure: &Failure| failure.side == model::Side::Script;
        self.iterations.failed > 0 && self.failures.iter().any(own)
    }

    /// Whether every failure was caused by headcount's own limits.
    pub fn only_own_failures(&self) -> bool {
        let own = |failure: &Failure| failure.side == model::Side::Generator;
        !self.failures.is_empty() && self.failures.iter().all(own)
    }

    /// Returns a kind of operation of which none succeeded. `None` if an operation succeeded, or if none was tried.
    pub fn only_failures(&self) -> Option<NoneSucceeded> {
        let requests = tried(&self.requests);
        let round_trips = tried(&self.round_trips);
        let connections = tried(&self.connections);
        let heard = self.deliveries.values().any(|all| all.delivered > 0);
        match (requests, round_trips, connections) {
            ((1.., 0), ..) => Some(NoneSucceeded::Request),
            ((0, _), (1.., 0), _) if !heard => Some(NoneSucceeded::RoundTrip),
            ((0, _), (0, _), (1.., 0)) => Some(NoneSucceeded::Connection),
            _ => None,
        }
    }

    /// Whether no request or round trip has succeeded so far, and some are in flight.
    pub fn only_failures_so_far(&self) -> bool {
        let families = [&self.requests, &self.round_trips];
        let open = families.iter().flat_map(|family| family.values());
        let open: u64 = open.map(|one| one.unfinished).sum();
        open > 0 && families.iter().all(|family| tried(family).1 == 0)
    }

    /// Adds the measurements of another worker.
    pub fn merge(&mut self, other: Self) {
        self.iterations.merge(&other.iterations);
        for (name, iterations) in other.scenarios {
            self.scenarios.entry(name).or_default().merge(&iterations);
        }
        self.presence.merge(&other.presence);
        merge_maps(&mut self.connections, other.connections, Timings::merge);
        merge_maps(&mut self.requests, other.requests, Timings::merge);
        merge_maps(&mut self.round_trips, other.round_trips, Timings::merge);
        merge_maps(&mut self.streams, other.streams, Streams::merge);
        merge_maps(&mut self.steps, other.steps, Timings::merge);
        merge_maps(&mut self.deliveries, other.deliveries, Deliveries::merge);
        merge_maps(&mut self.converged, other.converged, Convergence::merge);
        merge_maps(&mut self.eventually, other.eventually, Timings::merge);
        merge_maps(&mut self.checks, other.checks, Check::merge);
        merge_maps(&mut self.metrics, other.metrics, Metric::merge);
        self.funnel.merge(other.funnel);
        for failure in other.failures {
            note_failure(&mut self.failures, failure);
        }
        self.before.merge(other.before);
    }
}

/// Returns the number of operations that ended, and how many of them succeeded.
fn tried(all: &BTreeMap<String, Timings>) -> (u64, u64) {
    let each = all.values();
    each.fold((0, 0), |(ended, well), one| {
        (ended + one.count, well + one.count - one.failed)
    })
}

fn merge_maps<T>(
    ours: &mut BTreeMap<String, T>,
    theirs: BTreeMap<String, T>,
    join: fn(&mut T, &T),
) {
    for (name, value) in theirs {
        if let Some(known) = ours.get_mut(&name) {
            join(known, &value);
        } else {
            ours.insert(name, value);
        }
    }
}

impl Iterations {
    /// Counts as planned only what was due until now. A worker adds its planned starts at the end of a level, so they are
    /// missing in a copy from before.
    fn plan_only_what_was_due(&mut self) {
        self.planned = self.planned.max(self.started + self.dropped);
    }

    /// Counts an iteration that was in progress when the level was closed, `age` after its planned start.
    pub fn left_open(&mut self, age: Nanos) {
        self.unfinished += 1;
        self.open.record(age);
    }

    /// Counts an iteration that failed because an awaited operation timed out, `age` after its planned start.
    pub fn ran_out(&mut self, age: Nanos) {
        self.timed_out += 1;
        self.timeout = self.timeout.max(Some(age));
    }

    /// Returns quantile `q` of the time of iterations that did not fail. Unfinished iterations rank at their age or
    /// higher. Iterations that timed out rank above all others.
    pub fn time_at(&self, q: f64) -> Estimate {
        self.samples(&self.ages()).at_in(&self.blocks, q)
    }

    /// Returns the standard error of the logarithm of quantile `q` of the time, as this run alone shows it.
    pub fn time_log_error_at(&self, q: f64) -> Option<f64> {
        self.samples(&self.ages()).log_error_in(&self.blocks, q)
    }

    /// Counts iterations that took at most `limit`, and iterations that took longer. Iterations that timed out count as
    /// longer. Iterations that failed otherwise do not count.
    ///
    /// Unfinished iterations younger than `limit` count as unknown.
    pub fn beyond(&self, limit: Nanos) -> Shares {
        self.samples(&self.ages()).shares(limit)
    }

    /// Returns the longest time. `None` if there are no times, or if an iteration timed out or is unfinished.
    pub fn longest(&self) -> Option<Nanos> {
        self.time.max().filter(|_| self.all_ended())
    }

    /// Returns a lower bound of the longest time if the longest time itself is unknown.
    pub fn longest_exceeds(&self) -> Option<Nanos> {
        let known = self.time.max().max(self.open.max()).max(self.timeout);
        known.filter(|_| !self.all_ended())
    }

    fn all_ended(&self) -> bool {
        self.timed_out == 0 && self.unfinished == 0
    }

    fn ages(&self) -> Cow<'_, Histogram> {
        ages_of(self.unfinished, &self.open)
    }

    fn samples<'a>(&'a self, open: &'a Histogram) -> Samples<'a> {
        Samples {
            times: &self.time,
            open,
            endless: self.timed_out,
        }
    }

    /// Adds the counts of another worker.
    pub fn merge(&mut self, other: &Self) {
        self.planned += other.planned;
        self.started += other.started;
        self.succeeded += other.succeeded;
        self.failed += other.failed;
        self.timed_out += other.timed_out;
        self.timeout = self.timeout.max(other.timeout);
        self.unfinished += other.unfinished;
        self.open.merge(&other.open);
        self.dropped += other.dropped;
        for (cause, count) in &other.dropped_by_cause {
            *self.dropped_by_cause.entry(*cause).or_default() += count;
        }
        self.time.merge(&other.time);
        self.blocks.merge(&other.blocks);
    }
}

impl Check {
    /// Adds the counts of another worker.
    pub fn merge(&mut self, other: &Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

impl Outside {
    /// Adds the counts of another worker.
    pub fn merge(&mut self, other: Self) {
        self.requests += other.requests;
        self.failed_requests += other.failed_requests;
        self.quickest = [self.quickest, other.quickest].into_iter().flatten().min();
        self.messages += other.messages;
        self.iterations_failed += other.iterations_failed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(count: u64, failed: u64) -> BTreeMap<String, Timings> {
        let timings = Timings {
            count,
            failed,
            ..Timings::default()
        };
        [("/".to_owned(), timings)].into()
    }

    #[test]
    fn nothing_succeeded_where_all_that_was_tried_failed() {
        let measured = |requests, round_trips, connections| Measured {
            connections,
            requests,
            round_trips,
            ..Measured::default()
        };
        let none = BTreeMap::new;
        let said = |measured: Measured| measured.only_failures();
        assert_eq!(said(Measured::default()), None, "nothing was tried");
        let requests = measured(one(5, 5), one(5, 0), one(1, 0));
        assert_eq!(said(requests), Some(NoneSucceeded::Request));
        let round_trips = measured(none(), one(5, 5), one(1, 0));
        assert_eq!(said(round_trips), Some(NoneSucceeded::RoundTrip));
        let connections = measured(none(), none(), one(5, 5));
        assert_eq!(said(connections), Some(NoneSucceeded::Connection));
        assert_eq!(said(measured(none(), one(5, 4), one(9, 9))), None);
        assert_eq!(said(measured(none(), none(), one(5, 4))), None);
    }
}
