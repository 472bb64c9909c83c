//! Finds a generator that was the limit instead of the target.

use record::{
    Advice, Cause, Confidence, Evidence, Finding, GeneratorLimited, IssueCause, Level, Run,
};

use crate::throughput::operations_per_s;

/// Finds the highest load at which the generator was the limit.
pub(crate) fn find(run: &Run) -> Option<Finding> {
    let limited: Vec<(&Level, Vec<&IssueCause>)> = run
        .levels
        .iter()
        .map(|level| {
            (
                level,
                level
                    .invalid_because()
                    .filter(|cause| is_limit(cause))
                    .collect(),
            )
        })
        .filter(|(_, issues): &(_, Vec<_>)| !issues.is_empty())
        .collect();
    let (level, issues) = limited
        .iter()
        .max_by(|one, other| operations_per_s(one.0).total_cmp(&operations_per_s(other.0)))?;
    let evidence = issues.iter().map(|issue| Evidence::GeneratorIssue {
        issue: (*issue).clone(),
    });
    Some(Finding {
        cause: Cause::Generator(GeneratorLimited {
            per_s: operations_per_s(level),
        }),
        confidence: Confidence::Certain,
        levels: limited.iter().map(|(level, _)| level.index).collect(),
        limits: limited.iter().map(|(level, _)| level.index).collect(),
        evidence: evidence.collect(),
        unknown: Vec::new(),
        advice: vec![Advice::RaiseGenerator],
    })
}

/// Whether the generator lacked capacity. Other issues show a level that was too short or was disturbed once, or a
/// target that did not respond.
fn is_limit(issue: &IssueCause) -> bool {
    matches!(
        issue,
        IssueCause::WorkerBusy { .. }
            | IssueCause::CpuQuota { .. }
            | IssueCause::UsersSlowed { .. }
            | IssueCause::StartsMissed { .. }
            | IssueCause::EventsDropped { .. }
    )
}
