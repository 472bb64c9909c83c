//! Thresholds as users write them: `"delivery(said)": ["p95 < 20ms", "lost == 0"]`.
//!
//! ```text
//! key        = plural | kind "(" name ")" | "target"
//! plural     = "deliveries" | "requests" | "roundTrips" | "streams" | "steps" | "iterations" | "checks"
//!            | "connections" | "converged"                all names together
//! kind       = "delivery" | "request" | "roundTrip" | "stream" | "step" | "iteration" | "check" | "connection"
//!            | "metric" | "converged"
//! name       = any text; spaces around it are dropped
//!            | [ name ] "{" tag { "," tag } "}"           only for requests: those with all of these tags
//! tag        = key "=" value
//!
//! threshold  = [ figure ] aggregate op limit [ "up to" load ] [ "or abort" ]
//! load       = number ( "users" | "groups" | "/s" )      the load up to which it applies
//! figure     = "rtf" | "lag" | "first" | "final"          only for streams
//! aggregate  = "p" number | "mean" | "min" | "max"        0 < number < 100
//!            | "count" | "rate" | "failed" | "dropped" | "reached"
//!            | "delivered" | "late" | "lost" | "duplicated" | "reordered" | "misdelivered"
//!            | "converged" | "diverged" | "unknown"
//!            | "unanswered" | "surplus"
//!            | "cpu" | "memory"
//! op         = "<" | "<=" | ">" | ">=" | "==" | "!="
//! limit      = number [ "%" | "/s" | unit of duration | unit of size ]
//! number     = digits [ "." digits ]                      for a metric it may begin with "-"
//! ```
//!
//! | subject | aggregates | limit |
//! | --- | --- | --- |
//! | all but checks, streams, converged and target | percentiles, mean, min, max | a duration; for a metric a number |
//! | all but target | count | a whole number; for a metric a number |
//! | all but converged and target | rate | a number per second |
//! | requests, round trips, steps, iterations, checks, connections | failed | a share (`%`) or a whole number |
//! | iterations | dropped: planned starts that did not happen | a share (`%`) or a whole number |
//! | steps | reached: iterations that started it | a share (`%`) or a whole number |
//! | deliveries | delivered, late, lost and so on | a share (`%`) or a whole number |
//! | streams | rtf (real-time factor) with percentiles, mean, min, max | a number |
//! | streams | lag, first, final (results) with percentiles, mean, min, max | a duration |
//! | streams | first, final with failed: utterances without a result; count | a share or a whole number |
//! | streams | failed | a share or a whole number of streams |
//! | streams | unanswered, reordered, surplus, dropped | a share or a whole number of chunks |
//! | converged | converged, diverged, unknown: groups | a share (`%`) or a whole number |
//! | target | cpu (100% is one core), memory | a share, a size |
//!
//! `up to 200 users` restricts the threshold to levels of at most that load. `or abort` ends the run as soon as a level
//! is certain to break the threshold.
//!
//! Limits are stored in base units: nanoseconds, bytes, a ratio (1% is 0.01), a plain number.

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

/// A threshold: compares an aggregate of a subject with a limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Threshold {
    /// The measured operation, metric or process.
    pub subject: Subject,
    /// The series of values of a stream; `None` for its counts, and for other subjects.
    pub figure: Option<Figure>,
    /// The figure of the subject.
    pub aggregate: Aggregate,
    /// The comparison.
    pub op: Op,
    /// The limit, in base units.
    pub limit: Limit,
    /// The load up to which the threshold applies. `None` means every level.
    pub reach: Option<Reach>,
    /// Whether the run ends as soon as the threshold is certain to be broken.
    pub abort: bool,
    /// The threshold as the user wrote it, e.g. `p95 < 20ms`.
    pub source: String,
}

/// A series of values of streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// The real-time factor of each stream.
    RealTimeFactor,
    /// The time from the end of each stream's audio to the last reply.
    Lag,
    /// The latency of the first result of each utterance.
    First,
    /// The latency of the final result of each utterance.
    Final,
}

/// A figure of a subject.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Aggregate {
    /// A percentile, given as a percentage: 99.9 for `p99.9`.
    Percentile(f64),
    /// Arithmetic mean.
    Mean,
    /// Smallest value.
    Min,
    /// Largest value.
    Max,
    /// The number of occurrences; for a counter, its sum.
    Count,
    /// The number per second of the measured time.
    Rate,
    /// Failures, as a share of all ended operations or as a number.
    Failed,
    /// Planned starts of iterations that did not happen, as a share of all planned starts or as a number.
    Dropped,
    /// Iterations that reached a step, as a share of all started iterations or as a number.
    Reached,
    /// Deliveries within the deadline, as a share of the expected ones or as a number.
    Delivered,
    /// Deliveries after the deadline, as a share of the expected ones or as a number.
    Late,
    /// Deliveries that did not happen, as a share of the expected ones or as a number.
    Lost,
    /// Deliveries received again, as a share of the expected ones or as a number.
    Duplicated,
    /// Deliveries that a later message of the same sender overtook, as a share of the expected ones or as a number.
    Reordered,
    /// Messages received by someone outside their audience, as a share of the expected deliveries or as a number.
    Misdelivered,
    /// Groups whose members all have the same state at the end, as a share of all groups or as a number.
    Converged,
    /// Groups in which two members have different states, as a share of all groups or as a number.
    Diverged,
    /// Groups in which a member reported no state, as a share of all groups or as a number.
    Unknown,
    /// Chunks of a stream without a reply, as a share of all chunks or as a number.
    Unanswered,
    /// Replies that answer no chunk of a stream, as a share of all chunks or as a number.
    Surplus,
    /// CPU usage of the target's process. 1.0 is one core.
    Cpu,
    /// Resident memory of the target's process, in bytes.
    Memory,
}

/// The comparison of the observed value with the limit.
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
    /// Parses one threshold of a subject.
    pub fn parse(subject: &Subject, text: &str) -> Result<Self, ThresholdError> {
        condition::parse(subject, text)
    }

    /// Whether the threshold is held. `observed` is in the base unit of the limit (see [`Unit`]). With NaN, no
    /// threshold is held, because missing data is not a pass.
    pub fn holds(&self, observed: f64) -> bool {
        !observed.is_nan() && self.op.compares(observed, self.limit.value)
    }
}

impl Op {
    #[expect(
        clippy::float_cmp,
        reason = "counts are exact, and limits are parsed so that equal decimals are equal floats"
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
    /// Formats the aggregate as users write it: `p99.9`, `lost`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Percentile(percent) => write!(f, "p{percent}"),
            named => f.write_str(condition::name_of(*named)),
        }
    }
}
