//! The side at fault for a broken threshold on a count. Times are explained by findings instead.

use plan::{Aggregate, Subject, SubjectKind, Threshold};
use record::{DropCause, Level, Run, ThresholdResult};

use super::side::{AtFault, nearest};
use super::{failures, losses};
use crate::words;
use crate::words::{Culprit, capitalised};

/// Names the side at fault for a broken threshold on a count, or on a figure that only one side decides. `None` for
/// times, and if the record holds no reason.
pub(super) fn counted(run: &Run, level: &Level, result: &ThresholdResult) -> Option<AtFault> {
    let subject = Subject::parse(&result.metric).ok()?;
    let threshold = Threshold::parse(&subject, &result.condition).ok()?;
    let name = subject.name.as_deref();
    let because = |culprit, reason: &str| Some(AtFault::new(culprit, reason));
    match (subject.kind, threshold.aggregate) {
        (SubjectKind::Metric, _) => because(
            Culprit::Unknown,
            "The script defines this figure, and headcount does not know what it depends on.",
        ),
        (SubjectKind::Target, _) => because(
            Culprit::Target,
            "The figure is the use of resources by the target's process.",
        ),
        (SubjectKind::Check, Aggregate::Failed) => because(
            Culprit::TargetOrScript,
            "The responses are not what the script expects.",
        ),
        (SubjectKind::Convergence, Aggregate::Unknown) => because(
            Culprit::Script,
            "Members of a group ended without reporting a user state.",
        ),
        (SubjectKind::Convergence, _) => because(
            Culprit::TargetOrScript,
            "Members of a group ended with different user states.",
        ),
        (_, Aggregate::Lost | Aggregate::Delivered) => losses::of(run, level, name),
        (_, Aggregate::Duplicated | Aggregate::Reordered | Aggregate::Misdelivered) => because(
            Culprit::Target,
            "The stamps of the messages show that the target delivered them so.",
        ),
        (_, Aggregate::Dropped) => dropped(run, level),
        (_, Aggregate::Failed | Aggregate::Reached | Aggregate::Unanswered) => {
            failures::of(run, level, |failure| {
                belongs(level, subject.kind, name, &failure.what)
            })
        }
        (_, Aggregate::Count | Aggregate::Rate) => because(
            Culprit::TargetOrScript,
            "The number depends on the load that the scenario plans, and on the target's speed.",
        ),
        _ => None,
    }
}

/// Whether a failure with this name is one of the threshold's subject.
fn belongs(level: &Level, kind: SubjectKind, name: Option<&str>, what: &str) -> bool {
    let measured = &level.measured;
    match (kind, name) {
        (SubjectKind::Iteration | SubjectKind::Step, _) => false,
        (_, Some(name)) => name == what,
        (SubjectKind::Request, None) => measured.requests.contains_key(what),
        (SubjectKind::RoundTrip, None) => measured.round_trips.contains_key(what),
        (SubjectKind::Connection, None) => measured.connections.contains_key(what),
        _ => false,
    }
}

/// Whether the threshold limits a time that includes the scenario's own pauses.
pub(super) fn has_pauses(result: &ThresholdResult) -> bool {
    let kind = Subject::parse(&result.metric).map(|subject| subject.kind);
    matches!(kind, Ok(SubjectKind::Iteration | SubjectKind::Step))
}

/// Names the side because of which planned starts were dropped. `None` if none was.
pub(super) fn dropped(run: &Run, level: &Level) -> Option<AtFault> {
    let causes = level.measured.iterations.dropped_by_cause.iter();
    let (cause, _) = causes.max_by_key(|(_, number)| **number)?;
    let culprit = match cause {
        DropCause::UsersWaiting => nearest(run),
        DropCause::UsersBusy => Culprit::Script,
        DropCause::GeneratorBehind => Culprit::Generator,
        DropCause::Unknown => Culprit::Unknown,
    };
    let why = capitalised(&words::dropped(*cause));
    Some(AtFault::new(
        culprit,
        format!("Planned starts were dropped. {why}."),
    ))
}
