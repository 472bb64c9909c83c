use serde::{Deserialize, Serialize};

/// Base units of limits and observed values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Nanoseconds.
    Nanos,
    /// Bytes.
    Bytes,
    /// A share: 1.0 is the whole or, for CPU usage, one core.
    Ratio,
    /// A number of things.
    Count,
    /// A number of things per second.
    PerSecond,
    /// The unit that the script has chosen for one of its metrics.
    Plain,
}
