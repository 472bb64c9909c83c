use std::collections::BTreeMap;

use model::{FaultKind, Verdict};
use serde::{Deserialize, Serialize};
use stats::Histogram;

use crate::version::{KIND, VERSION};
use crate::{Check, Counted, Failure, Finding, Inconclusive, Level, Note, Observed, Timings};

/// A run: the root of `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Always `headcount-run`.
    pub kind: String,
    /// The version of this shape.
    pub version: u32,
    /// Which program wrote it: `headcount 0.1.0`.
    pub tool: String,
    /// When it began, RFC 3339.
    pub started_at: String,
    /// When it ended, RFC 3339.
    pub ended_at: String,
    /// What all random numbers come from.
    pub seed: u64,
    /// The scenario.
    pub script: ScriptInfo,
    /// The options as they were in force, in the user's order.
    pub options: serde_json::Value,
    /// The address under test.
    pub target: String,
    /// The generator's machine.
    pub machine: Machine,
    /// How many worker threads put the load on.
    pub workers: u32,
    /// Where the users came from; `None`: the kernel chose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sources: Option<Sources>,
    /// The outcome.
    pub verdict: Verdict,
    /// Whether somebody stopped it: what follows is what was measured until then.
    pub interrupted: bool,
    /// What `setup` did, if there is one.
    pub setup: Option<Setup>,
    /// What `teardown` did, if there is one and it was begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub teardown: Option<Teardown>,
    /// The loads, in the order in which they were put on.
    pub levels: Vec<Level>,
    /// What each threshold said of each level.
    pub thresholds: Vec<ThresholdResult>,
    /// Why it stops where it does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// Remarks on the run as a whole.
    pub notes: Vec<Note>,
    /// Faults of the script outside of any level: while it was loaded, set up or torn down.
    pub script_faults: Vec<Failure>,
}

impl Default for Run {
    /// A run in which nothing was measured, which is therefore inconclusive.
    fn default() -> Self {
        Self {
            kind: KIND.to_owned(),
            version: VERSION,
            tool: String::new(),
            started_at: String::new(),
            ended_at: String::new(),
            seed: 0,
            script: ScriptInfo::default(),
            options: serde_json::Value::Null,
            target: String::new(),
            machine: Machine::default(),
            workers: 0,
            sources: None,
            verdict: Verdict::Inconclusive,
            interrupted: false,
            setup: None,
            teardown: None,
            levels: Vec::new(),
            thresholds: Vec::new(),
            findings: Vec::new(),
            notes: Vec::new(),
            script_faults: Vec::new(),
        }
    }
}

/// The scenario that was run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptInfo {
    /// Its path as the user gave it.
    pub path: String,
    /// Of its source, in hexadecimal.
    pub sha256: String,
    /// The source itself.
    pub source: String,
}

/// The local addresses that users came from, in turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sources {
    /// As they were given: `127.0.0.9`, `127.0.0.0/24`.
    pub given: Vec<String>,
    /// How many addresses these are.
    pub addresses: u64,
}

/// The machine that put the load on. `None` where it does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name.
    pub cpu: Option<String>,
    /// Cores that the generator may use.
    pub cores: Option<u32>,
    /// Memory in MB (10^6 bytes).
    pub memory_mb: Option<u64>,
    /// The kernel's name and release.
    pub kernel: Option<String>,
    /// How many descriptors the generator may open.
    pub fd_limit: Option<u64>,
    /// How many local ports there are for outgoing connections.
    pub local_ports: Option<u32>,
}

/// What `setup` did before the first level. In no level's figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// How long it took, in seconds.
    pub took_s: f64,
    /// Users that it made ready for the pool.
    pub users: u64,
    /// The pools of users, in the order in which they were begun.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pools: Vec<Pool>,
    /// Requests by name.
    pub requests: BTreeMap<String, Timings>,
    /// Users that could not be made ready.
    pub failed: u64,
    /// Failures by side, kind and name.
    pub failures: Vec<Failure>,
    /// Checks by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub checks: BTreeMap<String, Check>,
}

/// What `teardown` did after the last level. In no level's figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Teardown {
    /// How long it took, in seconds.
    pub took_s: f64,
    /// Requests by name.
    pub requests: BTreeMap<String, Timings>,
    /// Failures by side, kind and name.
    pub failures: Vec<Failure>,
    /// Checks by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub checks: BTreeMap<String, Check>,
}

/// How often something failed in `setup` or `teardown`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FailedAround {
    /// Requests.
    pub requests: u64,
    /// Failures of any kind but checks, requests included.
    pub failures: u64,
    /// Checks that did not hold.
    pub checks: u64,
}

impl FailedAround {
    fn of(
        requests: &BTreeMap<String, Timings>,
        failures: &[Failure],
        checks: &BTreeMap<String, Check>,
    ) -> Self {
        Self {
            requests: requests.values().map(|one| one.failed).sum(),
            failures: failures
                .iter()
                .filter(|failure| failure.kind != FaultKind::Check)
                .map(|failure| failure.count)
                .sum(),
            checks: checks.values().map(|check| check.failed).sum(),
        }
    }

    /// Whether nothing did.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl Run {
    /// What failed in `setup`, beside an error that ended it.
    pub fn failed_in_setup(&self) -> FailedAround {
        let of = |it: &Setup| FailedAround::of(&it.requests, &it.failures, &it.checks);
        self.setup.as_ref().map(of).unwrap_or_default()
    }

    /// What failed in `teardown`, beside an error that ended it.
    pub fn failed_in_teardown(&self) -> FailedAround {
        let of = |it: &Teardown| FailedAround::of(&it.requests, &it.failures, &it.checks);
        self.teardown.as_ref().map(of).unwrap_or_default()
    }

    /// Whether `setup` or `teardown` failed, wholly or in a request or a check.
    pub fn failed_around(&self) -> bool {
        let around = [self.failed_in_setup(), self.failed_in_teardown()];
        !self.script_faults.is_empty() || around.iter().any(|failed| !failed.is_nothing())
    }
}

/// One pool of users that `setup` made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pool {
    /// How many were asked for.
    pub asked: u64,
    /// How many were made ready.
    pub made: u64,
    /// How many could not be made ready; the rest was not tried any more.
    pub failed: u64,
    /// How many were made at a time.
    pub at_once: u64,
    /// From the beginning of the first to the end of the last, in seconds.
    pub took_s: f64,
    /// How long each took that was made ready.
    pub time: Histogram,
}

/// What one threshold said of one level.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ThresholdResult {
    /// The index of the level.
    pub level: usize,
    /// Of which metric: `delivery(code-change)`.
    pub metric: String,
    /// The condition as the user wrote it: `p95 < 100ms`.
    pub condition: String,
    /// What was observed; `None` when it could not be measured.
    pub observed: Option<Observed>,
    /// Whether it held; `None` when it is inconclusive.
    pub held: Option<bool>,
    /// Why it is inconclusive. Records of version 1 state that in `observed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inconclusive: Option<Inconclusive>,
    /// What was counted, of a percentile that has too few samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<Counted>,
}
