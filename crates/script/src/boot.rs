//! Loads the prelude with the native calls, and then the scenario's modules.

use std::rc::Rc;

use model::{Fault, FaultKind};
use rquickjs::module::Evaluated;
use rquickjs::promise::PromiseState;
use rquickjs::{Ctx, Module, Persistent, Value};

use crate::api;
use crate::entry::Entry;
use crate::error::{ScriptError, ScriptFault};
use crate::fault;
use crate::interpreter::Interpreter;
use crate::kept::{KeptObject, KeptPromise};
use crate::linker::prelude;
use crate::state::State;

/// Loads the prelude and passes it the native calls.
pub(crate) fn boot_prelude(interpreter: &Interpreter) -> Result<(), ScriptError> {
    let state = &interpreter.state;
    interpreter.context.with(|ctx| {
        api::install(&ctx, state)?;
        let (name, source) = prelude();
        let (module, done) = Module::declare(ctx.clone(), name, source)?.eval()?;
        while ctx.execute_pending_job() {}
        done.result::<()>().transpose()?;
        *state.entry.borrow_mut() = Some(Rc::new(Entry::of(&module.namespace()?)?));
        Ok::<_, rquickjs::Error>(())
    })?;
    Ok(())
}

/// Evaluates the scenario's modules and returns the exports of the main module.
pub(crate) fn evaluate_main(interpreter: &Interpreter) -> Result<KeptObject, ScriptError> {
    let Interpreter { state, context, .. } = interpreter;
    state.watch.restart();
    let begun = context.with(|ctx| {
        let begun = begin_main(&ctx, state);
        begun.map_err(|error| thrown(&ctx, state, &error))
    });
    let (exports, done) = begun?;
    interpreter.run_jobs();
    state.outcome.borrow_mut().rejections.clear();
    let loaded = context.with(|ctx| settled(&ctx, state, done));
    loaded.map(|()| exports)
}

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
pub(crate) fn thrown(ctx: &Ctx<'_>, state: &State, error: &rquickjs::Error) -> ScriptError {
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

/// Creates the error of a module that cannot be used.
pub(crate) fn plain_fault(state: &State, kind: FaultKind, message: &str) -> ScriptError {
    let message = format!("{}: {message}", state.material.bundle.name());
    ScriptFault::from(Fault::script(kind, message)).into()
}
