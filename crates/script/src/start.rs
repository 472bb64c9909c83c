//! Starts iterations of groups, `setup` and `teardown`.

use std::sync::Arc;

use model::{Fault, FaultKind, GroupId, Nanos};
use rquickjs::promise::PromiseState;
use rquickjs::{Array, Ctx, Object, Persistent, Promise, Result, Value};

use crate::api::group_object;
use crate::entry::Entry;
use crate::exports::{DEFAULT, Exports};
use crate::interpreter::Interpreter;
use crate::iteration::{Ended, GroupStart, Roles, UserStart};
use crate::kept::{Kept, KeptObject};
use crate::state::{NOBODY, State};
use crate::work::About;

/// The roles of the last group that had roles, and the group prototype for them.
pub(crate) type KnownRoles = Option<(Arc<Roles>, KeptObject)>;

/// Starts an iteration: calls the scenario function with the group.
pub(crate) fn start_group(
    interpreter: &Interpreter,
    exports: &Exports,
    known: &mut KnownRoles,
    start: GroupStart,
) {
    let about = About {
        id: start.id.0,
        number: start.number,
        iteration: start.iteration,
        level: start.level,
        setup: start.setup,
        scenario: None,
    };
    let function = start.scenario.as_deref().unwrap_or(DEFAULT);
    let enrolled = enroll(&interpreter.state, exports, function, about, start.users);
    let Some((key, function)) = enrolled else {
        return;
    };
    enter(interpreter, key, start.planned, |ctx, state, entry| {
        let group = match start.roles {
            None => entry.group.clone(),
            Some(roles) => group_with(ctx, entry, roles, known)?,
        };
        let group = group_object(key, group.restore(ctx)?)?;
        match function.restore(ctx)?.call((group,)) {
            Ok(ended) => story(ctx, entry, state, key, ended),
            Err(error) if error.is_exception() => {
                let report = entry.report.clone().restore(ctx)?;
                report.call((key, ctx.catch()))
            }
            Err(error) => Err(error),
        }
    });
}

/// Calls `setup` or `teardown` with one user. `setup` is the return value of `setup`, as JSON.
pub(crate) fn start_aside(
    interpreter: &Interpreter,
    exports: &Exports,
    name: &str,
    (group, user): (GroupId, UserStart),
    setup: Option<Arc<str>>,
) {
    let about = About {
        id: group.0,
        setup,
        ..About::default()
    };
    let enrolled = enroll(&interpreter.state, exports, name, about, vec![user]);
    let Some((key, function)) = enrolled else {
        return;
    };
    enter(interpreter, key, None, |ctx, _, entry| {
        let call = if name == "setup" {
            &entry.setup
        } else {
            &entry.teardown
        };
        let call = call.clone().restore(ctx)?;
        call.call((key, function.restore(ctx)?))
    });
}

/// Finds the function, and adds the group with its users.
fn enroll(
    state: &State,
    exports: &Exports,
    function: &str,
    about: About,
    users: Vec<UserStart>,
) -> Option<(u32, Kept)> {
    let id = GroupId(about.id);
    let place = exports.find(function);
    let about = About {
        scenario: place,
        ..about
    };
    let refused = match place.and_then(|place| exports.at(place)) {
        None => {
            let detail = format!("the scenario exports no function `{function}`");
            Fault::script(FaultKind::Thrown, detail)
        }
        Some(function) => {
            let key = state.work.borrow_mut().add_group(about, users);
            if let Some(key) = key {
                return Some((key, function));
            }
            let detail = "too many groups or users on one worker";
            Fault::generator(FaultKind::Resources, detail)
        }
    };
    state.outcome.borrow_mut().ended.push(Ended {
        group: id,
        outcome: Err(refused.into()),
    });
    None
}

/// Runs a step of a group for its first user.
fn enter(
    interpreter: &Interpreter,
    key: u32,
    planned: Option<Nanos>,
    call: impl for<'js> FnOnce(&Ctx<'js>, &State, &Entry) -> Result<()>,
) {
    let first = {
        let work = interpreter.state.work.borrow();
        let group = work.groups.get(key);
        group.and_then(|group| group.users.first().copied())
    };
    interpreter.step(key, first.unwrap_or(NOBODY), planned, |ctx, state| {
        state
            .entry()
            .map_or(Ok(()), |entry| call(ctx, state, &entry))
    });
}

/// Handles the return value of a scenario function. If it is a promise, the iteration ends when the promise settles.
fn story<'js>(
    ctx: &Ctx<'js>,
    entry: &Entry,
    state: &State,
    key: u32,
    ended: Value<'js>,
) -> Result<()> {
    if !ended.is_object() {
        state.end(key, Ok(None));
        return Ok(());
    }
    let promise: Promise<'js> = match ended.try_into_promise() {
        Ok(promise) => promise,
        Err(thenable) => entry.adopt.clone().restore(ctx)?.call((thenable,))?,
    };
    state
        .now
        .waits
        .set(promise.state() == PromiseState::Pending);
    if let Some(group) = state.work.borrow_mut().groups.get_mut(key) {
        group.story = Some(Persistent::save(ctx, promise));
    }
    Ok(())
}

/// Returns the group prototype for these roles. The last prototype is cached.
fn group_with(
    ctx: &Ctx<'_>,
    entry: &Entry,
    roles: Arc<Roles>,
    known: &mut KnownRoles,
) -> Result<KeptObject> {
    if let Some((_, kind)) = known.as_ref().filter(|(known, _)| *known == roles) {
        return Ok(kind.clone());
    }
    let flat = Array::new(ctx.clone())?;
    for (at, (name, count)) in roles.iter().enumerate() {
        flat.set(at * 2, name.as_str())?;
        flat.set(at * 2 + 1, *count)?;
    }
    let make = entry.group_with.clone().restore(ctx)?;
    let kind: Object<'_> = make.call((flat,))?;
    let kind = Persistent::save(ctx, kind);
    *known = Some((roles, kind.clone()));
    Ok(kind)
}
