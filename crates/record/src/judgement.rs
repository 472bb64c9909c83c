use model::Unit;
use serde::{Deserialize, Serialize};

/// What a threshold came to in one level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// It held.
    Held,
    /// It broke.
    Broken,
    /// The level cannot tell.
    Inconclusive(Inconclusive),
}

/// Why a threshold is neither held nor broken.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "cause", rename_all = "snake_case")]
pub enum Inconclusive {
    /// Nothing of the kind was measured.
    NoData,
    /// Too few samples for the percentile, and for a bound on the share beyond the limit.
    TooFewSamples {
        /// Samples that there are; of deliveries messages.
        have: u64,
        /// About how many decide, if the share beyond the limit stays what it is.
        need: u64,
    },
    /// Operations that were in flight when the level was closed could still decide it either way.
    InFlight {
        /// How many.
        open: u64,
    },
    /// Groups of which not every member said what they hold could decide it either way.
    GroupsUnknown {
        /// How many.
        groups: u64,
    },
    /// Deliveries that say nothing of the target could decide it either way: headcount cut them off, or the script
    /// looked for them in the wrong place.
    DeliveriesOpen {
        /// How many.
        deliveries: u64,
    },
    /// It held, but for less load than planned.
    LessLoad {
        /// What was missing.
        shortfall: Shortfall,
    },
    /// The level is invalid, and the generator may be to blame for what was observed.
    InvalidLevel,
    /// No level lies within the load up to which it is promised.
    OutOfReach,
}

/// Why a target had less to do than was planned, which makes its figures look better than they are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Shortfall {
    /// Planned starts were dropped.
    StartsDropped {
        /// How many.
        dropped: u64,
        /// How many were planned.
        planned: u64,
    },
    /// Users of a closed load waited for the generator.
    LoopSlowed {
        /// For this share of their time, in percent.
        percent: f64,
    },
    /// A worker of a closed load had no time left.
    WorkerBusy {
        /// Its busy share, in percent.
        percent: f64,
    },
    /// The script could not take messages or ticks.
    QueueDropped {
        /// How many.
        dropped: u64,
    },
}

/// What a threshold observed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Observed {
    /// A value.
    Exactly {
        /// In base units.
        value: f64,
        /// Its unit.
        unit: Unit,
    },
    /// Operations in flight leave it open between two values.
    Between {
        /// The lower one.
        low: f64,
        /// The upper one.
        high: f64,
        /// Their unit.
        unit: Unit,
    },
    /// Operations in flight leave its upper end open.
    MoreThan {
        /// It is greater than this.
        value: f64,
        /// Its unit.
        unit: Unit,
    },
    /// The operations that would tell it timed out.
    TimedOut,
    /// The words of an older record (versions 1 and 2).
    Text {
        /// The words.
        text: String,
        /// The figure, if there was one.
        value: Option<f64>,
    },
}

impl Observed {
    /// What lies between `low` and `high`, both included; infinite where it timed out or has no upper end.
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

    /// The figure in base units, the lowest that it can be.
    pub fn figure(&self) -> Option<f64> {
        match self {
            Self::Exactly { value, .. } | Self::Between { low: value, .. } => Some(*value),
            Self::Text { value, .. } => *value,
            Self::MoreThan { .. } | Self::TimedOut => None,
        }
    }
}

/// What was counted for a percentile that has too few samples to be stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// Beyond the limit, for certain.
    pub beyond: u64,
    /// Of how many.
    pub of: u64,
    /// What was counted.
    pub what: CountedKind,
}

/// What was counted against a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CountedKind {
    /// Values, each by itself.
    Values,
    /// Messages: their deliveries are not independent. Beyond are those with a delivery beyond the limit.
    Messages,
}

/// Known before the run, and not saved: a threshold that a level cannot decide, for it makes too few samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// The threshold as the user wrote it, with its subject.
    pub threshold: String,
    /// The level, from 1.
    pub level: usize,
    /// Values that the level makes.
    pub samples: u64,
    /// Whether that holds only where each iteration makes one.
    pub one_each: bool,
    /// The fewest that can show the limit to hold: all of them within it.
    pub need: u64,
    /// How long a level must be measured to make them, in seconds; `None` where it is run once.
    pub duration_s: Option<f64>,
}
