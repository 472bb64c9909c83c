use std::fmt;

use serde::{Deserialize, Serialize};

/// The outcome of a run. It has three values: a run that cannot tell neither passed nor failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every threshold held in every level that it is set for.
    Passed,
    /// A threshold broke in a valid level.
    Failed,
    /// The run cannot tell: a threshold lacks data, or the generator was the limit.
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
