//! What the native calls share: the engine, the work under way, and what came of it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use model::{GroupId, Nanos, UserId};

use crate::boot::Entry;
use crate::bundle::Bundle;
use crate::data::DataStore;
use crate::error::ScriptFault;
use crate::host::Host;
use crate::rejections::Rejections;
use crate::script::Ended;
use crate::watch::Watch;
use crate::work::{KeptObject, Work};

/// No group, no user.
pub(crate) const NOBODY: u32 = u32::MAX;

/// On whose behalf the script runs right now.
pub(crate) struct Now {
    pub(crate) group: Cell<u32>,
    pub(crate) user: Cell<u32>,
    /// In a step that was due at a known time, until the script waits for something: that time.
    pub(crate) planned: Cell<Option<Nanos>>,
    /// An iteration has begun in this step and waits: only a job can end it.
    pub(crate) waits: Cell<bool>,
    /// A ticker or a handler runs, or what it began: calls of it may be in flight when the iteration ends.
    pub(crate) background: Cell<bool>,
}

impl Now {
    pub(crate) fn is(&self, group: u32, user: u32, planned: Option<Nanos>) {
        self.group.set(group);
        self.user.set(user);
        self.planned.set(planned);
        self.waits.set(false);
        self.background.set(false);
    }
}

/// What came of the turns so far, until the engine takes it.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) ended: Vec<Ended>,
    /// Groups that had nothing outstanding when their step ended.
    pub(crate) idle: Vec<u32>,
    pub(crate) rejections: Rejections,
    pub(crate) fatal: Option<ScriptFault>,
    /// `null` was thrown: the engine does so when it has no memory left for an error object.
    pub(crate) memory_suspect: bool,
    /// An allocation was refused.
    pub(crate) memory_full: bool,
}

/// Files that a script may look at.
pub(crate) struct Material {
    pub(crate) bundle: Bundle,
    pub(crate) data: DataStore,
    /// Modules are being evaluated: tables may be opened.
    pub(crate) loading: Cell<bool>,
}

/// Everything that the native calls of one script share.
pub(crate) struct State {
    pub(crate) host: Rc<RefCell<dyn Host>>,
    pub(crate) work: RefCell<Work>,
    pub(crate) now: Now,
    pub(crate) watch: Watch,
    pub(crate) outcome: RefCell<Outcome>,
    pub(crate) material: Material,
    /// The functions of the prelude that native code calls.
    pub(crate) entry: RefCell<Option<Rc<Entry>>>,
    /// What users can do: the prototype of their objects.
    pub(crate) user_kind: RefCell<Option<KeptObject>>,
}

impl State {
    /// The prelude's functions, once it is loaded.
    pub(crate) fn entry(&self) -> Option<Rc<Entry>> {
        self.entry.borrow().clone()
    }

    /// The group's iteration failed. Only its first failure counts.
    pub(crate) fn fail(&self, group: u32, fault: ScriptFault) {
        self.end(group, Err(fault));
    }

    /// The group's iteration ended. It fails if calls of it are in flight.
    pub(crate) fn end(&self, group: u32, outcome: Result<Option<String>, ScriptFault>) {
        let outcome = match (outcome, self.floating(group)) {
            (Ok(_), Some(fault)) => Err(fault),
            (outcome, _) => outcome,
        };
        let id = {
            let mut work = self.work.borrow_mut();
            let Some(group) = work.groups.get_mut(group).filter(|group| !group.ended) else {
                return;
            };
            group.ended = true;
            GroupId(group.about.id)
        };
        self.outcome
            .borrow_mut()
            .ended
            .push(Ended { group: id, outcome });
    }

    /// The user under this key, if their iteration is still on.
    pub(crate) fn user_id(&self, key: u32) -> Option<UserId> {
        let work = self.work.borrow();
        work.members.get(key).map(|member| member.about.id)
    }

    /// The run ends: memory is used up.
    pub(crate) fn fatal(&self, fault: ScriptFault) {
        self.outcome.borrow_mut().fatal.get_or_insert(fault);
    }
}
