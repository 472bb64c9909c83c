//! Checks, steps, conditions, the scenario's metrics and log lines.

use model::{GroupId, UserId};
use rquickjs::function::{Opt, This};
use rquickjs::{Coerced, Result, Value};

use super::arg::{Given, text, type_error};
use super::native::{Call, Natives};
use super::people::caller;
use crate::fault;
use crate::host::{CheckPlace, Checked, LogLevel, MetricKind};
use crate::stack::{first_place, stack_of};
use crate::state::{NOBODY, State};

pub(super) fn install(natives: &Natives<'_>) -> Result<()> {
    natives.add("check", check_group)?;
    natives.add_as("checkUser", "check", check_user)?;
    natives.add("mayLeave", may_leave)?;
    natives.add("stepName", step_name)?;
    natives.add("stepBegin", step_begin)?;
    natives.add("stepEnd", step_end)?;
    natives.add("stepFailed", step_failed)?;
    natives.add("concurrent", concurrent)?;
    natives.add("metric", metric)?;
    natives.add("log", log)
}

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

fn check_group<'js>(call: &Call<'_, 'js>, group: u32, name: Value<'js>, ok: bool) -> Result<bool> {
    let name = text(&call.ctx, &name, CHECK)?;
    check(call, (group, None), &name, ok);
    Ok(ok)
}

fn check_user<'js>(
    call: &Call<'_, 'js>,
    This(who): This<Value<'js>>,
    Given(name): Given<'js>,
    Opt(ok): Opt<Coerced<bool>>,
) -> Result<bool> {
    let key = caller(&call.ctx, &who, call.method)?;
    let name = text(&call.ctx, &name, CHECK)?;
    let ok = ok.is_some_and(|ok| ok.0);
    let work = call.state.work.borrow();
    let group = work.members.get(key).map(|member| member.group);
    drop(work);
    if let Some(group) = group {
        check(call, (group, Some(key)), &name, ok);
    }
    Ok(ok)
}

/// Counts a check of a group, or of one of its users. Checks after the end of an iteration are not counted.
fn check(call: &Call<'_, '_>, (group, user): (u32, Option<u32>), name: &str, ok: bool) {
    let state = call.state;
    let result = if ok {
        Checked::Passed
    } else {
        let wanted = call.host().wants_place(name);
        Checked::Failed {
            user: user
                .or_else(|| current_user(state, group))
                .and_then(|user| state.user_id(user)),
            place: wanted.then(|| place(call)).flatten(),
        }
    };
    if let Some((group, _)) = whose(state, group, None) {
        call.host().check(group, name, result);
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
fn place(call: &Call<'_, '_>) -> Option<CheckPlace> {
    let bundle = &call.state.material.bundle;
    let location = first_place(bundle, &stack_of(&call.ctx)?)?;
    Some(CheckPlace {
        frame: bundle.frame(&location),
        location,
    })
}

fn may_leave(call: &Call<'_, '_>) {
    let mut work = call.state.work.borrow_mut();
    if let Some(group) = work.groups.get_mut(call.state.now.group.get()) {
        group.may_leave = true;
    }
}

fn step_name(call: &Call<'_, '_>, name: String, eventually: bool) -> u32 {
    call.host().step_name(&name, eventually)
}

fn step_begin(call: &Call<'_, '_>, group: u32, user: Option<u32>, name: u32) -> f64 {
    let Some((group, user)) = whose(call.state, group, user) else {
        return 0.0;
    };
    call.host().step_begin(group, user, name) as f64
}

fn step_end(call: &Call<'_, '_>, group: u32, user: Option<u32>, step: f64) {
    if let Some((group, user)) = whose(call.state, group, user) {
        call.host().step_end(group, user, number(step), None);
    }
}

fn step_failed<'js>(
    call: &Call<'_, 'js>,
    group: u32,
    user: Option<u32>,
    step: f64,
    error: Value<'js>,
) {
    if let Some((group, user)) = whose(call.state, group, user) {
        let fault = fault::what(&call.ctx, call.state, &error);
        let step = number(step);
        call.host().step_end(group, user, step, Some(&fault));
    }
}

fn concurrent(call: &Call<'_, '_>, group: u32, on: bool) {
    if let Some((group, _)) = whose(call.state, group, None) {
        call.host().concurrent(group, on);
    }
}

fn metric<'js>(call: &Call<'_, 'js>, kind: u32, name: String, value: Value<'js>) -> Result<()> {
    let Some(value) = value.as_number().filter(|value| value.is_finite()) else {
        return Err(type_error(
            &call.ctx,
            &format!("metric {name:?}: the value must be a finite number"),
        ));
    };
    let kind = match kind {
        0 => MetricKind::Counter,
        1 => MetricKind::Gauge,
        _ => MetricKind::Trend,
    };
    call.host().metric(kind, &name, value);
    Ok(())
}

fn log<'js>(call: &Call<'_, 'js>, level: u32, line: Value<'js>) {
    let level = match level {
        0 => LogLevel::Debug,
        1 => LogLevel::Info,
        2 => LogLevel::Warn,
        _ => LogLevel::Error,
    };
    let line = line.as_string().and_then(|line| line.to_string().ok());
    let line = line.unwrap_or_else(|| "(text with half a surrogate pair)".to_owned());
    call.host().log(level, &line);
}
