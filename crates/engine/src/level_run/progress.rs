//! The phase of a level on one worker. Each phase holds its data, and the results of the phases before it.

use model::Nanos;

use crate::busy::{self, TimeUse};
use crate::level::Span;
use crate::messages::CpuWait;
use crate::open::OpenRun;
use crate::settling::{Draining, Settling};

/// The phase of a level on this worker.
#[derive(Debug)]
pub(super) enum Progress {
    /// Ramp-up, warm-up and measured time.
    Load(Loading),
    /// The measured time is over, and no iteration starts. The worker waits for operations in flight, then for
    /// deliveries.
    Settling(Settling, LoadEnd),
    /// Users who called `stay()` are released, and finish.
    Draining(Draining, Settled),
    /// Sockets perform their closing handshakes until this time.
    Closing(Nanos, Settled),
}

impl Progress {
    /// The load, until the measured time has ended.
    pub(super) fn loading(&mut self) -> Option<&mut Loading> {
        match self {
            Self::Load(loading) => Some(loading),
            _ => None,
        }
    }
}

/// A level under load.
#[derive(Debug)]
pub(super) struct Loading {
    /// The arrivals of an open load.
    pub(super) open_run: Option<OpenRun>,
    /// `None` during ramp-up and warm-up.
    pub(super) at_hold_start: Option<TimeUse>,
}

/// The end of the measured time, and how busy the worker was until then.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoadEnd {
    pub(super) at: Nanos,
    pub(super) busy: f64,
    pub(super) cpu_wait: Option<CpuWait>,
}

/// The time at which the deliveries had settled, and the end of the measured time before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settled {
    pub(super) load: LoadEnd,
    pub(super) at: Nanos,
}

impl LoadEnd {
    /// `before` is the use of time at the start of the measured time. `None` if the level ended before it.
    pub(super) fn of(hold: Span, before: Option<TimeUse>, after: TimeUse, now: Nanos) -> Self {
        let held = now - hold.start;
        let waited = after.idle - before.map_or(after.idle, |before| before.idle);
        let used = after.cpu.zip(before.and_then(|before| before.cpu));
        let used = used.map(|(after, before)| after.since(before));
        Self {
            at: hold.end,
            busy: busy::share(held, waited, used.as_ref()),
            cpu_wait: used.map(|used| busy::cpu_wait(held, &used)),
        }
    }
}
