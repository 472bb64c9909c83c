use std::fmt;

use serde::{Deserialize, Serialize};

/// The outcome of a run. It has three values: a run that the generator limited neither passed nor failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every threshold held in every level, and every level was measured soundly.
    Passed,
    /// A threshold failed in a level that was measured soundly.
    Failed,
    /// The generator was the limit: no claim about the target is made.
    NotSound,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::NotSound => "not sound",
        })
    }
}
