use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use stats::Histogram;

use crate::failure::note_failure;
use crate::{Deliveries, Failure, Metric, Timings};

/// What the workers measured in one level, each apart; merging adds them up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Calls of the scenario.
    pub iterations: Iterations,
    /// The same for each scenario of a mix.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scenarios: BTreeMap<String, Iterations>,
    /// Connections by name.
    pub connections: BTreeMap<String, Timings>,
    /// Requests by name: `POST /bridge/chat`.
    pub requests: BTreeMap<String, Timings>,
    /// Messages with their replies by name.
    pub exchanges: BTreeMap<String, Timings>,
    /// Steps of the scenario by name.
    pub steps: BTreeMap<String, Timings>,
    /// Deliveries by channel.
    pub deliveries: BTreeMap<String, Deliveries>,
    /// Conditions that had to come true, by name, and how long that took.
    pub eventually: BTreeMap<String, Timings>,
    /// Checks by name.
    pub checks: BTreeMap<String, Check>,
    /// The script's own metrics by name.
    pub metrics: BTreeMap<String, Metric>,
    /// Failures by side, kind and name.
    pub failures: Vec<Failure>,
    /// What ended during ramp and warm-up; in none of the figures above.
    pub before: Outside,
}

/// Calls of the scenario function: planned = started + dropped, started = succeeded + failed + unfinished.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Iterations {
    /// How many were due.
    pub planned: u64,
    /// How many of them were started.
    pub started: u64,
    /// How many ended well.
    pub succeeded: u64,
    /// How many ended by a failure.
    pub failed: u64,
    /// How many had not ended when the settling time was over.
    pub unfinished: u64,
    /// How many were due and never started.
    pub dropped: u64,
    /// Why they were not.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dropped_why: BTreeMap<String, u64>,
    /// How long one took from its planned start, of those that ended.
    pub time: Histogram,
}

/// How often a check held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// How often it held.
    pub passed: u64,
    /// How often it did not.
    pub failed: u64,
}

/// What happened outside of a level's measured time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outside {
    /// Requests that ended.
    pub requests: u64,
    /// How many of them failed.
    pub failed_requests: u64,
    /// Messages that were sent.
    pub messages: u64,
    /// Iterations that failed.
    pub iterations_failed: u64,
}

impl Measured {
    /// Whether iterations failed by the script's own fault.
    pub fn script_failed(&self) -> bool {
        let own = |failure: &Failure| failure.side == model::Side::Script;
        self.iterations.failed > 0 && self.failures.iter().any(own)
    }

    /// Adds what another worker measured.
    pub fn merge(&mut self, other: Self) {
        self.iterations.merge(&other.iterations);
        for (name, iterations) in other.scenarios {
            self.scenarios.entry(name).or_default().merge(&iterations);
        }
        merge_maps(&mut self.connections, other.connections, Timings::merge);
        merge_maps(&mut self.requests, other.requests, Timings::merge);
        merge_maps(&mut self.exchanges, other.exchanges, Timings::merge);
        merge_maps(&mut self.steps, other.steps, Timings::merge);
        merge_maps(&mut self.deliveries, other.deliveries, Deliveries::merge);
        merge_maps(&mut self.eventually, other.eventually, Timings::merge);
        merge_maps(&mut self.checks, other.checks, Check::merge);
        merge_maps(&mut self.metrics, other.metrics, Metric::merge);
        for failure in other.failures {
            note_failure(&mut self.failures, failure);
        }
        self.before.merge(other.before);
    }
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
    /// Adds what another worker measured.
    pub fn merge(&mut self, other: &Self) {
        self.planned += other.planned;
        self.started += other.started;
        self.succeeded += other.succeeded;
        self.failed += other.failed;
        self.unfinished += other.unfinished;
        self.dropped += other.dropped;
        for (why, count) in &other.dropped_why {
            *self.dropped_why.entry(why.clone()).or_default() += count;
        }
        self.time.merge(&other.time);
    }
}

impl Check {
    /// Adds what another worker measured.
    pub fn merge(&mut self, other: &Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

impl Outside {
    /// Adds what another worker measured.
    pub fn merge(&mut self, other: Self) {
        self.requests += other.requests;
        self.failed_requests += other.failed_requests;
        self.messages += other.messages;
        self.iterations_failed += other.iterations_failed;
    }
}
