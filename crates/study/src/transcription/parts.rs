use std::time::Duration;

use record::{Level, Run};

use super::slow_clients::Closed;
use crate::ceiling::Ceilings;
use crate::parts::{PartRun, named};

/// The records of the parts. `None` for a part before which the study was stopped.
#[derive(Default)]
pub(crate) struct Parts<'a> {
    pub(crate) report: Option<&'a Run>,
    pub(crate) live: Option<&'a Run>,
    pub(crate) beyond: Option<&'a Run>,
    pub(crate) serial: Option<&'a Run>,
    pub(crate) alone: Option<&'a Run>,
    pub(crate) slow: Option<&'a Run>,
    pub(crate) hour: Option<&'a Run>,
    /// The longest start-up time of the service.
    pub(crate) start_up: Option<Duration>,
    /// The ends of the slow clients' sessions.
    pub(crate) closed: Option<Closed>,
    /// The searches for the ceiling. `None` if the study was stopped before them.
    pub(crate) ceiling: Option<&'a Ceilings>,
}

impl<'a> Parts<'a> {
    pub(super) fn of(parts: &'a [PartRun]) -> Self {
        Self {
            report: named(parts, "report"),
            live: named(parts, "live"),
            beyond: named(parts, "beyond"),
            serial: named(parts, "serial"),
            alone: named(parts, "alone"),
            slow: named(parts, "slow"),
            hour: named(parts, "hour"),
            start_up: None,
            closed: None,
            ceiling: None,
        }
    }

    /// The levels with live streams, from few to many users.
    pub(super) fn live_levels(&self) -> impl Iterator<Item = &'a Level> + use<'a> {
        let runs = [self.live, self.beyond].into_iter().flatten();
        runs.flat_map(|run| &run.levels)
    }
}
