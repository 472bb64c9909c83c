use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use model::{Fault, FaultKind, GroupId};
use rquickjs::{Context, Object, Persistent, Runtime};
use serde::Deserialize;
use serde_json::Value as Json;

use crate::boot;
use crate::bundle::Bundle;
use crate::data::DataStore;
use crate::error::{ScriptError, ScriptFault};
use crate::exports::{DEFAULT, Exports};
use crate::floating::TRACED;
use crate::frame::Location;
use crate::host::Host;
use crate::start::Roles;
use crate::state::{Material, NOBODY, Now, Outcome, State};
use crate::watch::Watch;
use crate::work::{KeptObject, Work};

/// What a script may use up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Memory of the script engine of one worker.
    pub memory_bytes: usize,
    /// Longest time in one step without a pause.
    pub busy: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_bytes: 1 << 30,
            busy: Duration::from_secs(1),
        }
    }
}

/// A value in the options that cannot be read: `NaN`, a function, a promise.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct NoData {
    /// Where, e.g. `load.users[2]`; empty for the options as a whole.
    pub path: String,
    /// What is wrong with it, in words.
    pub message: String,
}

/// What the main module exports.
#[derive(Clone, Debug, PartialEq)]
pub struct Declared {
    /// `options`, or null.
    pub options: Json,
    /// What in the options is no plain data; null stands in its place.
    pub problems: Vec<NoData>,
    /// The functions that `options.mix` may name, by their names.
    pub scenarios: Vec<String>,
    /// Whether there is a default function. If not, `options.mix` is given.
    pub has_default: bool,
    /// Whether there is a `setup`.
    pub has_setup: bool,
    /// Whether there is a `teardown`.
    pub has_teardown: bool,
}

/// An iteration of a group that ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// Which group.
    pub group: GroupId,
    /// What `setup` returned, as JSON; nothing for iterations; or why it failed.
    pub outcome: Result<Option<String>, ScriptFault>,
}

/// The script engine of one worker. Not for sharing between threads.
///
/// Everything happens inside [`Script::turn`] and the three `start` calls: the script runs until all
/// its promises wait for something that only the engine can bring.
pub struct Script {
    pub(crate) state: Rc<State>,
    pub(crate) context: Context,
    pub(crate) runtime: Runtime,
    pub(crate) limits: Limits,
    /// The main module. An option, so that it can go before the engine does.
    module: Option<Persistent<Object<'static>>>,
    /// Its functions, called for every iteration.
    pub(crate) exports: Exports,
    /// The kind of group with the roles of the last group that had any.
    pub(crate) kind: Option<(Arc<Roles>, KeptObject)>,
}

impl std::fmt::Debug for Script {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Script")
            .field("bundle", &self.state.material.bundle.name())
            .finish_non_exhaustive()
    }
}

impl Script {
    /// Evaluates the modules of a bundle.
    pub fn load(
        bundle: &Bundle,
        data: &DataStore,
        host: Rc<RefCell<dyn Host>>,
        limits: Limits,
    ) -> Result<Self, ScriptError> {
        let state = Rc::new(State {
            host,
            work: RefCell::new(Work::tracing(TRACED)),
            now: Now {
                group: Cell::new(NOBODY),
                user: Cell::new(NOBODY),
                planned: Cell::new(None),
                waits: Cell::new(false),
                background: Cell::new(false),
            },
            watch: Watch::new(limits.busy.into()),
            outcome: RefCell::new(Outcome::default()),
            material: Material {
                bundle: bundle.clone(),
                data: data.clone(),
                loading: Cell::new(true),
            },
            entry: RefCell::new(None),
            user_kind: RefCell::new(None),
        });
        let runtime = boot::runtime(&state, limits)?;
        let context = Context::full(&runtime)?;
        let mut script = Self {
            state,
            context,
            runtime,
            limits,
            module: None,
            exports: Exports::default(),
            kind: None,
        };
        script.boot_prelude()?;
        let module = script.evaluate_main()?;
        script.exports = script
            .context
            .with(|ctx| Exports::of(&module.clone().restore(&ctx)?))?;
        script.module = Some(module);
        script.state.material.loading.set(false);
        Ok(script)
    }

    /// What the main module exports.
    pub fn declared(&self) -> Result<Declared, ScriptError> {
        let boot::Options { options, problems } = self.context.with(|ctx| {
            let module = self.module.clone();
            boot::options(&ctx, &self.state, module)
        })?;
        let has_default = self.exports.has(DEFAULT);
        if !has_default && options.get("mix").is_none_or(Json::is_null) {
            return Err(boot::no_scenario(&self.state));
        }
        Ok(Declared {
            options,
            problems,
            scenarios: self.exports.scenarios(),
            has_default,
            has_setup: self.exports.has("setup"),
            has_teardown: self.exports.has("teardown"),
        })
    }

    /// The iterations that ended since this was last asked.
    pub fn take_ended(&mut self) -> Vec<Ended> {
        std::mem::take(&mut self.state.outcome.borrow_mut().ended)
    }

    /// Forgets a group: its operations, tickers, handlers and barriers. What still comes for them is
    /// ignored.
    pub fn cancel_group(&mut self, group: GroupId) {
        let forgotten = self.state.work.borrow_mut().remove_group(group);
        if let (Some(key), Some(entry)) = (forgotten, self.state.entry()) {
            // A prelude that cannot forget has lost nothing but memory.
            let _ = self.context.with(|ctx| {
                let forget = entry.forget.clone().restore(&ctx)?;
                forget.call::<_, ()>((key,))
            });
        }
    }

    /// Groups that still run although nothing that could wake them is outstanding: unless another
    /// group settles a promise of theirs, they never end. Each is told once. Where users of a group
    /// wait at different barriers, these fail instead, which may well end the iteration.
    pub fn stuck(&mut self) -> Vec<GroupId> {
        let mut blocked = self.idle_groups();
        blocked.retain(|&key| !self.unblock(key));
        self.state.outcome.borrow_mut().idle.extend(blocked);
        // Those that were unblocked only to wait for such barriers again are among them: this must come to an end.
        let stuck = self.idle_groups();
        let work = self.state.work.borrow();
        let mut stuck: Vec<GroupId> = stuck
            .into_iter()
            .filter_map(|key| work.group_id(key))
            .collect();
        stuck.sort_unstable();
        stuck
    }

    /// The groups for which nothing is outstanding, since this was last asked.
    fn idle_groups(&self) -> Vec<u32> {
        let mut idle = std::mem::take(&mut self.state.outcome.borrow_mut().idle);
        let work = self.state.work.borrow();
        idle.retain(|&key| {
            let group = work.groups.get(key);
            group.is_some_and(|group| !group.ended && !group.waits())
        });
        idle.sort_unstable();
        idle.dedup();
        idle
    }

    /// Ends the waiting at barriers of a group that never open. Whether there was any.
    fn unblock(&mut self, key: u32) -> bool {
        let keeps_story = |group: &crate::work::Group| group.keeps_story;
        let may_wait = self
            .state
            .work
            .borrow()
            .groups
            .get(key)
            .is_some_and(keeps_story);
        let Some(entry) = self.state.entry().filter(|_| may_wait) else {
            return false;
        };
        let mut any = false;
        self.step(key, NOBODY, None, |ctx, _| {
            any = entry.unblock.clone().restore(ctx)?.call((key,))?;
            Ok(())
        });
        any
    }

    /// The fault of a group that [`Script::stuck`] named. The place is that of its scenario function: the
    /// engine does not say where a suspended function waits.
    pub fn never_settles(&self, group: GroupId, detail: String) -> ScriptFault {
        let place = |ctx: &rquickjs::Ctx<'_>| -> Option<Location> {
            let scenario = self.state.work.borrow().scenario_of(group)?;
            let scenario = self.exports.at(scenario)?.restore(ctx).ok()?;
            Some(Location {
                file: self.state.material.bundle.name().to_owned(),
                line: scenario.get("lineNumber").ok()?,
                column: scenario.get("columnNumber").ok()?,
            })
        };
        let location = self.context.with(|ctx| place(&ctx));
        let fault = Fault::script(FaultKind::NeverSettles, detail);
        ScriptFault {
            frame: location
                .as_ref()
                .and_then(|place| self.state.material.bundle.frame(place)),
            location,
            ..ScriptFault::from(fault)
        }
    }

    /// Memory ran out: the run must end.
    pub fn take_fatal(&mut self) -> Option<ScriptFault> {
        self.state.outcome.borrow_mut().fatal.take()
    }

    /// Bytes that the script engine holds. It walks over all objects: not for every turn.
    pub fn memory_used(&self) -> usize {
        usize::try_from(self.runtime.memory_usage().malloc_size).unwrap_or(0)
    }

    /// Collects cyclic garbage. It never happens by itself in a measured window; the pause grows with
    /// the number of users (some 2 ms per thousand).
    pub fn collect_garbage(&mut self) {
        self.runtime.run_gc();
    }
}

impl Drop for Script {
    /// The engine must not end before the values that are kept outside it.
    fn drop(&mut self) {
        self.module = None;
        self.exports = Exports::default();
        self.kind = None;
        self.state.work.borrow_mut().clear();
        self.state.outcome.borrow_mut().rejections.clear();
        self.state.entry.borrow_mut().take();
        self.state.user_kind.borrow_mut().take();
    }
}
