//! Native calls of a group: its properties, its end, its channels.

use rquickjs::function::Opt;
use rquickjs::{IntoJs, Result, String as JsString, Undefined, Value};

use super::arg::{ended, optional_span, text, type_error};
use super::native::{Call, Natives};
use super::payload::json;
use super::people::Who;
use super::receiver::User;
use crate::fault;
use crate::host::{Audience, ChannelId};
use crate::state::NOBODY;
use crate::work::{About, Group};

pub(super) fn install(natives: &Natives<'_>) -> Result<()> {
    natives.add("groupName", name)?;
    natives.add("groupNumber", number)?;
    natives.add("firstOf", first)?;
    natives.add("setupOf", setup)?;
    natives.add("keepsStory", keep_story)?;
    natives.add("returned", returned)?;
    natives.add("failed", failed)?;
    natives.add("channel", channel)?;
    natives.add("stamp", stamp)
}

// Properties of a group are read on demand, because a group is created for every iteration.

fn name<'js>(call: &Call<'_, 'js>, key: u32) -> Result<JsString<'js>> {
    of_group(call, key, |group| {
        let name = format!("g{}-{}", group.about.id, call.host().run_tag());
        JsString::from_str(call.ctx.clone(), &name)
    })
}

fn number(call: &Call<'_, '_>, key: u32, which: u32) -> Result<u32> {
    of_group(call, key, |group| {
        let About { level, .. } = group.about;
        Ok(match which {
            0 => group.about.number,
            1 => group.about.iteration,
            2 => level.0,
            3 => level.1,
            _ => level.2,
        })
    })
}

fn first(call: &Call<'_, '_>, key: u32) -> Result<u32> {
    of_group(call, key, |group| {
        Ok(group.users.first().copied().unwrap_or(NOBODY))
    })
}

fn of_group<T>(call: &Call<'_, '_>, key: u32, look: impl FnOnce(&Group) -> Result<T>) -> Result<T> {
    let work = call.state.work.borrow();
    let group = work.groups.get(key).ok_or_else(|| ended(&call.ctx))?;
    look(group)
}

fn setup<'js>(call: &Call<'_, 'js>, group: u32) -> Result<Value<'js>> {
    let setup = {
        let work = call.state.work.borrow();
        let group = work.groups.get(group);
        group.and_then(|group| group.about.setup.clone())
    };
    match setup {
        Some(setup) => call.ctx.json_parse(&*setup),
        None => Undefined.into_js(&call.ctx),
    }
}

fn keep_story(call: &Call<'_, '_>, group: u32) {
    if let Some(group) = call.state.work.borrow_mut().groups.get_mut(group) {
        group.keeps_story = true;
    }
}

fn returned<'js>(call: &Call<'_, 'js>, group: u32, value: Value<'js>) -> Result<()> {
    let value = if value.is_undefined() {
        None
    } else {
        Some(json(&call.ctx, &value, "the return value of `setup`")?)
    };
    call.state.end(group, Ok(value));
    Ok(())
}

fn failed<'js>(
    call: &Call<'_, 'js>,
    group: u32,
    error: Value<'js>,
    user: Option<u32>,
    step: Option<String>,
) {
    let mut fault = fault::read(&call.ctx, call.state, &error);
    if let Some(user) = user {
        fault.user = call.state.user_id(user);
    }
    fault.step = step;
    call.state.fail(group, fault);
}

fn channel<'js>(
    call: &Call<'_, 'js>,
    group: u32,
    name: Value<'js>,
    to: Value<'js>,
    deadline: Value<'js>,
) -> Result<u32> {
    let id = call.state.work.borrow().group_id(group);
    let id = id.ok_or_else(|| ended(&call.ctx))?;
    let name = text(&call.ctx, &name, "channel(name, options): the name")?;
    let what = "channel(name, options): `deadline`";
    let deadline = optional_span(&call.ctx, &deadline, what)?;
    let audience = audience(call, &to)?;
    let channel = call.host().channel(id, &name, audience, deadline);
    call.or_throw(channel.map(|channel| channel.0))
}

fn stamp<'js>(
    call: &Call<'_, 'js>,
    user: User,
    channel: u32,
    Opt(before): Opt<Value<'js>>,
) -> Result<String> {
    let mut stamped = match before {
        Some(before) if !before.is_undefined() => {
            text(&call.ctx, &before, "channel.stamp(user, text): the text")?
        }
        _ => String::new(),
    };
    let planned = call.planned();
    let stamp = call.host().stamp(user.id, ChannelId(channel), planned);
    stamped.push_str(&call.or_throw(stamp)?);
    Ok(stamped)
}

/// Converts an audience: "others", "everyone", or a list of users.
fn audience<'js>(call: &Call<'_, 'js>, to: &Value<'js>) -> Result<Audience> {
    if let Some(list) = to.as_array() {
        let users: Result<Vec<_>> = list
            .iter::<Who>()
            .map(|who| Ok(User::of(call, who?.0)?.id))
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
            &call.ctx,
            "channel(name, options): `to` must be \"others\", \"everyone\", a list of users or an audience",
        )),
    }
}
