use model::Nanos;
use serde::{Deserialize, Serialize};

use crate::AgentLoss;

/// A reason to doubt the figures of a level. `docs/reference/validity.md` lists all of them with their limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelIssue {
    /// Effect on the level.
    pub severity: Severity,
    /// The cause, with its figures.
    #[serde(flatten)]
    pub cause: IssueCause,
}

impl LevelIssue {
    /// Creates an issue that makes its level invalid.
    pub fn invalid(cause: IssueCause) -> Self {
        Self {
            severity: Severity::Invalid,
            cause,
        }
    }

    /// Creates an issue that makes its level questionable.
    pub fn questionable(cause: IssueCause) -> Self {
        Self {
            severity: Severity::Questionable,
            cause,
        }
    }
}

/// Effect of an issue on its level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The generator came near its limits, or did not generate part of the planned load.
    Questionable,
    /// The generator was the limit, so the figures do not describe the target.
    Invalid,
}

/// Why a level is questionable or invalid. Shares are in percent. `limit` fields state the limit that was exceeded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "cause", rename_all = "snake_case")]
pub enum IssueCause {
    /// The level ended before its measurement began.
    NotMeasured,
    /// The measurement was too short to determine the busy share of the workers.
    ShortMeasurement {
        /// Length of the measurement.
        measured_ms: f64,
        /// Minimum length of a measurement that shows the busy share.
        needed_ms: f64,
    },
    /// The busiest worker hardly ever waited, so it could not have handled more load.
    WorkerBusy {
        /// Share of the measurement in which the worker had work.
        busy_percent: f64,
        /// Share of the measurement in which the worker was ready but had no CPU.
        cpu_wait_percent: Option<f64>,
        /// Limit for `busy_percent`.
        limit_percent: f64,
    },
    /// The CPU quota of the generator's cgroup stopped the generator.
    CpuQuota {
        /// Total time for which the quota stopped the generator.
        stopped_ms: f64,
        /// `stopped_ms` as a share of the measurement.
        stopped_percent: f64,
        /// Limit for `stopped_percent`.
        limit_percent: f64,
    },
    /// The host of the virtual machine took time from its cores, which the generator and a target on the same machine
    /// lacked.
    StolenTime {
        /// Share of the time of all cores.
        stolen_percent: f64,
        /// Limit for `stolen_percent`.
        limit_percent: f64,
    },
    /// The generator itself was late.
    Late(Lateness),
    /// Users of a closed load waited for the generator, so the target had less load.
    UsersSlowed {
        /// Share of the users' time that they spent waiting for the generator.
        slowed_percent: f64,
        /// Limit for `slowed_percent`.
        limit_percent: f64,
        /// Share of the measurement in which a worker was ready but had no CPU.
        cpu_wait_percent: Option<f64>,
    },
    /// The generator dropped planned starts because it was behind.
    StartsMissed {
        /// Number of missed starts.
        missed: u64,
        /// Number of planned starts.
        planned: u64,
        /// Limit for the share of missed starts.
        limit_percent: f64,
    },
    /// Planned starts were dropped because all users were busy.
    StartsDropped {
        /// Number of dropped starts.
        dropped: u64,
        /// Number of planned starts.
        planned: u64,
        /// What most users were doing when the starts were due.
        users: Option<DropCause>,
    },
    /// Operations failed because of headcount's own limits, such as descriptors and local ports.
    OwnFailures {
        /// Number of these operations.
        failed: u64,
        /// Number of all operations.
        operations: u64,
    },
    /// Garbage collection in the script engine paused a worker, which read no data during the pause.
    GarbageCollection {
        /// Longest pause.
        pause_ms: f64,
    },
    /// Messages or ticks were dropped because the script was too slow.
    EventsDropped {
        /// Number of dropped messages and ticks.
        dropped: u64,
    },
    /// Little's law does not hold, which is a bug in the measurement itself.
    LittlesLaw {
        /// Average number of groups at work.
        at_work: f64,
        /// Iterations per second.
        per_s: f64,
        /// Average time of one iteration, in seconds.
        time_s: f64,
    },
    /// A worker did not end, so only its last saved measurements count.
    WorkerLost {
        /// Age of the saved measurements. `None` if there were none.
        saved_ms_before: Option<f64>,
    },
    /// An agent of the fleet was lost before it had finished the level, so only its last saved measurements count.
    LostAgent {
        /// Name of the agent.
        agent: String,
        /// How it was lost.
        loss: AgentLoss,
        /// Number of its workers that had not finished the level.
        workers: u64,
    },
    /// One agent of a fleet has this issue.
    OfAgent {
        /// Name of the agent.
        agent: String,
        /// The agent's issue.
        of: Box<IssueCause>,
    },
    /// A worker was busy because the target sent small messages or frames without pause.
    SmallMessages {
        /// Share of the measurement that a worker spent on these messages or frames.
        spent_percent: f64,
        /// Remote address of the first such connection.
        connection: String,
    },
    /// Not all members of the passive audiences could connect, so fewer deliveries were expected.
    AudienceIncomplete {
        /// Number of members.
        members: u64,
        /// Members that listened when the level started.
        listening: u64,
    },
    /// `bench --count` did not send all operations in the available time.
    NotAllSent {
        /// Number of operations not sent.
        unsent: u64,
        /// Number of planned operations.
        planned: u64,
        /// The level's time limit in nanoseconds.
        #[serde(rename = "limit_ns")]
        limit: Option<Nanos>,
    },
    /// The reason as an older record worded it (versions 1 and 2).
    Text {
        /// The sentence.
        text: String,
    },
}

impl IssueCause {
    /// The cause itself, whether it concerns one agent or all of the generator.
    pub fn itself(&self) -> &Self {
        match self {
            Self::OfAgent { of, .. } => of.itself(),
            cause => cause,
        }
    }
}

/// The lateness of the generator, compared with the times that it measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lateness {
    /// The action that was late.
    pub what: LateAt,
    /// The delay in nanoseconds.
    #[serde(rename = "late_ns")]
    pub late: Nanos,
    /// The statistic of all such delays that `late` states.
    pub statistic: DelayStatistic,
    /// `late` as a share of the measured time at the same percentile. `None` if nothing was measured.
    pub share_percent: Option<f64>,
    /// The limit of `late`, in nanoseconds.
    #[serde(rename = "limit_ns")]
    pub limit: Nanos,
    /// Limit for `share_percent`. Both limits must be exceeded. `None` if `late` alone decides.
    pub limit_percent: Option<f64>,
    /// Share of the measurement in which a worker was ready but had no CPU.
    pub cpu_wait_percent: Option<f64>,
}

/// The action for which the generator was late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LateAt {
    /// Starting an operation at its planned start.
    Start,
    /// Reading data that the kernel had received.
    Read,
    /// Noticing received data for which the kernel gave no receive timestamp.
    Receive,
}

/// A statistic of several delays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DelayStatistic {
    /// The 99th percentile.
    P99,
    /// The 90th percentile, used with too few delays for the 99th.
    P90,
    /// The maximum, used with too few delays for a percentile.
    Max,
}

/// Why a planned start was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DropCause {
    /// All users were busy, and most waited for responses.
    UsersWaiting,
    /// All users were busy, and most were pausing or computing in the scenario itself.
    UsersBusy,
    /// The measurement ended before the generator could start the operation.
    GeneratorBehind,
    /// A cause from an older record that has no equivalent here.
    #[serde(other)]
    Unknown,
}

/// A kind of operation of which none succeeded, although all iterations may have succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoneSucceeded {
    /// No request succeeded.
    Request,
    /// No message received its reply.
    RoundTrip,
    /// No connection opened.
    Connection,
}

/// A remark about the run as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Note {
    /// A threshold with `or abort` was certain to be broken.
    Aborted {
        /// Index of the level, from 0.
        level: usize,
        /// The threshold as the user wrote it.
        threshold: String,
    },
    /// The first level measured nothing under a name that a threshold uses.
    UnknownName {
        /// The threshold's subject as the user wrote it.
        subject: String,
        /// The name that was probably meant.
        nearest: Option<String>,
        /// Up to five names of the same kind that were measured.
        measured: Vec<String>,
    },
    /// Everything with a name that a threshold uses happened outside the measured time of the first level.
    NotMeasured {
        /// The threshold's subject as the user wrote it.
        subject: String,
        /// Whether it happened only in `setup`.
        in_setup: bool,
    },
    /// Operations, checks and own metrics that the first level has only outside the measured time. No threshold uses them.
    OutsideMeasurement {
        /// Their names.
        names: Vec<String>,
    },
    /// The query for state left from an earlier run failed.
    LeftoversUnknown {
        /// URL of the query.
        url: String,
        /// The error.
        error: String,
    },
    /// Users of a closed load called `stay()` only after a part of the measured time.
    NotReady {
        /// Index of the level, from 0.
        level: usize,
        /// Share of the measured time before the call, of the average user, in percent.
        missed_percent: f64,
        /// Time from the start of the measured time to the last call, in seconds.
        last_s: f64,
    },
    /// The run ended early.
    EndedEarly {
        /// The error that ended it.
        error: String,
    },
    /// The remark as an older record worded it (versions 1 and 2).
    Text {
        /// The sentence.
        text: String,
    },
}
