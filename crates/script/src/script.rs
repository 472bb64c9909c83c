use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use model::{GroupId, Nanos};

use crate::api::{Members, describe};
use crate::boot::{boot_prelude, evaluate_main};
use crate::bundle::Bundle;
use crate::data::DataStore;
use crate::declared::{Declared, declared};
use crate::env::Env;
use crate::error::{ScriptError, ScriptFault};
use crate::exports::Exports;
use crate::fault;
use crate::host::{Host, MemberCall, Wake};
use crate::interpreter::{Interpreter, Limits};
use crate::iteration::{Ended, GroupStart, UserStart};
use crate::kept::KeptObject;
use crate::loading::Loading;
use crate::start::{KnownRoles, start_aside, start_group};
use crate::state::{Material, State};
use crate::stuck::{never_settles, stuck};
use crate::turn::turn;

/// The script engine of one worker. It cannot be shared between threads.
///
/// Script code runs only inside [`Script::turn`] and the three `start` calls. They return when all promises of the
/// script wait for events from the engine.
pub struct Script {
    // The fields are dropped in this order. Values of the script must be dropped before the script engine.
    /// The main module.
    module: KeptObject,
    /// Functions of the main module, called for every iteration.
    exports: Exports,
    known: KnownRoles,
    interpreter: Interpreter,
}

impl std::fmt::Debug for Script {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Script")
            .field("bundle", &self.interpreter.state.material.bundle.name())
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
        let material = Material::new(bundle.clone(), data.clone(), env.clone());
        let state = State::new(host, material, limits.busy.into());
        let interpreter = Interpreter::new(Rc::new(state), limits)?;
        boot_prelude(&interpreter)?;
        let module = evaluate_main(&interpreter)?;
        let exports = interpreter
            .context
            .with(|ctx| Exports::of(&module.clone().restore(&ctx)?))?;
        interpreter.state.material.loading.set(false);
        Ok(Self {
            module,
            exports,
            known: None,
            interpreter,
        })
    }

    /// Evaluates the modules of a bundle without an engine, and returns the exports of the main module. `now` is the clock
    /// that limits the time of loading.
    pub fn declare(
        bundle: &Bundle,
        data: &DataStore,
        env: &Env,
        now: impl Fn() -> Nanos + 'static,
    ) -> Result<Declared, ScriptError> {
        let host = Rc::new(RefCell::new(Loading(now)));
        Self::load(bundle, data, env, host, Limits::default())?.declared()
    }

    /// Returns the exports of the main module.
    pub fn declared(&self) -> Result<Declared, ScriptError> {
        declared(&self.interpreter, self.module.clone(), &self.exports)
    }

    /// Starts an iteration: calls the scenario function with the group.
    pub fn start_group(&mut self, start: GroupStart) {
        start_group(&self.interpreter, &self.exports, &mut self.known, start);
    }

    /// Calls `setup` with one user.
    pub fn start_setup(&mut self, group: GroupId, user: UserStart) {
        start_aside(
            &self.interpreter,
            &self.exports,
            "setup",
            (group, user),
            None,
        );
    }

    /// Calls `teardown` with one user and the return value of `setup`, as JSON.
    pub fn start_teardown(&mut self, group: GroupId, user: UserStart, setup: Option<&str>) {
        let setup = setup.map(Arc::from);
        start_aside(
            &self.interpreter,
            &self.exports,
            "teardown",
            (group, user),
            setup,
        );
    }

    /// Asks the scenario how these members of a passive audience connect. `setup` is the return value of `setup`, as
    /// JSON.
    pub fn members(
        &mut self,
        audience: usize,
        numbers: Range<u32>,
        setup: Option<&str>,
    ) -> Result<Vec<MemberCall>, Box<ScriptFault>> {
        let Interpreter { state, context, .. } = &self.interpreter;
        let members = Members { audience, numbers };
        let described = context.with(|ctx| {
            let described = describe(&ctx, state, members, setup);
            described.map_err(|_| Box::new(fault::read(&ctx, state, &ctx.catch())))
        });
        self.interpreter.run_jobs();
        described
    }

    /// Passes events to the script. For each event, its promise or callback runs first, then every job that follows, so
    /// that all work belongs to a known user.
    ///
    /// The run time is not bounded. Callers limit the number of events according to how long the sockets may wait.
    pub fn turn(&mut self, wakes: &mut dyn Iterator<Item = Wake>) {
        turn(&self.interpreter, wakes);
    }

    /// Takes the iterations that ended since the last call.
    pub fn take_ended(&mut self) -> Vec<Ended> {
        std::mem::take(&mut self.interpreter.state.outcome.borrow_mut().ended)
    }

    /// Removes a group with its operations, tickers, handlers and barriers. Later events for them are ignored.
    pub fn cancel_group(&mut self, group: GroupId) {
        let Interpreter { state, context, .. } = &self.interpreter;
        let forgotten = state.work.borrow_mut().remove_group(group);
        if let (Some(key), Some(entry)) = (forgotten, state.entry()) {
            // If the prelude cannot release its state, only memory is lost.
            let _ = context.with(|ctx| {
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
        stuck(&self.interpreter)
    }

    /// Returns the fault of a group that [`Script::stuck`] returned. The fault's location is the scenario function,
    /// because the script engine does not report where a suspended function waits.
    pub fn never_settles(&self, group: GroupId, detail: String) -> ScriptFault {
        never_settles(&self.interpreter, &self.exports, group, detail)
    }

    /// Takes the fault of running out of memory, after which the run must end.
    pub fn take_fatal(&mut self) -> Option<ScriptFault> {
        self.interpreter.state.outcome.borrow_mut().fatal.take()
    }

    /// Returns the memory in use by the script engine, in bytes. It visits all objects, so it is too slow for every
    /// turn.
    pub fn memory_used(&self) -> usize {
        self.interpreter.memory_used()
    }

    /// Collects cyclic garbage. This never happens automatically while headcount measures. The pause grows with the
    /// number of users, by about 2 ms per thousand.
    pub fn collect_garbage(&mut self) {
        self.interpreter.runtime.run_gc();
    }
}
