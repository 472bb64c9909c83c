//! Finds a generator that was the limit instead of the target.

use record::{
    Advice, Cause, Confidence, Evidence, Finding, GeneratorLimited, IssueCause, Level, Run,
};

use crate::throughput::{deliveries_per_s, operations_per_s};

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
        .max_by(|(one, _), (other, _)| reached(one).per_s.total_cmp(&reached(other).per_s))?;
    let evidence = issues.iter().map(|issue| Evidence::GeneratorIssue {
        issue: (*issue).clone(),
    });
    Some(Finding {
        cause: Cause::Generator(reached(level)),
        confidence: Confidence::Certain,
        levels: limited.iter().map(|(level, _)| level.index).collect(),
        limits: limited.iter().map(|(level, _)| level.index).collect(),
        evidence: evidence.collect(),
        unknown: Vec::new(),
        advice: vec![Advice::RaiseGenerator],
    })
}

/// What the generator reached.
fn reached(level: &Level) -> GeneratorLimited {
    let operations = operations_per_s(level);
    let deliveries = operations == 0.0;
    GeneratorLimited {
        per_s: if deliveries {
            deliveries_per_s(level)
        } else {
            operations
        },
        deliveries,
    }
}

/// Whether the generator lacked capacity. Other issues show a level that was too short or was disturbed once, or a
/// target that did not respond.
fn is_limit(issue: &IssueCause) -> bool {
    matches!(
        issue.itself(),
        IssueCause::WorkerBusy { .. }
            | IssueCause::CpuQuota { .. }
            | IssueCause::UsersSlowed { .. }
            | IssueCause::StartsMissed { .. }
    )
}
