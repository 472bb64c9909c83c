//! Converts thrown values to faults with a location and source lines.

use model::{Fault, FaultKind, Side};
use rquickjs::{Ctx, FromJs, Value};
use serde::de::DeserializeOwned;

use crate::error::ScriptFault;
use crate::frame::Location;
use crate::stack::user_calls;
use crate::state::{NOBODY, State};

/// Maximum length of a message, in characters. The record stores one example of each kind.
const DETAIL_CHARS: usize = 500;

/// The script engine throws `null` when it has no memory left for an error object.
const NULL_THROWN: &str = "thrown: null (the script engine also throws null when memory runs out; the limit is \
                           options.script.memory)";

/// Converts a thrown value to a fault with its location in the scenario's files.
pub(crate) fn read<'js>(ctx: &Ctx<'js>, state: &State, thrown: &Value<'js>) -> ScriptFault {
    let stack = field::<String>(thrown, "stack").unwrap_or_default();
    let calls = user_calls(&state.material.bundle, &stack);
    let location = calls.first().map(|(location, _)| location.clone());
    let fault = if state.watch.tripped() {
        // The script engine knows the places of calls and of a few other expressions. The place of a loop without any
        // of them is that of the last one before it.
        let place = location
            .as_ref()
            .map_or("", |_| ", here or in a loop that follows");
        let detail = format!(
            "ran for more than {} without a pause{place}",
            state.watch.busy()
        );
        Fault::script(FaultKind::LoopedForever, detail)
    } else {
        // A built-in function says the same about its argument (`[1].map(5)`). The name there is not the culprit.
        let innermost = stack.lines().next().and_then(Location::of_call);
        let place = location.as_ref().filter(|_| innermost == location);
        what_at(ctx, state, thrown, place)
    };
    let lines: Vec<&str> = calls.iter().map(|(_, line)| *line).collect();
    ScriptFault {
        frame: location
            .as_ref()
            .and_then(|place| state.material.bundle.frame(place)),
        stack: (!lines.is_empty()).then(|| lines.join("\n")),
        location,
        user: Some(state.now.user.get())
            .filter(|&user| user != NOBODY)
            .and_then(|user| state.user_id(user)),
        step: None,
        fault,
    }
}

/// Converts a thrown value to a fault without its location.
pub(crate) fn what<'js>(ctx: &Ctx<'js>, state: &State, thrown: &Value<'js>) -> Fault {
    what_at(ctx, state, thrown, None)
}

fn what_at<'js>(
    ctx: &Ctx<'js>,
    state: &State,
    thrown: &Value<'js>,
    place: Option<&Location>,
) -> Fault {
    let message = field::<String>(thrown, "message");
    note_memory(state, thrown, message.as_deref());
    if let (Some(side), Some(kind)) = (
        named::<Side>(thrown, "side"),
        named::<FaultKind>(thrown, "kind"),
    ) {
        return Fault {
            side,
            kind,
            detail: cut(message.unwrap_or_default()),
        };
    }
    let is_error = thrown.is_error() || is_exception_of_the_web(thrown);
    let detail = match (is_error, field::<String>(thrown, "name"), message) {
        (true, Some(name), Some(message)) if message.is_empty() => name,
        (true, Some(name), Some(message)) => {
            let message = explained(ctx, state, &name, called_at(state, message, place));
            format!("{name}: {message}")
        }
        _ if thrown.is_null() => NULL_THROWN.to_owned(),
        _ => format!("thrown: {}", describe(ctx, state, thrown)),
    };
    Fault::script(FaultKind::Thrown, cut(detail))
}

/// Whether the thrown value is a `DOMException`, which the script engine does not count as an error.
fn is_exception_of_the_web(thrown: &Value<'_>) -> bool {
    thrown.is_object() && field::<String>(thrown, "stack").is_some()
}

/// Adds to the script engine's "not a function" what was called: the error's location is that of its name.
fn called_at(state: &State, message: String, place: Option<&Location>) -> String {
    let called = || state.material.bundle.name_at(place?);
    match message.as_str() {
        "not a function" => called().map_or(message, |name| format!("{name} is not a function")),
        _ => message,
    }
}

/// Returns the message of an error. If scenarios do not have what it is about, the message states the alternative.
fn explained(ctx: &Ctx<'_>, state: &State, name: &str, message: String) -> String {
    if !matches!(name, "ReferenceError" | "TypeError") {
        return message;
    }
    let explained = state.entry().and_then(|entry| {
        let explained = entry.explained.clone().restore(ctx).ok()?;
        explained.call::<_, String>((name, message.as_str())).ok()
    });
    explained.unwrap_or(message)
}

/// Formats a value like `console.log`.
fn describe<'js>(ctx: &Ctx<'js>, state: &State, value: &Value<'js>) -> String {
    let shown = state.entry().and_then(|entry| {
        entry
            .describe
            .clone()
            .restore(ctx)
            .ok()?
            .call::<_, String>((value.clone(),))
            .ok()
    });
    shown.unwrap_or_else(|| {
        let _ = ctx.catch();
        value.type_name().to_owned()
    })
}

fn note_memory(state: &State, thrown: &Value<'_>, message: Option<&str>) {
    let mut outcome = state.outcome.borrow_mut();
    outcome.memory_suspect |= thrown.is_null();
    outcome.memory_full |=
        thrown.is_error() && message.is_some_and(|message| message.starts_with("out of memory"));
}

/// Returns a property of a thrown object. A property that cannot be read counts as missing.
fn field<'js, T: FromJs<'js>>(thrown: &Value<'js>, name: &str) -> Option<T> {
    let object = thrown.as_object()?;
    object
        .get::<_, T>(name)
        .map_err(|_| object.ctx().catch())
        .ok()
}

fn named<T: DeserializeOwned>(thrown: &Value<'_>, name: &str) -> Option<T> {
    serde_json::from_value(serde_json::Value::String(field(thrown, name)?)).ok()
}

fn cut(mut text: String) -> String {
    if let Some((at, _)) = text.char_indices().nth(DETAIL_CHARS) {
        text.truncate(at);
        text.push('…');
    }
    text
}
