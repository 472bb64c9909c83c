//! What the machine of an agent took from the agent during a level. Only the agent itself can measure it.

use model::Nanos;
use serde::{Deserialize, Serialize};

use crate::level::Span;
use crate::quota::Quota;
use crate::watcher::OwnWatch;

/// CPU time that an agent did not get in the measured time of a level. `None` if the kernel does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct MachineUse {
    /// Time for which the CPU quota of the agent's cgroup stopped the agent.
    pub(crate) throttled: Option<Nanos>,
    /// Share of the time of all cores that the host of the agent's virtual machine took.
    pub(crate) stolen_percent: Option<f64>,
}

/// Measures [`MachineUse`] in one level, as control does it on one machine.
#[derive(Debug)]
pub(super) struct MachineWatch {
    hold: Span,
    quota: Quota,
    own: OwnWatch,
}

impl MachineWatch {
    pub(super) fn begin_level(hold: Span) -> Self {
        Self {
            hold,
            quota: Quota::default(),
            own: OwnWatch::new(),
        }
    }

    /// Reads the counters when that is due. Call it often.
    pub(super) fn watch(&mut self, now: Nanos) {
        self.quota.watch(now, self.hold);
        self.own.watch(now, self.hold);
    }

    /// Notes that the measured time ends now, before its planned end.
    pub(super) fn cut_short(&mut self, now: Nanos) {
        self.hold.cut_short(now);
    }

    /// The figures at the end of the level.
    pub(super) fn end(mut self, now: Nanos) -> MachineUse {
        self.watch(now);
        self.quota.end();
        MachineUse {
            throttled: self.quota.stopped(),
            stolen_percent: self.own.stolen_percent(),
        }
    }
}
