//! State shared by the native calls: the engine, the running work, and its results.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use model::{GroupId, Nanos, UserId};

use crate::audiences::DeclaredAudience;
use crate::audio::{Chunks, ChunksKey};
use crate::bundle::Bundle;
use crate::data::DataStore;
use crate::entry::Entry;
use crate::env::Env;
use crate::error::ScriptFault;
use crate::floating::left_in_flight;
use crate::host::Host;
use crate::iteration::Ended;
use crate::kept::{Kept, KeptObject};
use crate::rejections::Rejections;
use crate::watch::Watch;
use crate::work::Work;

/// The key that stands for no group or no user.
pub(crate) const NOBODY: u32 = u32::MAX;

/// The group and user for whom the script runs.
pub(crate) struct Now {
    pub(crate) group: Cell<u32>,
    pub(crate) user: Cell<u32>,
    /// Planned time of the current step, if it has one. It applies until the script waits for something.
    pub(crate) planned: Cell<Option<Nanos>>,
    /// Whether an iteration began in this step and waits. Only a job can end such an iteration.
    pub(crate) waits: Cell<bool>,
    /// Whether the script runs a ticker, a handler, or code that these started. Calls of such code may be in flight
    /// when the iteration ends.
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

/// Results of the turns so far, until the engine takes them.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) ended: Vec<Ended>,
    /// Groups that wait for no event at the end of their step.
    pub(crate) idle: Vec<u32>,
    pub(crate) rejections: Rejections,
    pub(crate) fatal: Option<ScriptFault>,
    /// Whether `null` was thrown. The script engine throws it when it has no memory left for an error object.
    pub(crate) memory_suspect: bool,
    /// Whether an allocation failed.
    pub(crate) memory_full: bool,
}

/// Files and variables that a script may read.
pub(crate) struct Material {
    pub(crate) bundle: Bundle,
    pub(crate) data: DataStore,
    pub(crate) env: Env,
    /// The chunks of streams that this worker has sent.
    pub(crate) chunks: RefCell<HashMap<ChunksKey, Arc<Chunks>>>,
    /// Whether modules are being evaluated. Only then may files be opened.
    pub(crate) loading: Cell<bool>,
}

impl Material {
    /// Creates the material of modules that are about to be evaluated.
    pub(crate) fn new(bundle: Bundle, data: DataStore, env: Env) -> Self {
        Self {
            bundle,
            data,
            env,
            chunks: RefCell::default(),
            loading: Cell::new(true),
        }
    }
}

/// State shared by all native calls of one script.
pub(crate) struct State {
    pub(crate) host: Rc<RefCell<dyn Host>>,
    pub(crate) work: RefCell<Work>,
    pub(crate) now: Now,
    pub(crate) watch: Watch,
    pub(crate) outcome: RefCell<Outcome>,
    pub(crate) material: Material,
    /// The passive audiences, in the order of their declaration.
    pub(crate) audiences: RefCell<Vec<DeclaredAudience>>,
    /// Functions of the prelude that native code calls.
    pub(crate) entry: RefCell<Option<Rc<Entry>>>,
    /// Prototype of user objects.
    pub(crate) user_kind: RefCell<Option<KeptObject>>,
}

impl State {
    /// Creates the state without groups and without the prelude. `busy` is the maximum time of one step without a pause.
    pub(crate) fn new(host: Rc<RefCell<dyn Host>>, material: Material, busy: Nanos) -> Self {
        Self {
            host,
            work: RefCell::new(Work::new()),
            now: Now {
                group: Cell::new(NOBODY),
                user: Cell::new(NOBODY),
                planned: Cell::new(None),
                waits: Cell::new(false),
                background: Cell::new(false),
            },
            watch: Watch::new(busy),
            outcome: RefCell::new(Outcome::default()),
            material,
            audiences: RefCell::new(Vec::new()),
            entry: RefCell::new(None),
            user_kind: RefCell::new(None),
        }
    }

    /// Drops everything that belongs to the script engine.
    pub(crate) fn clear(&self) {
        self.work.borrow_mut().clear();
        self.audiences.borrow_mut().clear();
        self.outcome.borrow_mut().rejections.clear();
        self.entry.borrow_mut().take();
        self.user_kind.borrow_mut().take();
    }

    /// Returns the prelude's functions, once it is loaded.
    pub(crate) fn entry(&self) -> Option<Rc<Entry>> {
        self.entry.borrow().clone()
    }

    /// Returns this constructor of the prelude.
    pub(crate) fn constructor(&self, name: &str) -> rquickjs::Result<Kept> {
        let entry = self.entry();
        let constructor = entry.and_then(|entry| entry.constructors.get(name).cloned());
        constructor.ok_or(rquickjs::Error::Unknown)
    }

    /// Ends the group's iteration with a failure. Only the first failure counts.
    pub(crate) fn fail(&self, group: u32, fault: ScriptFault) {
        self.end(group, Err(fault));
    }

    /// Ends the group's iteration. The iteration fails if any of its calls is still in flight.
    pub(crate) fn end(&self, group: u32, outcome: Result<Option<String>, ScriptFault>) {
        let left = left_in_flight(&mut self.work.borrow_mut(), &self.material.bundle, group);
        let outcome = match (outcome, left) {
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

    /// Returns the user with this key, if the iteration has not ended.
    pub(crate) fn user_id(&self, key: u32) -> Option<UserId> {
        let work = self.work.borrow();
        work.members.get(key).map(|member| member.about.id)
    }

    /// Records a fault that ends the run: memory ran out.
    pub(crate) fn fatal(&self, fault: ScriptFault) {
        self.outcome.borrow_mut().fatal.get_or_insert(fault);
    }
}
