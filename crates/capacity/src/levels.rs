//! The levels of a run that causes are derived from.

use record::{Level, Run};

/// Returns the levels that were measured. Their counts are exact, even if their times are invalid.
pub(crate) fn counted(run: &Run) -> impl Iterator<Item = &Level> {
    let is_measured = |level: &&Level| level.phases.duration_s > 0.0;
    run.levels.iter().filter(is_measured)
}

/// Returns the levels whose figures describe the target.
pub(crate) fn usable(run: &Run) -> impl Iterator<Item = &Level> {
    counted(run).filter(|level| !level.is_invalid())
}
