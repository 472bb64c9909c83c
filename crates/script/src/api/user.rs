//! Native calls of a user: headers, cookies, random numbers and data. Also the calls with which `setup` creates users.

use rquickjs::function::{Opt, This};
use rquickjs::{Ctx, IntoJs, Result, String as JsString, Undefined, Value};

use super::Natives;
use super::arg::{Given, ended, text, throw};
use super::op::user;
use super::payload::json;
use super::people::{Who, caller};
use crate::fault;
use crate::iteration::UserStart;
use crate::state::{NOBODY, State};

pub(super) fn install(natives: &Natives<'_>) -> Result<()> {
    about(natives)?;
    belongings(natives)?;
    chance(natives)?;
    pool(natives)
}

/// Properties of a user. They are read on demand, because a user is created for every iteration.
fn about<'js>(natives: &Natives<'js>) -> Result<()> {
    let state = natives.state.clone();
    natives.add(
        "userName",
        move |ctx: Ctx<'js>, This(Who(key)): This<Who>| -> Result<JsString<'js>> {
            of_user(&ctx, &state, key, |user| {
                JsString::from_str(ctx.clone(), &user.name)
            })
        },
    )?;
    let state = natives.state.clone();
    natives.add(
        "userIndex",
        move |ctx: Ctx<'js>, This(Who(key)): This<Who>| -> Result<u32> {
            of_user(&ctx, &state, key, |user| Ok(user.index))
        },
    )?;
    let state = natives.state.clone();
    natives.add(
        "userNumber",
        move |ctx: Ctx<'js>, This(Who(key)): This<Who>| -> Result<u32> {
            of_user(&ctx, &state, key, |user| Ok(user.number))
        },
    )?;
    let state = natives.state.clone();
    natives.add(
        "userRole",
        move |ctx: Ctx<'js>, This(Who(key)): This<Who>| -> Result<Option<String>> {
            of_user(&ctx, &state, key, |user| {
                Ok(user.role.as_deref().map(str::to_owned))
            })
        },
    )
}

fn of_user<T>(
    ctx: &Ctx<'_>,
    state: &State,
    key: u32,
    look: impl FnOnce(&UserStart) -> Result<T>,
) -> Result<T> {
    let work = state.work.borrow();
    let member = work.members.get(key).ok_or_else(|| ended(ctx))?;
    look(&member.about)
}

fn belongings<'js>(natives: &Natives<'js>) -> Result<()> {
    let state = natives.state.clone();
    natives.add(
        "header",
        move |ctx: Ctx<'js>,
              This(who): This<Value<'js>>,
              Given(name): Given<'js>,
              Given(value): Given<'js>|
              -> Result<()> {
            let key = caller(&ctx, &who, "header")?;
            let (id, _) = user(&ctx, &state, key)?;
            let name = text(&ctx, &name, "user.header(name, value): the name")?;
            let value = match &value {
                none if none.is_undefined() => None,
                some => Some(text(&ctx, some, "user.header(name, value): the value")?),
            };
            let done = state
                .host
                .borrow_mut()
                .set_header(id, &name, value.as_deref());
            done.map_err(|fault| throw(&ctx, &state, &fault))
        },
    )?;
    let state = natives.state.clone();
    natives.add(
        "cookie",
        move |ctx: Ctx<'js>,
              This(who): This<Value<'js>>,
              Given(name): Given<'js>|
              -> Result<Option<String>> {
            let key = caller(&ctx, &who, "cookie")?;
            let (id, _) = user(&ctx, &state, key)?;
            let name = text(&ctx, &name, "user.cookie(name): the name")?;
            Ok(state.host.borrow_mut().cookie(id, &name))
        },
    )?;
    let state = natives.state.clone();
    natives.add(
        "userState",
        move |ctx: Ctx<'js>,
              This(who): This<Value<'js>>,
              name: String,
              Given(value): Given<'js>|
              -> Result<()> {
            let key = caller(&ctx, &who, "state")?;
            let (id, _) = user(&ctx, &state, key)?;
            let value = text(&ctx, &value, "user.state(name, text): the text")?;
            state.host.borrow_mut().user_state(id, &name, &value);
            Ok(())
        },
    )?;
    let state = natives.state.clone();
    natives.add(
        "dataOf",
        move |ctx: Ctx<'js>, This(Who(key)): This<Who>| -> Result<Value<'js>> {
            let data = state
                .work
                .borrow()
                .members
                .get(key)
                .and_then(|member| member.about.data.clone());
            match data {
                Some(data) => ctx.json_parse(&*data),
                None => Undefined.into_js(&ctx),
            }
        },
    )
}

fn chance<'js>(natives: &Natives<'js>) -> Result<()> {
    let state = natives.state.clone();
    natives.add(
        "random",
        move |ctx: Ctx<'js>, This(who): This<Value<'js>>| -> Result<f64> {
            let key = caller(&ctx, &who, "random")?;
            let (id, _) = user(&ctx, &state, key)?;
            Ok(state.host.borrow_mut().random(id))
        },
    )?;
    // `Math.random` uses the generator of the user for whom the script runs. While modules load there is no user, so it
    // returns a fixed sequence that is the same on every worker.
    let state = natives.state.clone();
    let loading = std::cell::Cell::new(0_u64);
    natives.add("chance", move || {
        let current = state.now.user.get();
        let id = (current != NOBODY)
            .then(|| state.user_id(current))
            .flatten();
        if let Some(id) = id {
            return state.host.borrow_mut().random(id);
        }
        loading.set(loading.get().wrapping_add(1));
        fraction(loading.get())
    })
}

/// Returns the n-th number of a fixed sequence in [0, 1): `SplitMix64`.
fn fraction(n: u64) -> f64 {
    let mut z = n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

fn pool<'js>(natives: &Natives<'js>) -> Result<()> {
    let state = natives.state.clone();
    natives.add(
        "newUser",
        move |ctx: Ctx<'js>, group: u32, index: u32, pool: u32| -> Result<u32> {
            let id = state
                .work
                .borrow()
                .group_id(group)
                .ok_or_else(|| ended(&ctx))?;
            let name = format!("p{index}-{}", state.host.borrow().run_tag());
            let about = UserStart {
                id: state.host.borrow_mut().new_user(id, pool),
                name: name.into(),
                index,
                number: index,
                role: None,
                data: None,
            };
            let key = state.work.borrow_mut().add_member(group, about);
            key.ok_or(rquickjs::Error::Allocation)
        },
    )?;
    let state = natives.state.clone();
    natives.add(
        "poolUser",
        move |ctx: Ctx<'js>, Who(key): Who, made: Opt<Value<'js>>| -> Result<()> {
            let (id, _) = user(&ctx, &state, key)?;
            let data = match made.0 {
                Some(made) if !made.is_undefined() => json(
                    &ctx,
                    &made,
                    "the return value of the function given to pool",
                )?,
                _ => "null".to_owned(),
            };
            state.host.borrow_mut().pool_user(id, data);
            Ok(())
        },
    )?;
    let state = natives.state.clone();
    natives.add(
        "poolFailed",
        move |ctx: Ctx<'js>, Who(key): Who, error: Value<'js>| -> Result<()> {
            let (id, _) = user(&ctx, &state, key)?;
            let fault = fault::what(&ctx, &state, &error);
            state.host.borrow_mut().pool_failed(id, &fault);
            Ok(())
        },
    )?;
    let state = natives.state.clone();
    natives.add("poolBegin", move |count: u32, at_once: u32| -> u32 {
        state.host.borrow_mut().pool_begin(count, at_once)
    })?;
    let state = natives.state.clone();
    natives.add("poolEnd", move |pool: u32| {
        state.host.borrow_mut().pool_end(pool);
    })
}
