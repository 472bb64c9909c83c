//! Detects scripts that run for too long without a pause.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use model::Nanos;

use crate::host::Host;
use crate::rounds::Rounds;

/// The time budget of one step: the callbacks of one event and the jobs that follow.
pub(crate) struct Watch {
    busy: Nanos,
    /// Time of the first poll in this step. A step that is never polled needs no clock reading.
    since: Cell<Option<Nanos>>,
    /// Number of polls.
    polls: Cell<u32>,
    /// Whether the budget is used up. If so, the next poll stops the script.
    spent: Cell<bool>,
    tripped: Cell<bool>,
    /// Whether calls of `pinpoint` are being counted. The script is not stopped meanwhile.
    aiming: Cell<bool>,
    /// The numbers of calls in the jobs since the budget was used up.
    pub(crate) rounds: RefCell<Rounds>,
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
            rounds: RefCell::default(),
        }
    }

    /// Starts a step with a new budget.
    pub(crate) fn restart(&self) {
        self.since.set(None);
        self.spent.set(false);
        self.tripped.set(false);
    }

    /// Whether the step has used up its budget and still runs.
    pub(crate) fn spent(&self) -> bool {
        self.spent.get() && !self.tripped.get()
    }

    /// Sets whether stopping is suspended.
    pub(crate) fn aim(&self, aiming: bool) {
        self.aiming.set(aiming);
    }

    /// Returns the number of polls so far.
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

    /// Called by the script engine every few thousand calls and jumps; `true` stops the script.
    ///
    /// The script stops at the second poll after the budget was used up. If a job ends before that poll, `pinpoint` can
    /// choose the location. After a stop, the rest of the step has no budget.
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
        let again = self.spent.replace(true);
        if !again {
            self.rounds.borrow_mut().clear();
        }
        let stop = again && !self.aiming.get();
        if stop {
            self.tripped.set(true);
        }
        stop
    }
}
