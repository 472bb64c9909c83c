//! Creates the script engine: limits, module loader, native calls, prelude, main module.

use std::rc::Rc;

use model::{Fault, FaultKind};
use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::{Declared as Linked, Evaluated};
use rquickjs::promise::PromiseState;
use rquickjs::{Ctx, Exception, Function, Module, Object, Persistent, Promise, Runtime, Value};
use serde::Deserialize;
use serde_json::Value as Json;

use crate::api;
use crate::bundle::{Import, resolve};
use crate::error::{ScriptError, ScriptFault};
use crate::fault;
use crate::script::{Limits, NoData, Script};
use crate::state::State;
use crate::work::{Kept, KeptObject};

/// Stack size of the script engine. The thread's own stack must be much larger.
const STACK_BYTES: usize = 512 << 10;

/// The modules of the API in JavaScript, by topic. Scenarios can import only `headcount`.
const PRELUDE: [(&str, &str); 16] = [
    ("headcount", include_str!("prelude/public.js")),
    ("headcount/native", include_str!("prelude/native.js")),
    ("headcount/check", include_str!("prelude/check.js")),
    ("headcount/absent", include_str!("prelude/absent.js")),
    ("headcount/clone", include_str!("prelude/clone.js")),
    ("headcount/crypto", include_str!("prelude/crypto.js")),
    ("headcount/url", include_str!("prelude/url.js")),
    ("headcount/globals", include_str!("prelude/globals.js")),
    ("headcount/inspect", include_str!("prelude/inspect.js")),
    ("headcount/story", include_str!("prelude/story.js")),
    ("headcount/user", include_str!("prelude/user.js")),
    ("headcount/socket", include_str!("prelude/socket.js")),
    ("headcount/socketio", include_str!("prelude/socketio.js")),
    ("headcount/together", include_str!("prelude/together.js")),
    ("headcount/group", include_str!("prelude/group.js")),
    ("headcount/entry", include_str!("prelude/entry.js")),
];

/// Functions of the prelude that native code calls.
pub(crate) struct Entry {
    /// Prototype of groups without roles.
    pub(crate) group: KeptObject,
    /// Creates the prototype of groups with roles.
    pub(crate) group_with: Kept,
    /// Reports the failure of a group's iteration.
    pub(crate) report: Kept,
    /// Converts a thenable to a promise.
    pub(crate) adopt: Kept,
    /// Releases the state shared by the objects of an iteration.
    pub(crate) forget: Kept,
    /// Rejects those barriers of a group that can never open.
    pub(crate) unblock: Kept,
    /// Runs `setup`.
    pub(crate) setup: Kept,
    /// Runs `teardown`.
    pub(crate) teardown: Kept,
    /// Creates a socket object.
    pub(crate) socket: Kept,
    /// Creates a Socket.IO socket object.
    pub(crate) socketio: Kept,
    /// Runs an event handler.
    pub(crate) hear: Kept,
    /// Converts an acknowledgement or an awaited event to its script value.
    pub(crate) heard: Kept,
    /// Converts a fault to an error object.
    pub(crate) failure: Kept,
    /// Converts a fault to an error object for a promise. The error's location is that of the `await`.
    pub(crate) rejection: Kept,
    /// Returns the message of an error. If a name does not exist in scenarios, the message states the alternative.
    pub(crate) explained: Kept,
    /// Formats a value as a line of text.
    pub(crate) describe: Kept,
    /// Converts `options` to JSON text.
    pub(crate) plain: Kept,
}

impl Entry {
    fn of(exports: &Object<'_>) -> rquickjs::Result<Self> {
        let ctx = exports.ctx();
        let kept = |name: &str| -> rquickjs::Result<Kept> {
            Ok(Persistent::save(ctx, exports.get::<_, Function<'_>>(name)?))
        };
        Ok(Self {
            group: Persistent::save(ctx, exports.get::<_, Object<'_>>("groupKind")?),
            group_with: kept("groupWith")?,
            report: kept("report")?,
            adopt: kept("adopt")?,
            forget: kept("forget")?,
            unblock: kept("unblock")?,
            setup: kept("runSetup")?,
            teardown: kept("runTeardown")?,
            socket: kept("makeSocket")?,
            socketio: kept("makeSocketIo")?,
            hear: kept("hear")?,
            heard: kept("heard")?,
            failure: kept("failure")?,
            rejection: kept("rejection")?,
            explained: kept("explained")?,
            describe: kept("describe")?,
            plain: kept("plain")?,
        })
    }
}

/// Creates a runtime with its limits and watchers.
pub(crate) fn runtime(state: &Rc<State>, limits: Limits) -> Result<Runtime, ScriptError> {
    let runtime = Runtime::new()?;
    runtime.set_memory_limit(limits.memory_bytes);
    runtime.set_max_stack_size(STACK_BYTES);
    runtime.set_gc_threshold(usize::MAX);
    runtime.set_loader(Linker(state.clone()), Linker(state.clone()));
    let watched = state.clone();
    runtime.set_interrupt_handler(Some(Box::new(move || watched.watch.poll(&watched.host))));
    let tracked = state.clone();
    runtime.set_host_promise_rejection_tracker(Some(Box::new(
        move |ctx, promise, reason, handled| {
            let rejections = &mut tracked.outcome.borrow_mut().rejections;
            if handled {
                rejections.handled(&ctx, &promise);
            } else {
                rejections.add(&ctx, promise, reason);
            }
        },
    )));
    Ok(runtime)
}

impl Script {
    /// Loads the prelude and passes it the native calls.
    pub(crate) fn boot_prelude(&mut self) -> Result<(), ScriptError> {
        let state = &self.state;
        self.context.with(|ctx| {
            api::install(&ctx, state)?;
            let (name, source) = PRELUDE[PRELUDE.len() - 1];
            let (module, done) = Module::declare(ctx.clone(), name, source)?.eval()?;
            while ctx.execute_pending_job() {}
            done.result::<()>().transpose()?;
            *state.entry.borrow_mut() = Some(Rc::new(Entry::of(&module.namespace()?)?));
            Ok::<_, rquickjs::Error>(())
        })?;
        Ok(())
    }

    /// Evaluates the scenario's modules and returns the exports of the main module.
    pub(crate) fn evaluate_main(&mut self) -> Result<Persistent<Object<'static>>, ScriptError> {
        self.state.watch.restart();
        let begun = self.context.with(|ctx| {
            let begun = begin_main(&ctx, &self.state);
            begun.map_err(|error| thrown(&ctx, &self.state, &error))
        });
        let (exports, done) = begun?;
        self.run_jobs();
        self.state.outcome.borrow_mut().rejections.clear();
        let loaded = self.context.with(|ctx| settled(&ctx, &self.state, done));
        loaded.map(|()| exports)
    }
}

type KeptPromise = Persistent<Promise<'static>>;

fn begin_main(ctx: &Ctx<'_>, state: &State) -> rquickjs::Result<(KeptObject, KeptPromise)> {
    let bundle = &state.material.bundle;
    let main = bundle
        .module(bundle.name())
        .ok_or(rquickjs::Error::Unknown)?;
    let declared = Module::declare(ctx.clone(), main.name.as_str(), main.code.as_str())?;
    let (module, done): (Module<'_, Evaluated>, _) = declared.eval()?;
    Ok((
        Persistent::save(ctx, module.namespace()?),
        Persistent::save(ctx, done),
    ))
}

/// Checks that the main module was evaluated completely.
fn settled(ctx: &Ctx<'_>, state: &State, done: KeptPromise) -> Result<(), ScriptError> {
    if let Some(looped) = state.outcome.borrow_mut().fatal.take() {
        return Err(looped.into());
    }
    let done = done.restore(ctx)?;
    match done.state() {
        PromiseState::Resolved => Ok(()),
        PromiseState::Rejected => match done.result::<Value<'_>>() {
            Some(Err(error)) => Err(thrown(ctx, state, &error)),
            _ => Err(ScriptError::Engine(
                "a module failed without a reason".to_owned(),
            )),
        },
        PromiseState::Pending => Err(plain_fault(
            state,
            FaultKind::NeverSettles,
            "this top-level `await` never settles: a module must load without waiting; \
             move it into `setup` or the default function",
        )),
    }
}

/// Converts a script engine error during loading to an error in the user's terms.
fn thrown(ctx: &Ctx<'_>, state: &State, error: &rquickjs::Error) -> ScriptError {
    if !error.is_exception() {
        return ScriptError::Engine(error.to_string());
    }
    let mut fault = fault::read(ctx, state, &ctx.catch());
    if let Some(name) = missing_export(&fault.fault.detail) {
        fault.fault.detail = format!(
            "\"headcount\" exports no value `{name}`; if it is a type, write `import type {{ {name} }}`"
        );
    }
    fault.into()
}

/// Extracts the missing name from the script engine's message about an import that the API does not export.
fn missing_export(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once("Could not find export '")?;
    let (name, rest) = rest.split_once('\'')?;
    rest.contains("'headcount'").then_some(name)
}

fn plain_fault(state: &State, kind: FaultKind, message: &str) -> ScriptError {
    let message = format!("{}: {message}", state.material.bundle.name());
    ScriptFault::from(Fault::script(kind, message)).into()
}

/// Creates the error for a scenario with neither a default function nor a mix.
pub(crate) fn no_scenario(state: &State) -> ScriptError {
    let message = "it has no default export; write `export default async function (group) { … }`, \
        or name exported functions in `options.mix`";
    plain_fault(state, FaultKind::Thrown, message)
}

/// `options` as the prelude returns them.
#[derive(Default, Deserialize)]
pub(crate) struct Options {
    #[serde(default)]
    pub(crate) options: Json,
    pub(crate) problems: Vec<NoData>,
}

/// Returns the main module's `options`, or null, and the values in `options` that are not plain data.
pub(crate) fn options(
    ctx: &Ctx<'_>,
    state: &State,
    module: Option<KeptObject>,
) -> Result<Options, ScriptError> {
    let (Some(module), Some(entry)) = (module, state.entry()) else {
        return Ok(Options::default());
    };
    let options: Value<'_> = module.restore(ctx)?.get("options")?;
    if options.is_undefined() {
        return Ok(Options::default());
    }
    let plain = entry.plain.clone().restore(ctx)?;
    let text: String = plain
        .call((options,))
        .map_err(|error| thrown(ctx, state, &error))?;
    serde_json::from_str(&text).map_err(|error| ScriptError::Engine(error.to_string()))
}

/// Resolves modules from the bundle and the prelude only.
struct Linker(Rc<State>);

impl Resolver for Linker {
    fn resolve<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        base: &str,
        name: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<String> {
        let bundle = &self.0.material.bundle;
        if !bundle.has(base) {
            return Ok(name.to_owned());
        }
        match resolve(base, name) {
            Ok(Import::Api) => Ok("headcount".to_owned()),
            Ok(Import::Module(found)) if bundle.has(&found) => Ok(found),
            Ok(Import::Module(found)) => {
                let message = format!(
                    "cannot import `{name}`: {found} did not exist when the scenario was read"
                );
                Err(Exception::throw_type(ctx, &message))
            }
            Err(message) => Err(Exception::throw_type(ctx, &message)),
        }
    }
}

impl Loader for Linker {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<Module<'js, Linked>> {
        if let Some(module) = self.0.material.bundle.module(name) {
            return Module::declare(ctx.clone(), name, module.code.as_str());
        }
        match PRELUDE.iter().find(|(known, _)| *known == name) {
            Some((_, source)) => Module::declare(ctx.clone(), name, *source),
            None => Err(Exception::throw_type(
                ctx,
                &format!("cannot import `{name}`"),
            )),
        }
    }
}
