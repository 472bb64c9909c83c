//! Native calls of a user: headers, cookies, random numbers and data. Also the calls with which `setup` creates users.

use std::cell::Cell;

use rquickjs::function::{Opt, This};
use rquickjs::{IntoJs, Result, String as JsString, Undefined, Value};

use super::arg::{Given, ended, text};
use super::native::{Call, Natives};
use super::payload::json;
use super::people::Who;
use super::receiver::{Caller, User};
use crate::fault;
use crate::iteration::UserStart;
use crate::state::NOBODY;

pub(super) fn install(natives: &Natives<'_>) -> Result<()> {
    natives.add("userName", name)?;
    natives.add("userIndex", index)?;
    natives.add("userNumber", number)?;
    natives.add("userRole", role)?;
    natives.add("dataOf", data)?;
    natives.add("header", header)?;
    natives.add("cookie", cookie)?;
    natives.add_as("userState", "state", state)?;
    natives.add("random", random)?;
    let loading = Cell::new(0);
    natives.add("chance", move |call: &Call<'_, '_>| chance(call, &loading))?;
    natives.add("newUser", new_user)?;
    natives.add("poolUser", pool_user)?;
    natives.add("poolFailed", pool_failed)?;
    natives.add("poolBegin", pool_begin)?;
    natives.add("poolEnd", pool_end)
}

// Properties of a user are read on demand, because a user is created for every iteration.

fn name<'js>(call: &Call<'_, 'js>, This(Who(key)): This<Who>) -> Result<JsString<'js>> {
    of_user(call, key, |user| {
        JsString::from_str(call.ctx.clone(), &user.name)
    })
}

fn index(call: &Call<'_, '_>, This(Who(key)): This<Who>) -> Result<u32> {
    of_user(call, key, |user| Ok(user.index))
}

fn number(call: &Call<'_, '_>, This(Who(key)): This<Who>) -> Result<u32> {
    of_user(call, key, |user| Ok(user.number))
}

fn role(call: &Call<'_, '_>, This(Who(key)): This<Who>) -> Result<Option<String>> {
    of_user(call, key, |user| {
        Ok(user.role.as_deref().map(str::to_owned))
    })
}

fn of_user<T>(
    call: &Call<'_, '_>,
    key: u32,
    look: impl FnOnce(&UserStart) -> Result<T>,
) -> Result<T> {
    let work = call.state.work.borrow();
    let member = work.members.get(key).ok_or_else(|| ended(&call.ctx))?;
    look(&member.about)
}

fn data<'js>(call: &Call<'_, 'js>, This(Who(key)): This<Who>) -> Result<Value<'js>> {
    let data = {
        let work = call.state.work.borrow();
        let member = work.members.get(key);
        member.and_then(|member| member.about.data.clone())
    };
    match data {
        Some(data) => call.ctx.json_parse(&*data),
        None => Undefined.into_js(&call.ctx),
    }
}

fn header<'js>(
    call: &Call<'_, 'js>,
    Caller(user): Caller,
    Given(name): Given<'js>,
    Given(value): Given<'js>,
) -> Result<()> {
    let name = text(&call.ctx, &name, "user.header(name, value): the name")?;
    let what = "user.header(name, value): the value";
    let value = match &value {
        none if none.is_undefined() => None,
        some => Some(text(&call.ctx, some, what)?),
    };
    let done = call.host().set_header(user.id, &name, value.as_deref());
    call.or_throw(done)
}

fn cookie<'js>(
    call: &Call<'_, 'js>,
    Caller(user): Caller,
    Given(name): Given<'js>,
) -> Result<Option<String>> {
    let name = text(&call.ctx, &name, "user.cookie(name): the name")?;
    Ok(call.host().cookie(user.id, &name))
}

fn state<'js>(
    call: &Call<'_, 'js>,
    Caller(user): Caller,
    name: String,
    Given(value): Given<'js>,
) -> Result<()> {
    let value = text(&call.ctx, &value, "user.state(name, text): the text")?;
    call.host().user_state(user.id, &name, &value);
    Ok(())
}

fn random(call: &Call<'_, '_>, Caller(user): Caller) -> f64 {
    call.host().random(user.id)
}

/// Returns a number of `Math.random`, from the generator of the user for whom the script runs. While modules load there
/// is no user, so the numbers are a fixed sequence that is the same on every worker. `loading` counts these numbers.
fn chance(call: &Call<'_, '_>, loading: &Cell<u64>) -> f64 {
    let current = call.state.now.user.get();
    let id = (current != NOBODY)
        .then(|| call.state.user_id(current))
        .flatten();
    if let Some(id) = id {
        return call.host().random(id);
    }
    loading.set(loading.get().wrapping_add(1));
    fraction(loading.get())
}

/// Returns the n-th number of a fixed sequence in [0, 1): `SplitMix64`.
fn fraction(n: u64) -> f64 {
    let mut z = n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

fn new_user(call: &Call<'_, '_>, group: u32, index: u32, pool: u32) -> Result<u32> {
    let id = call.state.work.borrow().group_id(group);
    let id = id.ok_or_else(|| ended(&call.ctx))?;
    let name = format!("p{index}-{}", call.host().run_tag());
    let about = UserStart {
        id: call.host().new_user(id, pool),
        name: name.into(),
        index,
        number: index,
        role: None,
        data: None,
    };
    let key = call.state.work.borrow_mut().add_member(group, about);
    key.ok_or(rquickjs::Error::Allocation)
}

fn pool_user<'js>(call: &Call<'_, 'js>, user: User, Opt(made): Opt<Value<'js>>) -> Result<()> {
    let what = "the return value of the function given to pool";
    let data = match made {
        Some(made) if !made.is_undefined() => json(&call.ctx, &made, what)?,
        _ => "null".to_owned(),
    };
    call.host().pool_user(user.id, data);
    Ok(())
}

fn pool_failed<'js>(call: &Call<'_, 'js>, user: User, error: Value<'js>) {
    let fault = fault::what(&call.ctx, call.state, &error);
    call.host().pool_failed(user.id, &fault);
}

fn pool_begin(call: &Call<'_, '_>, count: u32, at_once: u32) -> u32 {
    call.host().pool_begin(count, at_once)
}

fn pool_end(call: &Call<'_, '_>, pool: u32) {
    call.host().pool_end(pool);
}
