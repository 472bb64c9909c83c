use record::Run;

use crate::ceiling::Ceilings;
use crate::parts::{PartRun, named};

/// The records of the parts. `None` for a part that was not asked for, or before which the study was stopped.
#[derive(Default)]
pub(crate) struct Parts<'a> {
    pub(crate) report: Option<&'a Run>,
    pub(crate) mix3000: Option<&'a Run>,
    pub(crate) mix1000: Option<&'a Run>,
    pub(crate) mix100: Option<&'a Run>,
    pub(crate) ramp: Option<&'a Run>,
    pub(crate) overload: Option<&'a Run>,
    pub(crate) burst: Option<&'a Run>,
    pub(crate) tenants: Option<&'a Run>,
    pub(crate) sustained: Option<&'a Run>,
    /// The searches for the ceiling. `None` if the study was stopped before them.
    pub(crate) ceiling: Option<&'a Ceilings>,
}

impl<'a> Parts<'a> {
    pub(super) fn of(parts: &'a [PartRun]) -> Self {
        Self {
            report: named(parts, "report"),
            mix3000: named(parts, "mix3000"),
            mix1000: named(parts, "mix1000"),
            mix100: named(parts, "mix100"),
            ramp: named(parts, "ramp"),
            overload: named(parts, "overload"),
            burst: named(parts, "burst"),
            tenants: named(parts, "tenants"),
            sustained: named(parts, "sustained"),
            ceiling: None,
        }
    }

    /// The parts with the report's mix at its rate, from few to many receivers.
    pub(super) fn mixes(&self) -> impl Iterator<Item = &'a Run> + use<'a> {
        [self.mix100, self.mix1000, self.mix3000]
            .into_iter()
            .flatten()
    }
}
