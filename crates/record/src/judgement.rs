use model::Unit;
use serde::{Deserialize, Serialize};

/// Outcome of a threshold in one level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// The threshold held.
    Held,
    /// The threshold was broken.
    Broken,
    /// The level's data does not decide the threshold.
    Inconclusive(Inconclusive),
}

/// Why a threshold is neither held nor broken.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "cause", rename_all = "snake_case")]
pub enum Inconclusive {
    /// Nothing of the kind was measured.
    NoData,
    /// Too few samples for the percentile and for a bound on the share beyond the limit.
    TooFewSamples {
        /// Number of samples; for deliveries, number of messages.
        have: u64,
        /// Approximate number of samples needed for a decision, if the share beyond the limit stays the same.
        need: u64,
    },
    /// Operations were in flight when the level was closed. Their outcome could decide the threshold either way.
    InFlight {
        /// Number of operations in flight.
        open: u64,
    },
    /// Not all members of some groups reported a user state. Their state could decide the threshold either way.
    GroupsUnknown {
        /// Number of groups without a state from every member.
        groups: u64,
    },
    /// The fate of some deliveries is unknown: headcount cut them off, or the script looked for them in the wrong
    /// place. They could decide the threshold either way.
    DeliveriesOpen {
        /// Number of deliveries of unknown fate.
        deliveries: u64,
    },
    /// The threshold held, but the load was lower than planned.
    LessLoad {
        /// The missing load.
        shortfall: Shortfall,
    },
    /// The level is invalid, and the generator may have caused the observed figures.
    InvalidLevel,
    /// No level is within the load to which the threshold applies.
    OutOfReach,
}

/// Why the load was lower than planned, which makes the target's figures look better than they are.
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
    /// A worker of a closed load had no time left.
    WorkerBusy {
        /// Busy share of the worker, in percent.
        percent: f64,
    },
    /// The script was too slow for messages or ticks.
    QueueDropped {
        /// Number of dropped messages and ticks.
        dropped: u64,
    },
}

/// The figure that a threshold observed.
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
    /// A range, because of operations in flight.
    Between {
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
        /// Unit of both.
        unit: Unit,
    },
    /// A lower bound, because of operations in flight.
    MoreThan {
        /// The lower bound.
        value: f64,
        /// Unit of the value.
        unit: Unit,
    },
    /// The operations at this percentile timed out.
    TimedOut,
    /// The text of an older record (versions 1 and 2).
    Text {
        /// The text.
        text: String,
        /// The figure, if there was one.
        value: Option<f64>,
    },
}

impl Observed {
    /// Creates the observation for a value from `low` to `high`, both inclusive. Infinity stands for a timeout, or for
    /// no upper bound.
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

/// Counts in place of a percentile with too few samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// Number of values certainly beyond the limit.
    pub beyond: u64,
    /// Total number.
    pub of: u64,
    /// The kind of things counted.
    pub what: CountedKind,
}

/// The kind of things counted against a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CountedKind {
    /// Single values.
    Values,
    /// Messages, because the deliveries of a message are not independent. A message is beyond the limit if one of its
    /// deliveries is.
    Messages,
}

/// A prediction before the run that a level will have too few samples to decide a threshold. It is not saved.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// The threshold as the user wrote it, with its subject.
    pub threshold: String,
    /// Number of the level, from 1.
    pub level: usize,
    /// Number of samples that the level will have.
    pub samples: u64,
    /// Whether this assumes one sample per iteration.
    pub one_each: bool,
    /// Minimum number of samples that can show the limit to hold, if all are within it.
    pub need: u64,
    /// Measured time that supplies them, in seconds. `None` with `once`.
    pub duration_s: Option<f64>,
}
