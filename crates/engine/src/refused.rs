//! Finds requests that the target refuses whether or not the generator is late.
//!
//! A late generator sends bursts, and a target may refuse part of a burst. It serves the requests that come on time. So
//! if it served none of many, and the generator was late by milliseconds only, lateness is not the cause.
//!
//! Only statuses count. A failed check or a response that the script rejects may depend on the time that it took.

use std::collections::HashSet;

use model::{FaultKind, Nanos, Side};
use plan::{Aggregate, Op, SubjectKind, Threshold};
use record::{Failure, IssueCause, Level, Outcome, Severity, Timings};

use crate::observe::decide;

/// Minimum number of refused requests of a name. Fewer may have come in one burst.
const FEWEST: u64 = 10;
/// A generator that is later than this may, for example, use sessions that have expired.
const LATEST: Nanos = Nanos::from_millis(100);

/// Whether a broken threshold on failures is broken by refusals alone, in a level that is invalid only because the
/// generator was slightly late.
pub(crate) fn decide_alone(threshold: &Threshold, level: &Level) -> bool {
    let limits_failures =
        threshold.subject.kind == SubjectKind::Request && threshold.aggregate == Aggregate::Failed;
    let is_maximum = match threshold.op {
        Op::Less | Op::AtMost => true,
        Op::Equal => threshold.limit.value == 0.0,
        _ => false,
    };
    limits_failures
        && is_maximum
        && is_slightly_late(level)
        && decide(threshold, &without_other_failures(level)).0 == Outcome::Broken
}

/// Whether the target refused every request of a level that is invalid only because the generator was slightly late.
pub(crate) fn refused_all(level: &Level) -> bool {
    let measured = &level.measured;
    let mut requests = measured.requests.iter();
    !measured.requests.is_empty()
        && is_slightly_late(level)
        && requests.all(|(name, timings)| is_refused(&measured.failures, name, timings))
}

/// Whether small delays are the only reason for which the level is invalid.
fn is_slightly_late(level: &Level) -> bool {
    let invalid = level.issues.iter();
    let mut invalid = invalid.filter(|issue| issue.severity == Severity::Invalid);
    invalid.all(
        |issue| matches!(issue.cause.itself(), IssueCause::Late(delay) if delay.late <= LATEST),
    )
}

/// Whether every request of this name that ended was refused with a status.
fn is_refused(failures: &[Failure], name: &str, timings: &Timings) -> bool {
    let by_status = failures.iter().filter(|failure| {
        failure.what == name
            && failure.side == Side::Target
            && matches!(failure.kind, FaultKind::Status | FaultKind::Grpc)
    });
    let refused: u64 = by_status.map(|failure| failure.count).sum();
    refused >= FEWEST && refused == timings.count
}

/// The level, as if all requests had succeeded except those of names that the target refuses.
fn without_other_failures(level: &Level) -> Level {
    let mut level = level.clone();
    let measured = &mut level.measured;
    let mut served = HashSet::new();
    for (name, timings) in &mut measured.requests {
        if !is_refused(&measured.failures, name, timings) {
            timings.failed = 0;
            served.insert(name.as_str());
        }
    }
    // Failures that headcount caused are subtracted from the refusals, so they must be of the same names.
    measured
        .failures
        .retain(|failure| !served.contains(failure.what.as_str()));
    level
}
