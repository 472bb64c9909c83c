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
use crate::env::Env;
use crate::error::{ScriptError, ScriptFault};
use crate::exports::{DEFAULT, Exports};
use crate::floating::TRACED;
use crate::frame::Location;
use crate::host::Host;
use crate::start::Roles;
use crate::state::{Material, NOBODY, Now, Outcome, State};
use crate::watch::Watch;
use crate::work::{KeptObject, Work};

/// Resource limits of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum memory of one worker's script engine, in bytes.
    pub memory_bytes: usize,
    /// Maximum time of one step without a pause.
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

/// A value in the options that is not plain data, such as `NaN`, a function or a promise.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct NoData {
    /// Path of the value, such as `load.users[2]`. Empty for the options as a whole.
    pub path: String,
    /// The problem, as a sentence.
    pub message: String,
}

/// The exports of the main module.
#[derive(Clone, Debug, PartialEq)]
pub struct Declared {
    /// The export `options`, or null.
    pub options: Json,
    /// Values in the options that are not plain data. Null replaces them in `options`.
    pub problems: Vec<NoData>,
    /// Names of the functions that `options.mix` may use.
    pub scenarios: Vec<String>,
    /// Whether there is a default function. If not, `options.mix` is set.
    pub has_default: bool,
    /// Whether there is a `setup`.
    pub has_setup: bool,
    /// Whether there is a `teardown`.
    pub has_teardown: bool,
}

/// An ended iteration of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// The group.
    pub group: GroupId,
    /// The return value of `setup` as JSON, `None` for an iteration, or the fault.
    pub outcome: Result<Option<String>, ScriptFault>,
}

/// The script engine of one worker. It cannot be shared between threads.
///
/// Script code runs only inside [`Script::turn`] and the three `start` calls. They return when all promises of the
/// script wait for events from the engine.
pub struct Script {
    pub(crate) state: Rc<State>,
    pub(crate) context: Context,
    pub(crate) runtime: Runtime,
    pub(crate) limits: Limits,
    /// The main module. An `Option`, so that the module can be dropped before the script engine.
    module: Option<Persistent<Object<'static>>>,
    /// Functions of the main module, called for every iteration.
    pub(crate) exports: Exports,
    /// The roles of the last group that had roles, and the group prototype for them.
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
    /// Evaluates the modules of a bundle. The modules may read these tables and variables.
    pub fn load(
        bundle: &Bundle,
        data: &DataStore,
        env: &Env,
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
                env: env.clone(),
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

    /// Returns the exports of the main module.
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

    /// Takes the iterations that ended since the last call.
    pub fn take_ended(&mut self) -> Vec<Ended> {
        std::mem::take(&mut self.state.outcome.borrow_mut().ended)
    }

    /// Removes a group with its operations, tickers, handlers and barriers. Later events for them are ignored.
    pub fn cancel_group(&mut self, group: GroupId) {
        let forgotten = self.state.work.borrow_mut().remove_group(group);
        if let (Some(key), Some(entry)) = (forgotten, self.state.entry()) {
            // If the prelude cannot release its state, only memory is lost.
            let _ = self.context.with(|ctx| {
                let forget = entry.forget.clone().restore(&ctx)?;
                forget.call::<_, ()>((key,))
            });
        }
    }

    /// Returns running groups that wait for no event. Such a group never ends, unless another group settles one of its
    /// promises. Each group is reported once.
    ///
    /// If users of a group wait at different barriers, these barriers fail instead, which often ends the iteration.
    pub fn stuck(&mut self) -> Vec<GroupId> {
        let mut blocked = self.idle_groups();
        blocked.retain(|&key| !self.unblock(key));
        self.state.outcome.borrow_mut().idle.extend(blocked);
        // Groups that wait at such barriers again after being unblocked count as stuck. Otherwise unblocking might
        // never end.
        let stuck = self.idle_groups();
        let work = self.state.work.borrow();
        let mut stuck: Vec<GroupId> = stuck
            .into_iter()
            .filter_map(|key| work.group_id(key))
            .collect();
        stuck.sort_unstable();
        stuck
    }

    /// Returns the groups that became idle since the last call and still wait for no event.
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

    /// Rejects those barriers of a group that can never open. Returns whether there were any.
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

    /// Returns the fault of a group that [`Script::stuck`] returned. The fault's location is the scenario function,
    /// because the script engine does not report where a suspended function waits.
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

    /// Takes the fault of running out of memory, after which the run must end.
    pub fn take_fatal(&mut self) -> Option<ScriptFault> {
        self.state.outcome.borrow_mut().fatal.take()
    }

    /// Returns the memory in use by the script engine, in bytes. It visits all objects, so it is too slow for every
    /// turn.
    pub fn memory_used(&self) -> usize {
        usize::try_from(self.runtime.memory_usage().malloc_size).unwrap_or(0)
    }

    /// Collects cyclic garbage. This never happens automatically while headcount measures. The pause grows with the
    /// number of users, by about 2 ms per thousand.
    pub fn collect_garbage(&mut self) {
        self.runtime.run_gc();
    }
}

impl Drop for Script {
    /// Values stored outside the script engine must be dropped before it.
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
