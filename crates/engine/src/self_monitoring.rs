use model::Nanos;
use serde::{Deserialize, Serialize};
use stats::Histogram;

use crate::loud::Loud;
use crate::receipt::Receipts;

/// Delays and omissions that a worker caused itself, in one level.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SelfMonitoring {
    /// The times by which planned operations started late.
    pub(crate) start_lag: Histogram,
    pub(crate) receipts: Receipts,
    pub(crate) loud: Loud,
    /// Number of messages and ticks that were dropped because a queue was full.
    pub(crate) dropped: u64,
    /// How late the worker began the level.
    pub(crate) began_late: Nanos,
}
