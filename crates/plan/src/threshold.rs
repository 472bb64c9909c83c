//! Thresholds as users write them: `"delivery(said)": ["p95 < 20ms", "lost == 0"]`.
//!
//! ```text
//! key        = plural | kind "(" name ")" | "target"
//! plural     = "deliveries" | "requests" | "round trips" | "steps" | "iterations" | "checks"
//!            | "connections" | "converged"                all names together
//! kind       = "delivery" | "request" | "round trip" | "step" | "iteration" | "check" | "connection" | "metric"
//!            | "converged"
//! name       = any text, spaces around it dropped
//!
//! condition  = aggregate op limit [ "up to" load ] [ "or abort" ]
//! load       = number ( "users" | "groups" | "/s" )      where the promise ends
//! aggregate  = "p" number | "mean" | "min" | "max"        0 < number < 100
//!            | "count" | "rate" | "failed" | "dropped" | "reached"
//!            | "delivered" | "late" | "lost" | "duplicated" | "reordered" | "misdelivered"
//!            | "converged" | "diverged" | "unknown"
//!            | "cpu" | "memory"
//! op         = "<" | "<=" | ">" | ">=" | "==" | "!="
//! limit      = number [ "%" | "/s" | unit of duration | unit of size ]
//! number     = digits [ "." digits ]                      a metric's may begin with "-"
//! ```
//!
//! | subject | aggregates | limit |
//! | --- | --- | --- |
//! | all but checks, converged and target | percentiles, mean, min, max | a duration; of a metric a number |
//! | all but target | count | a whole number |
//! | all but converged and target | rate | a number per second |
//! | requests, round trips, steps, iterations, checks, connections | failed | a share (`%`) or a whole number |
//! | iterations | dropped: due when no user was free | a share (`%`) or a whole number |
//! | one step | reached: iterations that began it | a share (`%`) or a whole number |
//! | deliveries | the fates | a share (`%`) or a whole number |
//! | converged | converged, diverged, unknown: groups | a share (`%`) or a whole number |
//! | target | cpu (100% is one core), memory | a share, a size |
//!
//! `up to 200 users` keeps the promise to levels of at most so much load. `or abort` ends the run as soon as a level
//! cannot keep the promise any more.
//!
//! Limits are kept in base units: nanoseconds, bytes, a ratio (1% is 0.01), a plain number.

mod condition;
mod error;
mod limit;
mod reach;
mod subject;

#[cfg(test)]
mod tests;

use std::fmt;

pub use error::ThresholdError;
pub use limit::Limit;
pub use model::Unit;
pub use reach::Reach;
pub use subject::{Subject, SubjectKind};

/// One promise: an aggregate of a subject, held against a limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Threshold {
    /// What is looked at.
    pub subject: Subject,
    /// Which number of it.
    pub aggregate: Aggregate,
    /// How it must compare.
    pub op: Op,
    /// With what, in base units.
    pub limit: Limit,
    /// The load up to which it is promised; `None`: in every level.
    pub reach: Option<Reach>,
    /// Whether the run ends when it cannot be kept any more.
    pub abort: bool,
    /// The condition as the user wrote it, e.g. `p95 < 20ms`.
    pub source: String,
}

/// Which number of a subject.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Aggregate {
    /// The value below which this percentage lies: 99.9 for `p99.9`.
    Percentile(f64),
    /// Arithmetic mean.
    Mean,
    /// Smallest value.
    Min,
    /// Largest value.
    Max,
    /// How many; of a counter its sum.
    Count,
    /// How many per second of measurement.
    Rate,
    /// Failed ones: a share of all that ended, or their number.
    Failed,
    /// Iterations that were due when no user was free: a share of all that were due, or their number.
    Dropped,
    /// Iterations that reached a step: a share of all that were started, or their number.
    Reached,
    /// Deliveries seen within the deadline: a share of those expected, or their number.
    Delivered,
    /// Deliveries seen after the deadline; as above.
    Late,
    /// Deliveries never seen; as above.
    Lost,
    /// Deliveries seen again; as above.
    Duplicated,
    /// Deliveries that a later one of the same sender overtook; as above.
    Reordered,
    /// Messages seen by somebody outside their audience; as above.
    Misdelivered,
    /// Groups all of whose members hold the same in the end: a share of all groups, or their number.
    Converged,
    /// Groups whose members do not; as above.
    Diverged,
    /// Groups of which not every member said what they hold; as above.
    Unknown,
    /// CPU of the target's process: 1.0 is one whole core.
    Cpu,
    /// Resident memory of the target's process in bytes.
    Memory,
}

/// How the observed value must compare with the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
    /// `==`
    Equal,
    /// `!=`
    Unequal,
}

impl Threshold {
    /// Parses one condition on a subject.
    pub fn parse(subject: &Subject, text: &str) -> Result<Self, ThresholdError> {
        condition::parse(subject, text)
    }

    /// Whether the promise is kept, `observed` being in the limit's base unit (see [`Unit`]).
    /// NaN keeps no promise: no data is never a pass.
    pub fn holds(&self, observed: f64) -> bool {
        !observed.is_nan() && self.op.compares(observed, self.limit.value)
    }
}

impl Op {
    #[expect(
        clippy::float_cmp,
        reason = "counts are exact, and limits are read so that equal decimals are equal floats"
    )]
    fn compares(self, observed: f64, limit: f64) -> bool {
        match self {
            Self::Less => observed < limit,
            Self::AtMost => observed <= limit,
            Self::More => observed > limit,
            Self::AtLeast => observed >= limit,
            Self::Equal => observed == limit,
            Self::Unequal => observed != limit,
        }
    }
}

impl fmt::Display for Threshold {
    /// `delivery(said): p95 < 20ms`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.subject, self.source)
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::More => ">",
            Self::AtLeast => ">=",
            Self::Equal => "==",
            Self::Unequal => "!=",
        })
    }
}

impl fmt::Display for Aggregate {
    /// As users write it: `p99.9`, `lost`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Percentile(percent) => write!(f, "p{percent}"),
            named => f.write_str(condition::name_of(*named)),
        }
    }
}
