//! Notices a script that runs on without a pause.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use model::Nanos;

use crate::host::Host;

/// The time budget of one step: one wake-up's callbacks and the jobs that follow from it.
pub(crate) struct Watch {
    busy: Nanos,
    /// When the step was first looked at: a step that is never interrupted costs no clock reading.
    since: Cell<Option<Nanos>>,
    tripped: Cell<bool>,
}

impl Watch {
    pub(crate) fn new(busy: Nanos) -> Self {
        Self {
            busy,
            since: Cell::new(None),
            tripped: Cell::new(false),
        }
    }

    /// A new step with a fresh budget.
    pub(crate) fn restart(&self) {
        self.since.set(None);
        self.tripped.set(false);
    }

    /// Whether the step was stopped.
    pub(crate) fn tripped(&self) -> bool {
        self.tripped.get()
    }

    pub(crate) fn busy(&self) -> Nanos {
        self.busy
    }

    /// Called by the script engine every few thousand jumps; `true` stops the script. What follows
    /// in a step that was stopped once has no budget left.
    pub(crate) fn poll(&self, host: &Rc<RefCell<dyn Host>>) -> bool {
        let Ok(host) = host.try_borrow() else {
            return false;
        };
        let now = host.now();
        let Some(since) = self.since.get() else {
            self.since.set(Some(now));
            return false;
        };
        let over = now - since > self.busy;
        if over {
            self.tripped.set(true);
        }
        over
    }
}
