//! Faults of the engine as errors of the script.

use model::Fault;
use rquickjs::{Ctx, Result, Value};

use crate::kept::Kept;
use crate::state::State;

/// Rejects a promise within the call that returns it to the script.
pub(crate) fn reject(ctx: &Ctx<'_>, state: &State, reject: Kept, fault: &Fault) -> Result<()> {
    let error = failure(ctx, state, fault)?;
    reject.restore(ctx)?.call((error,))
}

/// Converts a fault to an `Error` with `side` and `kind`.
pub(crate) fn failure<'js>(ctx: &Ctx<'js>, state: &State, fault: &Fault) -> Result<Value<'js>> {
    let entry = state.entry().ok_or(rquickjs::Error::Unknown)?;
    error_of(ctx, &entry.failure, fault)
}

/// Converts a fault to an error object with one of the prelude's functions.
pub(crate) fn error_of<'js>(ctx: &Ctx<'js>, make: &Kept, fault: &Fault) -> Result<Value<'js>> {
    let (side, kind) = names_of(fault);
    make.clone()
        .restore(ctx)?
        .call((side, kind, fault.detail.as_str()))
}

/// The names of a fault's side and kind, as scripts see them.
pub(crate) fn names_of(fault: &Fault) -> (Option<String>, Option<String>) {
    let name = |value: serde_json::Result<serde_json::Value>| {
        value
            .ok()
            .and_then(|value| value.as_str().map(str::to_owned))
    };
    let side = name(serde_json::to_value(fault.side));
    let kind = name(serde_json::to_value(fault.kind));
    (side, kind)
}
