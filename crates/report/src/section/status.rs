//! Whether a level held, in one word, for colours and shapes; and the highest load that held.

use record::{Level, Run};
use serde::Serialize;

use crate::section::results_of;

/// The result of one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    /// Every threshold held.
    Held,
    /// A threshold was broken on a level that is not invalid, or nothing succeeded.
    Failed,
    /// A threshold could not be decided.
    Inconclusive,
    /// The generator was the limit, so the level counts neither for nor against the target.
    Invalid,
    /// No threshold applies to the level.
    Measured,
}

impl Status {
    /// Returns the result of a level.
    pub(crate) fn of(run: &Run, level: &Level) -> Self {
        if fails_without_threshold(level) {
            return Self::Failed; // also if the only threshold is about times, which failures may keep
        }
        let results = || results_of(run, level);
        let any = |held: Option<bool>| results().any(|result| result.held == held);
        let all_held = results().next().is_some() && results().all(|one| one.held == Some(true));
        if all_held {
            return Self::Held; // also on an invalid level: only thresholds that count there are decided
        }
        if level.is_invalid() {
            return Self::Invalid;
        }
        match () {
            () if any(Some(false)) => Self::Failed,
            () if any(None) => Self::Inconclusive,
            () => Self::Measured,
        }
    }
}

/// Whether the level failed whatever its thresholds say: no operation of a kind succeeded, or the script failed. An invalid
/// level says nothing.
pub(crate) fn fails_without_threshold(level: &Level) -> bool {
    let measured = &level.measured;
    !level.is_invalid() && (measured.only_failures().is_some() || measured.script_failed())
}

/// Returns the levels with their results, the lowest load first.
pub(crate) fn by_load(run: &Run) -> Vec<(&Level, Status)> {
    let mut levels: Vec<_> = run
        .levels
        .iter()
        .map(|one| (one, Status::of(run, one)))
        .collect();
    levels.sort_by(|(one, _), (other, _)| one.load.amount().total_cmp(&other.load.amount()));
    levels
}

/// Returns the level with the highest load below the first failure at which every threshold held.
pub(crate) fn highest_held(run: &Run) -> Option<&Level> {
    let levels = by_load(run).into_iter();
    let below = levels.take_while(|(_, status)| *status != Status::Failed);
    let held = below.filter(|(_, status)| *status == Status::Held);
    held.last().map(|(level, _)| level)
}
