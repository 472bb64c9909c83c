//! Whether the generator, and not the target, decided a trial.

use model::Side;
use record::{DelayStatistic, DropCause, Failure, IssueCause, Level, Measured, Shortfall};

use crate::throughput::operations;

/// If the host took more than this share of the CPU time, in percent, it may be the reason that the target failed.
const STOLEN_PERCENT: f64 = 10.0;
/// Time that users of a closed load may wait for the generator, in percent.
const SLOWED_PERCENT: f64 = 10.0;
/// Starts that were dropped, up to this share, change nothing.
const FEW_DROPPED: f64 = 0.01;
/// Operations that failed because of headcount's own limits, up to this share, change nothing.
const FEW_FAILED: f64 = 0.001;

/// The reasons why the trial says nothing about the target. Not all of them make the level invalid.
///
/// `shortfall`: why the target had less load than planned. It is `None` if the trial failed, because a threshold that breaks
/// under less load breaks under the planned load, too.
pub(super) fn limits_of_generator(
    level: &Level,
    failed: bool,
    shortfall: Option<Shortfall>,
) -> Vec<IssueCause> {
    let counts = |cause: &&IssueCause| match cause.itself() {
        IssueCause::StolenTime { stolen_percent, .. } => failed && *stolen_percent > STOLEN_PERCENT,
        // The scenario's own number of users is the limit of its rate, whatever the target does.
        IssueCause::StartsDropped {
            dropped,
            planned,
            users: Some(DropCause::UsersBusy),
        } => *dropped as f64 > *planned as f64 * FEW_DROPPED,
        IssueCause::UsersSlowed { .. }
        | IssueCause::WorkerBusy { .. }
        | IssueCause::EventsDropped { .. } => shortfall.is_some(),
        _ => false,
    };
    let invalid: Vec<&IssueCause> = level.invalid_because().filter(|one| decides(one)).collect();
    let issues = level.issues.iter().map(|issue| &issue.cause);
    let more = issues.filter(|cause| counts(cause) && !invalid.contains(cause));
    let mut limits: Vec<IssueCause> = invalid.iter().copied().chain(more).cloned().collect();
    limits.extend(own_failures(&level.measured));
    if limits.is_empty() {
        limits.extend(shortfall.and_then(slowed_users));
    }
    limits
}

/// Users who waited for the generator less than a level's issue needs, but long enough that the load was too low.
fn slowed_users(shortfall: Shortfall) -> Option<IssueCause> {
    match shortfall {
        Shortfall::LoopSlowed { percent } if percent > SLOWED_PERCENT => {
            Some(IssueCause::UsersSlowed {
                slowed_percent: percent,
                limit_percent: SLOWED_PERCENT,
                cpu_wait_percent: None,
            })
        }
        _ => None,
    }
}

/// Whether the cause shows that the generator was the limit. The longest of a few delays shows only that the machine was
/// disturbed once: a low load, with too few delays for a percentile, is not what limits a generator.
fn decides(cause: &IssueCause) -> bool {
    !matches!(cause.itself(), IssueCause::Late(lateness) if lateness.statistic == DelayStatistic::Max)
}

/// The operations that failed because of headcount's own limits, if they are more than a few.
fn own_failures(measured: &Measured) -> Option<IssueCause> {
    let connections = measured.connections.iter();
    let connections = connections.map(|(name, one)| (name.as_str(), one));
    let all = || operations(measured).chain(connections.clone());
    let is_own = |failure: &&Failure| {
        failure.side == Side::Generator && all().any(|(name, _)| name == failure.what)
    };
    let failed = measured.failures.iter().filter(is_own);
    let failed: u64 = failed.map(|failure| failure.count).sum();
    let operations: u64 = all().map(|(_, one)| one.count).sum();
    (failed as f64 > operations as f64 * FEW_FAILED)
        .then_some(IssueCause::OwnFailures { failed, operations })
}
