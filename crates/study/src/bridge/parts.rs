use record::Run;

use crate::ceiling::Ceilings;
use crate::parts::{PartRun, named};

/// The records of the parts. `None` for a part before which the study was stopped.
#[derive(Default)]
pub(crate) struct Parts<'a> {
    pub(crate) short: Option<&'a Run>,
    pub(crate) http: Option<&'a Run>,
    pub(crate) rooms: Option<&'a Run>,
    pub(crate) crowd: Option<&'a Run>,
    /// The searches for the ceiling. `None` if the study was stopped before them.
    pub(crate) ceiling: Option<&'a Ceilings>,
}

impl<'a> Parts<'a> {
    pub(super) fn of(parts: &'a [PartRun]) -> Self {
        Self {
            short: named(parts, "short"),
            http: named(parts, "http"),
            rooms: named(parts, "rooms"),
            crowd: named(parts, "crowd"),
            ceiling: None,
        }
    }
}
