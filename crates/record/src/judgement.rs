use model::Unit;
use serde::{Deserialize, Serialize};

/// Outcome of a threshold in one level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// The threshold held.
    Held,
    /// The threshold was broken.
    Broken,
    /// The level's data cannot decide whether the threshold held.
    Inconclusive(Inconclusive),
}

/// Why a threshold is neither held nor broken.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "cause", rename_all = "snake_case")]
pub enum Inconclusive {
    /// No operation of the threshold's kind was measured.
    NoData,
    /// There are too few samples to compute the percentile or to bound the share of values beyond the limit.
    TooFewSamples {
        /// Number of samples; for deliveries, number of messages.
        have: u64,
        /// Approximate number of samples that a decision needs, if the share beyond the limit stays the same.
        need: u64,
    },
    /// Operations were in flight when the level was closed, and their outcome could decide the threshold.
    InFlight {
        /// Number of operations in flight.
        open: u64,
    },
    /// Some members of some groups reported no user state, and those states could decide the threshold.
    GroupsUnknown {
        /// Number of groups without a state from every member.
        groups: u64,
    },
    /// The fate of some deliveries is unknown, and could decide the threshold. Either headcount cut these deliveries
    /// off, or the script looked for their stamps in the wrong place.
    DeliveriesOpen {
        /// Number of deliveries of unknown fate.
        deliveries: u64,
    },
    /// Operations failed because of headcount's own limits, and could decide the threshold.
    OwnFailures {
        /// Number of these operations, and of the operations in flight.
        operations: u64,
    },
    /// Sender and receivers have different clocks, whose errors could decide the threshold.
    ClockError {
        /// The largest error of the latencies, in ms.
        error_ms: f64,
    },
    /// The threshold held, but the load was lower than planned.
    LessLoad {
        /// Why the load was lower than planned.
        shortfall: Shortfall,
    },
    /// The level is invalid, and the generator may have caused the observed figures.
    InvalidLevel,
    /// No level has a load to which the threshold applies.
    OutOfReach,
}

/// Why the load was lower than planned. A lower load makes the target's figures look better than they are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Shortfall {
    /// Planned starts were dropped.
    StartsDropped {
        /// Number of dropped starts.
        dropped: u64,
        /// Number of planned starts.
        planned: u64,
    },
    /// Users of a closed load waited for the generator.
    LoopSlowed {
        /// Share of the users' time that they spent waiting for the generator, in percent.
        percent: f64,
    },
    /// A worker of a closed load was almost always busy.
    WorkerBusy {
        /// Busy share of the worker, in percent.
        percent: f64,
    },
    /// Messages or ticks were dropped because the script was too slow.
    QueueDropped {
        /// Number of dropped messages and ticks.
        dropped: u64,
    },
    /// Agents of a fleet were lost with their shares of the load.
    AgentsLost {
        /// Number of lost agents.
        agents: u64,
    },
}

/// The observed figure that a threshold is compared with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Observed {
    /// An exact value.
    Exactly {
        /// The value in base units.
        value: f64,
        /// Unit of the value.
        unit: Unit,
    },
    /// A range, because the outcome of operations in flight is unknown.
    Between {
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
        /// Unit of both ends.
        unit: Unit,
    },
    /// A lower bound, because the outcome of operations in flight is unknown.
    MoreThan {
        /// The lower bound.
        value: f64,
        /// Unit of the value.
        unit: Unit,
    },
    /// The operations at this percentile timed out.
    TimedOut,
    /// The figure as an older record worded it (versions 1 and 2).
    Text {
        /// The record's text.
        text: String,
        /// The figure in base units, if the record has one.
        value: Option<f64>,
    },
}

impl Observed {
    /// Creates the observation for a value from `low` to `high`, both inclusive. If `high` is infinite, there is no
    /// upper bound; if `low` is too, the operation timed out.
    pub fn between(low: f64, high: f64, unit: Unit) -> Self {
        if low.is_infinite() {
            Self::TimedOut
        } else if high.is_infinite() {
            Self::MoreThan { value: low, unit }
        } else if low < high {
            Self::Between { low, high, unit }
        } else {
            Self::Exactly { value: low, unit }
        }
    }

    /// Returns the figure in base units; for a range, its lower end.
    pub fn figure(&self) -> Option<f64> {
        match self {
            Self::Exactly { value, .. } | Self::Between { low: value, .. } => Some(*value),
            Self::Text { value, .. } => *value,
            Self::MoreThan { .. } | Self::TimedOut => None,
        }
    }
}

/// Counts that decide a threshold if there are too few samples for its percentile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// Number of values that are certainly beyond the limit.
    pub beyond: u64,
    /// Number of all values.
    pub of: u64,
    /// What the counts refer to.
    pub what: CountedKind,
}

/// What is counted against a threshold's limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CountedKind {
    /// Single values.
    Values,
    /// Messages, because deliveries of the same message are not independent. A message is beyond the limit if any of
    /// its deliveries is.
    Messages,
}

/// A prediction, made before the run, that a level will have too few samples to decide a threshold. Forecasts are not
/// saved.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// The threshold as the user wrote it, with its subject.
    pub threshold: String,
    /// Number of the level, from 1.
    pub level: usize,
    /// Number of samples that the level will have.
    pub samples: u64,
    /// Whether the prediction assumes one sample per iteration.
    pub one_each: bool,
    /// Minimum number of samples that can show that the threshold holds, if all samples are within the limit.
    pub need: u64,
    /// Measured time that yields this number of samples, in seconds. `None` with `once`.
    pub duration_s: Option<f64>,
}
