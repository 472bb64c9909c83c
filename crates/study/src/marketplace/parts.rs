use record::Run;

use crate::ceiling::Ceilings;
use crate::parts::{PartRun, named};

/// The records of the parts. `None` for a part before which the study was stopped.
#[derive(Default)]
pub(crate) struct Parts<'a> {
    pub(crate) report: Option<&'a Run>,
    pub(crate) pooled: Option<&'a Run>,
    pub(crate) rate: Option<&'a Run>,
    pub(crate) threads4: Option<&'a Run>,
    pub(crate) threads16: Option<&'a Run>,
    pub(crate) full: Option<&'a Run>,
    pub(crate) limiter: Option<&'a Run>,
    pub(crate) lost: Option<&'a Run>,
    /// The records of the ledger checks, each with the name of the part that the check followed.
    pub(crate) ledgers: Vec<(&'static str, &'a Run)>,
    /// The searches for the ceiling. `None` if the study was stopped before them.
    pub(crate) ceiling: Option<&'a Ceilings>,
}

impl<'a> Parts<'a> {
    pub(super) fn of(parts: &'a [PartRun]) -> Self {
        let ledgers = parts
            .iter()
            .filter_map(|part| Some((part.name, part.after.as_ref()?)));
        Self {
            report: named(parts, "report"),
            pooled: named(parts, "pooled"),
            rate: named(parts, "rate"),
            threads4: named(parts, "threads4"),
            threads16: named(parts, "threads16"),
            full: named(parts, "full"),
            limiter: named(parts, "limiter"),
            lost: named(parts, "lost"),
            ledgers: ledgers.collect(),
            ceiling: None,
        }
    }
}
