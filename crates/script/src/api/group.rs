//! Native calls of a group: its properties, its end, its channels.

use rquickjs::function::Opt;
use rquickjs::{Ctx, IntoJs, Result, String as JsString, Undefined, Value};

use super::Natives;
use super::arg::{ended, optional_span, text, throw, type_error};
use super::op::user;
use super::payload::json;
use super::people::Who;
use crate::fault;
use crate::host::{Audience, ChannelId};
use crate::state::{NOBODY, State};
use crate::work::{About, Group};

pub(super) fn install(natives: &Natives<'_>) -> Result<()> {
    about(natives)?;
    story(natives)?;
    channels(natives)
}

/// Properties of a group. They are read on demand, because a group is created for every iteration.
fn about<'js>(natives: &Natives<'js>) -> Result<()> {
    let state = natives.state.clone();
    natives.add(
        "groupName",
        move |ctx: Ctx<'js>, key: u32| -> Result<JsString<'js>> {
            of_group(&ctx, &state, key, |group| {
                let host = state.host.borrow();
                let name = format!("g{}-{}", group.about.id, host.run_tag());
                JsString::from_str(ctx.clone(), &name)
            })
        },
    )?;
    let state = natives.state.clone();
    natives.add(
        "groupNumber",
        move |ctx: Ctx<'js>, key: u32, which: u32| -> Result<u32> {
            of_group(&ctx, &state, key, |group| {
                let About { level, .. } = group.about;
                Ok(match which {
                    0 => group.about.number,
                    1 => group.about.iteration,
                    2 => level.0,
                    3 => level.1,
                    _ => level.2,
                })
            })
        },
    )?;
    let state = natives.state.clone();
    natives.add("firstOf", move |ctx: Ctx<'js>, key: u32| -> Result<u32> {
        of_group(&ctx, &state, key, |group| {
            Ok(group.users.first().copied().unwrap_or(NOBODY))
        })
    })
}

fn of_group<T>(
    ctx: &Ctx<'_>,
    state: &State,
    key: u32,
    look: impl FnOnce(&Group) -> Result<T>,
) -> Result<T> {
    let work = state.work.borrow();
    let group = work.groups.get(key).ok_or_else(|| ended(ctx))?;
    look(group)
}

fn story<'js>(natives: &Natives<'js>) -> Result<()> {
    let state = natives.state.clone();
    natives.add("keepsStory", move |group: u32| {
        if let Some(group) = state.work.borrow_mut().groups.get_mut(group) {
            group.keeps_story = true;
        }
    })?;
    let state = natives.state.clone();
    natives.add(
        "returned",
        move |ctx: Ctx<'js>, group: u32, value: Value<'js>| -> Result<()> {
            let value = if value.is_undefined() {
                None
            } else {
                Some(json(&ctx, &value, "the return value of `setup`")?)
            };
            state.end(group, Ok(value));
            Ok(())
        },
    )?;
    let state = natives.state.clone();
    natives.add(
        "failed",
        move |ctx: Ctx<'js>,
              group: u32,
              error: Value<'js>,
              user: Option<u32>,
              step: Option<String>| {
            let mut fault = fault::read(&ctx, &state, &error);
            if let Some(user) = user {
                fault.user = state.user_id(user);
            }
            fault.step = step;
            state.fail(group, fault);
        },
    )?;
    let state = natives.state.clone();
    natives.add(
        "setupOf",
        move |ctx: Ctx<'js>, group: u32| -> Result<Value<'js>> {
            let setup = state
                .work
                .borrow()
                .groups
                .get(group)
                .and_then(|group| group.about.setup.clone());
            match setup {
                Some(setup) => ctx.json_parse(&*setup),
                None => Undefined.into_js(&ctx),
            }
        },
    )
}

fn channels<'js>(natives: &Natives<'js>) -> Result<()> {
    let state = natives.state.clone();
    natives.add(
        "channel",
        move |ctx: Ctx<'js>,
              group: u32,
              name: Value<'js>,
              to: Value<'js>,
              deadline: Value<'js>|
              -> Result<u32> {
            let id = state
                .work
                .borrow()
                .group_id(group)
                .ok_or_else(|| ended(&ctx))?;
            let name = text(&ctx, &name, "channel(name, options): the name")?;
            let deadline = optional_span(&ctx, &deadline, "channel(name, options): `deadline`")?;
            let audience = audience(&ctx, &state, &to)?;
            let channel = state
                .host
                .borrow_mut()
                .channel(id, &name, audience, deadline);
            channel
                .map(|channel| channel.0)
                .map_err(|fault| throw(&ctx, &state, &fault))
        },
    )?;
    let state = natives.state.clone();
    natives.add(
        "stamp",
        move |ctx: Ctx<'js>,
              Who(key): Who,
              channel: u32,
              before: Opt<Value<'js>>|
              -> Result<String> {
            let (id, _) = user(&ctx, &state, key)?;
            let mut stamped = match before.0 {
                Some(before) if !before.is_undefined() => {
                    text(&ctx, &before, "channel.stamp(user, text): the text")?
                }
                _ => String::new(),
            };
            let planned = state.now.planned.get();
            let stamp = state
                .host
                .borrow_mut()
                .stamp(id, ChannelId(channel), planned);
            stamped.push_str(&stamp.map_err(|fault| throw(&ctx, &state, &fault))?);
            Ok(stamped)
        },
    )
}

/// Converts an audience: "others", "everyone", or a list of users.
fn audience<'js>(ctx: &Ctx<'js>, state: &State, to: &Value<'js>) -> Result<Audience> {
    if let Some(list) = to.as_array() {
        let users: Result<Vec<_>> = list
            .iter::<Who>()
            .map(|who| Ok(user(ctx, state, who?.0)?.0))
            .collect();
        return users.map(Audience::Users);
    }
    match to
        .as_string()
        .map(rquickjs::String::to_string)
        .transpose()?
        .as_deref()
    {
        Some("others") => Ok(Audience::Others),
        Some("everyone") => Ok(Audience::Everyone),
        _ => Err(type_error(
            ctx,
            "channel(name, options): `to` must be \"others\", \"everyone\" or a list of users",
        )),
    }
}
