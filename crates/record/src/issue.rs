use model::Nanos;
use serde::{Deserialize, Serialize};

/// Something that speaks against the figures of a level. `docs/reference/validity.md` lists them with their limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelIssue {
    /// What it makes of the level.
    pub severity: Severity,
    /// What it is, with its figures.
    #[serde(flatten)]
    pub cause: IssueCause,
}

impl LevelIssue {
    /// An issue that makes its level invalid.
    pub fn invalid(cause: IssueCause) -> Self {
        Self {
            severity: Severity::Invalid,
            cause,
        }
    }

    /// An issue that makes its level questionable.
    pub fn questionable(cause: IssueCause) -> Self {
        Self {
            severity: Severity::Questionable,
            cause,
        }
    }
}

/// What an issue makes of its level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The generator came near its limits, or not everything that was planned was done.
    Questionable,
    /// The generator was the limit: the figures are not the target's.
    Invalid,
}

/// Why a level is questionable or invalid. Shares are in percent; each limit is the one that was exceeded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "cause", rename_all = "snake_case")]
pub enum IssueCause {
    /// The level ended before its measurement began.
    NotMeasured,
    /// The measurement was too short to judge how busy the workers were.
    ShortMeasurement {
        /// Its length.
        measured_ms: f64,
        /// The shortest that is judged.
        needed_ms: f64,
    },
    /// The busiest worker hardly ever waited, so it could not have kept up with more load.
    WorkerBusy {
        /// Share of the measurement in which it had work.
        busy_percent: f64,
        /// Share of the measurement in which it was ready and had no CPU.
        cpu_wait_percent: Option<f64>,
        /// The limit of `busy_percent`.
        limit_percent: f64,
    },
    /// The CPU quota of its control group stopped the generator.
    CpuQuota {
        /// For how long.
        stopped_ms: f64,
        /// The same as a share of the measurement.
        stopped_percent: f64,
        /// The limit of `stopped_percent`.
        limit_percent: f64,
    },
    /// The generator itself was late.
    Late(Lateness),
    /// Users of a closed load waited for the generator, so the target had less to do.
    UsersSlowed {
        /// For this share of their time.
        slowed_percent: f64,
        /// The limit of `slowed_percent`.
        limit_percent: f64,
        /// Share of the measurement in which a worker was ready and had no CPU.
        cpu_wait_percent: Option<f64>,
    },
    /// Planned starts that the generator did not reach in time.
    StartsMissed {
        /// How many.
        missed: u64,
        /// Of how many.
        planned: u64,
        /// The limit of their share.
        limit_percent: f64,
    },
    /// Planned starts that were dropped because all users were busy.
    StartsDropped {
        /// How many.
        dropped: u64,
        /// Of how many.
        planned: u64,
        /// What most users were busy with.
        users: Option<DropCause>,
    },
    /// The script's garbage collection stopped a worker, which read nothing meanwhile.
    GarbageCollection {
        /// The longest pause.
        pause_ms: f64,
    },
    /// Messages or ticks that the script was too slow to take.
    EventsDropped {
        /// How many.
        dropped: u64,
    },
    /// Little's law does not hold, which is a fault of the measurement itself.
    LittlesLaw {
        /// Groups at work at the same time, on average.
        at_work: f64,
        /// Iterations per second.
        per_s: f64,
        /// Seconds of one iteration.
        time_s: f64,
    },
    /// A worker did not end, so only its last copy counts.
    WorkerLost {
        /// How old that copy was; `None` where there was none.
        saved_ms_before: Option<f64>,
    },
    /// A target that sent small messages or frames without pause kept a worker busy.
    SmallMessages {
        /// Share of the measurement that a worker spent on them.
        spent_percent: f64,
        /// Where the first of these connections led.
        connection: String,
    },
    /// Operations that `bench --count` did not send in the time that it had.
    NotAllSent {
        /// How many were not sent.
        unsent: u64,
        /// Of how many.
        planned: u64,
        /// The level's time limit in nanoseconds.
        #[serde(rename = "limit_ns")]
        limit: Option<Nanos>,
    },
    /// A sentence of an older record (versions 1 and 2).
    Text {
        /// The sentence.
        text: String,
    },
}

/// By how much the generator was late, beside the times that it measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lateness {
    /// At what.
    pub what: LateAt,
    /// By how much, in nanoseconds.
    #[serde(rename = "late_ns")]
    pub late: Nanos,
    /// Of all these delays.
    pub statistic: DelayStatistic,
    /// The same as a share of the measured time at that percentile; `None` where nothing was measured.
    pub share_percent: Option<f64>,
    /// The limit of `late`, in nanoseconds.
    #[serde(rename = "limit_ns")]
    pub limit: Nanos,
    /// The limit of `share_percent`, which must be exceeded too; `None` where `late` alone decides.
    pub limit_percent: Option<f64>,
    /// Share of the measurement in which a worker was ready and had no CPU.
    pub cpu_wait_percent: Option<f64>,
}

/// At what the generator was late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LateAt {
    /// Planned starts.
    Start,
    /// Reading what the kernel had received.
    Read,
    /// Noticing that something had been received, without a receive timestamp of the kernel.
    Receive,
}

/// Which of several delays is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DelayStatistic {
    /// The 99th percentile.
    P99,
    /// The 90th percentile, with too few delays for the 99th.
    P90,
    /// The longest, with too few delays for a percentile.
    Max,
}

/// Why a planned start was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DropCause {
    /// All users were busy, and most waited for responses.
    UsersWaiting,
    /// All users were busy, and most were in the scenario's own pauses or work.
    UsersBusy,
    /// The measurement ended before the generator came to it.
    GeneratorBehind,
    /// An older record names another cause.
    #[serde(other)]
    Unknown,
}

/// What nothing succeeded of, although every iteration may have ended well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoneSucceeded {
    /// No request.
    Request,
    /// No message got its reply.
    RoundTrip,
    /// No connection opened.
    Connection,
}

/// A remark on the run as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Note {
    /// A threshold with `or abort` could not be held any more.
    Aborted {
        /// The level, from 0.
        level: usize,
        /// The threshold as the user wrote it.
        threshold: String,
    },
    /// State left from an earlier run could not be queried.
    LeftoversUnknown {
        /// Where.
        url: String,
        /// What failed.
        error: String,
    },
    /// The run ended before its end.
    EndedEarly {
        /// What ended it.
        error: String,
    },
    /// A sentence of an older record (versions 1 and 2).
    Text {
        /// The sentence.
        text: String,
    },
}
