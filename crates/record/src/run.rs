use std::collections::BTreeMap;

use model::{FaultKind, Verdict};
use serde::{Deserialize, Serialize};
use stats::Histogram;

use crate::version::{KIND, VERSION};
use crate::{
    Agent, Check, Counted, Failure, Finding, Inconclusive, Level, Note, Observed, Timings,
};

/// A run: the root of `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Always `headcount-run`.
    pub kind: String,
    /// Version of the file format.
    pub version: u32,
    /// Program that wrote the record: `headcount 0.1.0`.
    pub tool: String,
    /// Start of the run, RFC 3339.
    pub started_at: String,
    /// End of the run, RFC 3339.
    pub ended_at: String,
    /// Text in the names of users and groups, derived from the seed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub run_tag: String,
    /// Seed of all random number generators.
    pub seed: u64,
    /// The scenario.
    pub script: ScriptInfo,
    /// The options in effect, in the order in which the user wrote them.
    pub options: serde_json::Value,
    /// Address of the target.
    pub target: String,
    /// Version of the target, as the user named it (`--target-version`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_version: Option<String>,
    /// The generator's machine.
    pub machine: Machine,
    /// Number of worker threads.
    pub workers: u32,
    /// The agents of a fleet, in the order of their workers. Empty if the run had only this process.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<Agent>,
    /// Source addresses of the users. `None` if the kernel chose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sources: Option<Sources>,
    /// The verdict.
    pub verdict: Verdict,
    /// Whether the run was interrupted. The record then holds the measurements until the interruption.
    pub interrupted: bool,
    /// Record of `setup`. `None` if the scenario has no `setup`.
    pub setup: Option<Setup>,
    /// Record of `teardown`. `None` if the scenario has no `teardown`, or if it was not started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub teardown: Option<Teardown>,
    /// The levels, in the order in which they ran.
    pub levels: Vec<Level>,
    /// Result of each threshold in each level.
    pub thresholds: Vec<ThresholdResult>,
    /// Findings: the causes that limit the target.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// Remarks about the run as a whole.
    pub notes: Vec<Note>,
    /// Faults of the script outside all levels: during loading, in `setup` or in `teardown`.
    pub script_faults: Vec<Failure>,
}

impl Default for Run {
    /// A run without measurements, which is therefore inconclusive.
    fn default() -> Self {
        Self {
            kind: KIND.to_owned(),
            version: VERSION,
            tool: String::new(),
            started_at: String::new(),
            ended_at: String::new(),
            run_tag: String::new(),
            seed: 0,
            script: ScriptInfo::default(),
            options: serde_json::Value::Null,
            target: String::new(),
            target_version: None,
            machine: Machine::default(),
            workers: 0,
            agents: Vec::new(),
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
    /// Path of the scenario as the user gave it.
    pub path: String,
    /// SHA-256 of the source, in hexadecimal.
    pub sha256: String,
    /// Source of the scenario.
    pub source: String,
    /// Names of the environment variables that the scenario could read (`--env`). Their values are never stored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
}

/// The local addresses from which users connect, in turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sources {
    /// Addresses and networks as the user gave them: `127.0.0.9`, `127.0.0.0/24`.
    pub given: Vec<String>,
    /// Number of addresses.
    pub addresses: u64,
}

/// The generator's machine. Values that are not available are `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Name of the processor.
    pub cpu: Option<String>,
    /// Number of cores that the generator may use.
    pub cores: Option<u32>,
    /// Memory in MB (10^6 bytes).
    pub memory_mb: Option<u64>,
    /// Name and release of the kernel.
    pub kernel: Option<String>,
    /// Maximum number of file descriptors of the generator.
    pub fd_limit: Option<u64>,
    /// Number of local ports for outgoing connections.
    pub local_ports: Option<u32>,
}

/// Record of `setup`, which runs before the first level. No level's figures include it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// Duration of `setup`, in seconds.
    pub took_s: f64,
    /// Number of users created for the pool.
    pub users: u64,
    /// The pools of users, in the order in which they were started.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pools: Vec<Pool>,
    /// Requests, keyed by name.
    pub requests: BTreeMap<String, Timings>,
    /// Number of users that could not be created.
    pub failed: u64,
    /// Failures, with one entry for each side, kind and name.
    pub failures: Vec<Failure>,
    /// Checks, keyed by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub checks: BTreeMap<String, Check>,
}

/// Record of `teardown`, which runs after the last level. No level's figures include it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Teardown {
    /// Duration of `teardown`, in seconds.
    pub took_s: f64,
    /// Requests, keyed by name.
    pub requests: BTreeMap<String, Timings>,
    /// Failures, with one entry for each side, kind and name.
    pub failures: Vec<Failure>,
    /// Checks, keyed by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub checks: BTreeMap<String, Check>,
}

/// Number of failures in `setup` or `teardown`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FailedAround {
    /// Number of failed requests.
    pub requests: u64,
    /// Number of failures of any kind, including failed requests but not checks.
    pub failures: u64,
    /// Number of checks that were false.
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

    /// Whether nothing failed.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl Run {
    /// Whether this is a run of `bench`, which has no script. Its iterations are connections, so their number says
    /// nothing about its requests.
    pub fn is_bench(&self) -> bool {
        self.script.sha256.is_empty() && !self.script.path.is_empty()
    }

    /// Returns the number of failures in `setup`, without the error that ended it.
    pub fn failed_in_setup(&self) -> FailedAround {
        let of = |it: &Setup| FailedAround::of(&it.requests, &it.failures, &it.checks);
        self.setup.as_ref().map(of).unwrap_or_default()
    }

    /// Returns the number of failures in `teardown`, without the error that ended it.
    pub fn failed_in_teardown(&self) -> FailedAround {
        let of = |it: &Teardown| FailedAround::of(&it.requests, &it.failures, &it.checks);
        self.teardown.as_ref().map(of).unwrap_or_default()
    }

    /// Whether `setup` or `teardown` failed, or any request or check in them.
    pub fn failed_around(&self) -> bool {
        let around = [self.failed_in_setup(), self.failed_in_teardown()];
        !self.script_faults.is_empty() || around.iter().any(|failed| !failed.is_nothing())
    }
}

/// A pool of users that `setup` created.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pool {
    /// Number of users requested.
    pub asked: u64,
    /// Number of users created.
    pub made: u64,
    /// Number of users that could not be created. After a failure, the remaining users were not tried.
    pub failed: u64,
    /// Maximum number of users created concurrently.
    pub at_once: u64,
    /// Time from the start of the first user to the end of the last, in seconds.
    pub took_s: f64,
    /// Creation times of the users that were created.
    pub time: Histogram,
}

/// Result of one threshold in one level.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ThresholdResult {
    /// Index of the level.
    pub level: usize,
    /// Subject of the threshold: `delivery(code-change)`.
    pub metric: String,
    /// The threshold as the user wrote it: `p95 < 100ms`.
    pub condition: String,
    /// The kind of figure that the threshold limits. `None` in the first records of version 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// The observed figure. `None` if it could not be measured.
    pub observed: Option<Observed>,
    /// Whether the threshold held. `None` if the result is inconclusive.
    pub held: Option<bool>,
    /// Why the result is inconclusive. In records of version 1, `observed` holds the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inconclusive: Option<Inconclusive>,
    /// Counts that decide the threshold if there are too few samples for its percentile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<Counted>,
}

/// The kind of figure that a threshold limits. Latencies omit failures and losses, so the report checks whether
/// thresholds on failures and losses exist too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limits {
    /// A latency: a percentile, the mean, the minimum or the maximum.
    Latency,
    /// The number or share of failures.
    Failures,
    /// The number or share of lost or delivered deliveries.
    Losses,
    /// Any other figure.
    Other,
}
