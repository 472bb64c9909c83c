use std::fmt;

use serde::{Deserialize, Serialize};

/// The outcome of a run. A run that cannot decide its thresholds has neither passed nor failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every threshold is held in every level to which it applies.
    Passed,
    /// A threshold is broken in a valid level, or the run failed regardless of thresholds, for example because `setup`
    /// failed.
    Failed,
    /// The run cannot decide a threshold: data for it is missing, or the generator was the limit.
    #[serde(alias = "not_sound")]
    Inconclusive,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Inconclusive => "inconclusive",
        })
    }
}
