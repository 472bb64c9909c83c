use comparison::{Comparison, FailIf, FailIfOutcome, ObstacleKind};

/// A comparison with its name, and the outcomes of the conditions of the command line.
#[derive(Clone, Copy, Debug)]
pub struct Compared<'a> {
    /// Name of the base, as the user wrote it.
    pub base: &'a str,
    /// Name of the new runs.
    pub new: &'a str,
    /// The comparison.
    pub comparison: &'a Comparison,
    /// The conditions with their outcomes.
    pub conditions: &'a [(FailIf, FailIfOutcome)],
    /// Whether all figures are listed, also those that are neither of interest nor different.
    pub all: bool,
}

/// The word for what must be the same, as in `--allow-different`.
pub(crate) fn name_of(kind: ObstacleKind) -> &'static str {
    match kind {
        ObstacleKind::Script => "script",
        ObstacleKind::Options => "options",
        ObstacleKind::Load => "load",
        ObstacleKind::Workers => "workers",
        ObstacleKind::Machine => "machine",
        ObstacleKind::Version => "version",
        ObstacleKind::Validity => "validity",
        ObstacleKind::TargetVersion => "target-version",
    }
}
