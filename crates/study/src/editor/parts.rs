use record::Run;

use crate::ceiling::Ceilings;
use crate::parts::{PartRun, named};

/// The records of the parts. `None` for a part before which the study was stopped.
#[derive(Default)]
pub(crate) struct Parts<'a> {
    pub(crate) report: Option<&'a Run>,
    pub(crate) late: Option<&'a Run>,
    pub(crate) rooms: Option<&'a Run>,
    pub(crate) crowd: Option<&'a Run>,
    pub(crate) beyond: Option<&'a Run>,
    pub(crate) tens: Option<&'a Run>,
    pub(crate) fifty: Option<&'a Run>,
    pub(crate) whole: Option<&'a Run>,
    pub(crate) crdt: Option<&'a Run>,
    /// The searches for the ceiling. `None` if the study was stopped before them.
    pub(crate) ceiling: Option<&'a Ceilings>,
}

impl<'a> Parts<'a> {
    pub(super) fn of(parts: &'a [PartRun]) -> Self {
        Self {
            report: named(parts, "report"),
            late: named(parts, "late"),
            rooms: named(parts, "rooms"),
            crowd: named(parts, "crowd"),
            beyond: named(parts, "beyond"),
            tens: named(parts, "tens"),
            fifty: named(parts, "fifty"),
            whole: named(parts, "whole"),
            crdt: named(parts, "crdt"),
            ceiling: None,
        }
    }

    /// The runs in rooms, each with its number of members per room.
    pub(super) fn in_rooms(&self) -> [(u64, Option<&'a Run>); 5] {
        [
            (5, self.rooms),
            (5, self.crowd),
            (5, self.beyond),
            (10, self.tens),
            (50, self.fifty),
        ]
    }
}
