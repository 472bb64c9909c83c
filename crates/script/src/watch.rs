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
    /// How often the step was looked at.
    polls: Cell<u32>,
    /// The budget is used up: the next look stops the script.
    spent: Cell<bool>,
    tripped: Cell<bool>,
    /// Calls of our own are counted: nothing is stopped.
    aiming: Cell<bool>,
}

impl Watch {
    pub(crate) fn new(busy: Nanos) -> Self {
        Self {
            busy,
            since: Cell::new(None),
            polls: Cell::new(0),
            spent: Cell::new(false),
            tripped: Cell::new(false),
            aiming: Cell::new(false),
        }
    }

    /// A new step with a fresh budget.
    pub(crate) fn restart(&self) {
        self.since.set(None);
        self.spent.set(false);
        self.tripped.set(false);
    }

    /// Whether the step has used up its budget and goes on.
    pub(crate) fn spent(&self) -> bool {
        self.spent.get() && !self.tripped.get()
    }

    /// From here on nothing is stopped, or is again.
    pub(crate) fn aim(&self, aiming: bool) {
        self.aiming.set(aiming);
    }

    /// How often steps were looked at so far.
    pub(crate) fn polls(&self) -> u32 {
        self.polls.get()
    }

    /// Whether the step was stopped.
    pub(crate) fn tripped(&self) -> bool {
        self.tripped.get()
    }

    pub(crate) fn busy(&self) -> Nanos {
        self.busy
    }

    /// Called by the script engine every few thousand calls and jumps; `true` stops the script. That
    /// is so at the second look after the budget was used up, so that the place can be chosen where
    /// the script pauses in between (`pinpoint`). What follows in a step that was stopped once has no
    /// budget left.
    pub(crate) fn poll(&self, host: &Rc<RefCell<dyn Host>>) -> bool {
        self.polls.set(self.polls.get().wrapping_add(1));
        let Ok(host) = host.try_borrow() else {
            return false;
        };
        let now = host.now();
        let Some(since) = self.since.get() else {
            self.since.set(Some(now));
            return false;
        };
        if now - since <= self.busy {
            return false;
        }
        let stop = self.spent.replace(true) && !self.aiming.get();
        if stop {
            self.tripped.set(true);
        }
        stop
    }
}
