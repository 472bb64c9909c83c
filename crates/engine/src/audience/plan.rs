use std::sync::Arc;

use crate::level::SlotRange;

/// The level whose audiences are connected.
#[derive(Debug)]
pub(crate) struct AudiencePlan {
    /// The index of the level.
    pub(crate) level: u32,
    /// Number of users of the level. Source addresses are assigned to them first.
    pub(crate) users: u32,
    /// The return value of `setup`, as JSON.
    pub(crate) setup: Option<Arc<str>>,
    pub(crate) slots: SlotRange,
}
