//! Checks, steps, conditions, the scenario's metrics and log lines.

use model::{GroupId, UserId};
use rquickjs::function::{Opt, This};
use rquickjs::{Coerced, Ctx, Result, Value};

use super::Natives;
use super::arg::{Given, text, type_error};
use super::people::caller;
use crate::fault;
use crate::host::{CheckPlace, Checked, LogLevel, MetricKind};
use crate::stack::{first_place, stack_of};
use crate::state::{NOBODY, State};

/// Returns the group and user of an event. Events after the end of an iteration are not counted.
fn whose(state: &State, group: u32, user: Option<u32>) -> Option<(GroupId, Option<UserId>)> {
    let work = state.work.borrow();
    let user = user
        .and_then(|user| work.members.get(user))
        .map(|member| member.about.id);
    Some((work.group_id(group)?, user))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is a step number, which was passed to the script as a whole number"
)]
fn number(number: f64) -> u64 {
    number as u64
}

/// How error messages refer to the argument with a check's name.
const CHECK: &str = "check(name, ok): the name";

pub(super) fn install<'js>(natives: &Natives<'js>) -> Result<()> {
    let state = natives.state.clone();
    natives.add(
        "check",
        move |ctx: Ctx<'js>, group: u32, name: Value<'js>, ok: bool| -> Result<bool> {
            let name = text(&ctx, &name, CHECK)?;
            check(&ctx, &state, (group, None), &name, ok);
            Ok(ok)
        },
    )?;
    let state = natives.state.clone();
    natives.add("mayLeave", move || {
        let mut work = state.work.borrow_mut();
        if let Some(group) = work.groups.get_mut(state.now.group.get()) {
            group.may_leave = true;
        }
    })?;
    let state = natives.state.clone();
    natives.add(
        "checkUser",
        move |ctx: Ctx<'js>,
              This(who): This<Value<'js>>,
              Given(name): Given<'js>,
              ok: Opt<Coerced<bool>>|
              -> Result<bool> {
            let key = caller(&ctx, &who, "check")?;
            let name = text(&ctx, &name, CHECK)?;
            let ok = ok.0.is_some_and(|ok| ok.0);
            let group = state.work.borrow().members.get(key).map(|it| it.group);
            if let Some(group) = group {
                check(&ctx, &state, (group, Some(key)), &name, ok);
            }
            Ok(ok)
        },
    )?;
    steps(natives)?;
    metrics(natives)
}

/// Counts a check of a group, or of one of its users. Checks after the end of an iteration are not counted.
fn check(ctx: &Ctx<'_>, state: &State, (group, user): (u32, Option<u32>), name: &str, ok: bool) {
    let result = if ok {
        Checked::Passed
    } else {
        let wanted = state.host.borrow().wants_place(name);
        Checked::Failed {
            user: user
                .or_else(|| current_user(state, group))
                .and_then(|user| state.user_id(user)),
            place: wanted.then(|| place(ctx, state)).flatten(),
        }
    };
    if let Some((group, _)) = whose(state, group, None) {
        state.host.borrow_mut().check(group, name, result);
    }
}

/// The key of the user for whom the script runs. In a group of one, this is always the only member.
fn current_user(state: &State, group: u32) -> Option<u32> {
    let user = state.now.user.get();
    if user != NOBODY {
        return Some(user);
    }
    match state.work.borrow().groups.get(group)?.users[..] {
        [only] => Some(only),
        _ => None,
    }
}

/// The line of the scenario that made this call.
fn place(ctx: &Ctx<'_>, state: &State) -> Option<CheckPlace> {
    let location = first_place(&state.material.bundle, &stack_of(ctx)?)?;
    Some(CheckPlace {
        frame: state.material.bundle.frame(&location),
        location,
    })
}

fn steps<'js>(natives: &Natives<'js>) -> Result<()> {
    let state = natives.state.clone();
    natives.add("stepName", move |name: String, eventually: bool| -> u32 {
        state.host.borrow_mut().step_name(&name, eventually)
    })?;
    let state = natives.state.clone();
    natives.add(
        "stepBegin",
        move |group: u32, user: Option<u32>, name: u32| -> f64 {
            let Some((group, user)) = whose(&state, group, user) else {
                return 0.0;
            };
            state.host.borrow_mut().step_begin(group, user, name) as f64
        },
    )?;
    let state = natives.state.clone();
    natives.add(
        "stepEnd",
        move |group: u32, user: Option<u32>, step: f64| {
            if let Some((group, user)) = whose(&state, group, user) {
                let mut host = state.host.borrow_mut();
                host.step_end(group, user, number(step), None);
            }
        },
    )?;
    let state = natives.state.clone();
    natives.add(
        "stepFailed",
        move |ctx: Ctx<'js>, group: u32, user: Option<u32>, step: f64, error: Value<'js>| {
            if let Some((group, user)) = whose(&state, group, user) {
                let fault = fault::what(&ctx, &state, &error);
                let mut host = state.host.borrow_mut();
                host.step_end(group, user, number(step), Some(&fault));
            }
        },
    )?;
    let state = natives.state.clone();
    natives.add("concurrent", move |group: u32, on: bool| {
        if let Some((group, _)) = whose(&state, group, None) {
            state.host.borrow_mut().concurrent(group, on);
        }
    })
}

fn metrics<'js>(natives: &Natives<'js>) -> Result<()> {
    let state = natives.state.clone();
    natives.add(
        "metric",
        move |ctx: Ctx<'js>, kind: u32, name: String, value: Value<'js>| -> Result<()> {
            let Some(value) = value.as_number().filter(|value| value.is_finite()) else {
                return Err(type_error(
                    &ctx,
                    &format!("metric {name:?}: the value must be a finite number"),
                ));
            };
            let kind = match kind {
                0 => MetricKind::Counter,
                1 => MetricKind::Gauge,
                _ => MetricKind::Trend,
            };
            state.host.borrow_mut().metric(kind, &name, value);
            Ok(())
        },
    )?;
    let state = natives.state.clone();
    natives.add("log", move |level: u32, line: Value<'js>| {
        let level = match level {
            0 => LogLevel::Debug,
            1 => LogLevel::Info,
            2 => LogLevel::Warn,
            _ => LogLevel::Error,
        };
        let line = line.as_string().and_then(|line| line.to_string().ok());
        let line = line.unwrap_or_else(|| "(text with half a surrogate pair)".to_owned());
        state.host.borrow_mut().log(level, &line);
    })
}
