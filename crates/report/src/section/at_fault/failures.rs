//! The side at fault for failed operations, and for a failed `setup` or `teardown`.

use format::{count, shorten, shorten_name};
use model::{FaultKind, Side};
use record::{Failure, Level, Run};

use super::side::{AtFault, nearest};
use crate::section::label;
use crate::words::Culprit;

/// Longest name and longest example in a reason.
const NAME: usize = 40;
const EXAMPLE: usize = 80;

/// Names the side at fault for the most frequent failure of a level, among those that belong to the threshold's subject.
/// Without any, it is the most frequent first failure of an iteration, because the later ones may follow from it. `None`
/// if nothing failed.
pub(super) fn of(run: &Run, level: &Level, belongs: impl Fn(&Failure) -> bool) -> Option<AtFault> {
    let all = &level.measured.failures;
    let at = format!("at {}", label(&level.load));
    if let Some(most) = most_frequent(all.iter().filter(|one| belongs(one))) {
        return Some(of_failure(run, most, &at));
    }
    first_of_iterations(run, level)
        .or_else(|| Some(of_failure(run, most_frequent(all.iter())?, &at)))
}

/// Names the side at fault for iterations that the script ended with an error: the side of their first failure.
pub(super) fn of_script(run: &Run, level: &Level) -> Option<AtFault> {
    let own = |failure: &Failure| failure.side == Side::Script;
    first_of_iterations(run, level).or_else(|| of(run, level, own))
}

fn first_of_iterations(run: &Run, level: &Level) -> Option<AtFault> {
    let first = level.measured.funnel.first_failures.iter();
    let most = first.max_by_key(|one| one.failed)?;
    let what = if most.what.is_empty() {
        "iteration"
    } else {
        &most.what
    };
    let failure = Failure {
        side: most.side,
        kind: most.kind,
        what: what.to_owned(),
        count: most.failed + most.succeeded,
        first: most.first.clone(),
    };
    Some(of_failure(
        run,
        &failure,
        &format!("at {}", label(&level.load)),
    ))
}

/// Names the side at fault for failures in `setup` and `teardown`. `None` if neither failed.
pub(super) fn around(run: &Run) -> Option<AtFault> {
    if !run.failed_around() {
        return None;
    }
    let setup = run.setup.iter().flat_map(|setup| &setup.failures);
    let teardown = run.teardown.iter().flat_map(|it| &it.failures);
    let ended = run.script_faults.iter().chain(setup.clone()).next();
    let most = ended.or_else(|| most_frequent(teardown));
    Some(most.map_or_else(
        || {
            let reason = "A check in `setup` or `teardown` failed.";
            AtFault::new(Culprit::TargetOrScript, reason)
        },
        |failure| of_failure(run, failure, "outside the levels"),
    ))
}

/// The most frequent failure. One that another member of the group caused counts only if there is no other.
fn most_frequent<'a>(all: impl Iterator<Item = &'a Failure>) -> Option<&'a Failure> {
    all.max_by_key(|failure| (failure.kind != FaultKind::Barrier, failure.count))
}

/// Names the side at fault for a failure.
pub(super) fn of_failure(run: &Run, failure: &Failure, at: &str) -> AtFault {
    let culprit = match (failure.side, failure.kind) {
        (Side::Generator, _) => Culprit::Generator,
        (Side::Script, _) => Culprit::Script,
        (
            Side::Target,
            FaultKind::Check | FaultKind::Content | FaultKind::Eventually | FaultKind::Diverged,
        ) => Culprit::TargetOrScript,
        (Side::Target, FaultKind::Resolve) => Culprit::Network,
        (Side::Target, FaultKind::Refused | FaultKind::Reset | FaultKind::TimedOut) => nearest(run),
        (Side::Target, _) => Culprit::Target,
    };
    let (what, number) = (shorten_name(&failure.what, NAME), count(failure.count));
    let example = shorten(&failure.first.detail, EXAMPLE);
    let kind = failure.kind;
    AtFault::new(
        culprit,
        format!("Most frequent failure: {kind}, {what} ({number} {at}), such as \"{example}\"."),
    )
}
