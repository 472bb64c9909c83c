//! The exports of the main module.

use model::FaultKind;
use rquickjs::{Ctx, Value};
use serde::Deserialize;
use serde_json::Value as Json;

use crate::boot::{plain_fault, thrown};
use crate::error::ScriptError;
use crate::exports::{DEFAULT, Exports};
use crate::host::AudienceSpec;
use crate::interpreter::Interpreter;
use crate::kept::KeptObject;
use crate::state::State;

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
    /// The passive audiences, in the order of their declaration.
    pub audiences: Vec<AudienceSpec>,
    /// Whether there is a `setup`.
    pub has_setup: bool,
    /// Whether there is a `teardown`.
    pub has_teardown: bool,
}

/// Returns the exports of the main module.
pub(crate) fn declared(
    interpreter: &Interpreter,
    module: KeptObject,
    exports: &Exports,
) -> Result<Declared, ScriptError> {
    let state = &interpreter.state;
    let Options { options, problems } = interpreter
        .context
        .with(|ctx| options(&ctx, state, module))?;
    let has_default = exports.has(DEFAULT);
    if !has_default && options.get("mix").is_none_or(Json::is_null) {
        return Err(no_scenario(state));
    }
    Ok(Declared {
        options,
        problems,
        scenarios: exports.scenarios(),
        has_default,
        audiences: specs(state),
        has_setup: exports.has("setup"),
        has_teardown: exports.has("teardown"),
    })
}

fn specs(state: &State) -> Vec<AudienceSpec> {
    let audiences = state.audiences.borrow();
    audiences.iter().map(|one| one.spec.clone()).collect()
}

/// Creates the error for a scenario with neither a default function nor a mix.
fn no_scenario(state: &State) -> ScriptError {
    let message = "it has no default export; write `export default async function (group) { … }`, \
        or name exported functions in `options.mix`";
    plain_fault(state, FaultKind::Thrown, message)
}

/// `options` as the prelude returns them.
#[derive(Default, Deserialize)]
struct Options {
    #[serde(default)]
    options: Json,
    problems: Vec<NoData>,
}

/// Returns the main module's `options`, or null, and the values in `options` that are not plain data.
fn options(ctx: &Ctx<'_>, state: &State, module: KeptObject) -> Result<Options, ScriptError> {
    let Some(entry) = state.entry() else {
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
