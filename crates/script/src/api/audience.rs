//! Passive audiences: their declaration, and how their members connect.

pub(super) mod member;

use std::ops::Range;

use rquickjs::{Ctx, Function, IntoJs, Persistent, Result, Undefined, Value};

use super::arg::{ended, kind, span, text, type_error, whole};
use super::native::{Call, Natives};
use super::options::each;
use super::socket::set_place;
use crate::audiences::DeclaredAudience;
use crate::host::{Audience, AudienceChannel, AudienceSpec, MemberCall, StampPlace};
use crate::state::State;

const CALL: &str = "audience(count, options)";
const KNOWN: [&str; 3] = ["name", "receives", "connect"];
const KNOWN_CHANNEL: [&str; 5] = ["event", "at", "only", "except", "deadline"];
/// Maximum number of members of one audience.
const MOST_MEMBERS: u32 = 1 << 20;

pub(super) fn install(natives: &Natives<'_>) -> Result<()> {
    natives.add("declareAudience", declare)?;
    natives.add("channelTo", channel)
}

/// Declares an audience, and returns its number.
fn declare<'js>(native: &Call<'_, 'js>, count: Value<'js>, options: Value<'js>) -> Result<u32> {
    let Call { ctx, state, .. } = native;
    if !state.material.loading.get() {
        let refusal = format!(
            "{CALL}: an audience can be declared only while the module loads; make this call at the top level"
        );
        return Err(type_error(ctx, &refusal));
    }
    let members = whole(
        ctx,
        &count,
        &format!("{CALL}: the count"),
        (1, MOST_MEMBERS),
    )?;
    let mut audiences = state.audiences.borrow_mut();
    let number = audiences.len();
    let mut spec = AudienceSpec {
        name: match number {
            0 => "audience".to_owned(),
            _ => format!("audience {}", number + 1),
        },
        members,
        channels: Vec::new(),
    };
    let mut connect = None;
    each(ctx, &options, CALL, &KNOWN, |key, value| {
        let what = format!("{CALL}: `{key}`");
        match key {
            "name" => spec.name = text(ctx, &value, &what)?,
            "receives" => spec.channels = channels(ctx, &value, &what)?,
            _ => connect = Some(function(ctx, value, &what)?),
        }
        Ok(())
    })?;
    let missing = |option: &str| type_error(ctx, &format!("{CALL}: `{option}` is missing"));
    let connect = connect.ok_or_else(|| missing("connect"))?;
    if spec.channels.is_empty() {
        return Err(missing("receives"));
    }
    audiences.push(DeclaredAudience {
        spec,
        connect: Persistent::save(ctx, connect),
    });
    Ok(u32::try_from(number).unwrap_or(u32::MAX))
}

fn function<'js>(ctx: &Ctx<'js>, value: Value<'js>, what: &str) -> Result<Function<'js>> {
    let refusal = format!("{what} must be a function, not {}", kind(&value));
    value
        .into_function()
        .ok_or_else(|| type_error(ctx, &refusal))
}

/// Converts the channels that the members receive, each with the place of its stamps.
fn channels<'js>(ctx: &Ctx<'js>, value: &Value<'js>, what: &str) -> Result<Vec<AudienceChannel>> {
    let Some(object) = value.as_object() else {
        let refusal = format!(
            "{what} must be an object with the names of channels, not {}",
            kind(value)
        );
        return Err(type_error(ctx, &refusal));
    };
    let mut channels = Vec::new();
    for property in object.props::<String, Value<'js>>() {
        let (name, options) = property?;
        let mut place = StampPlace::default();
        let mut deadline = None;
        let call = format!("{what}.{name}");
        each(ctx, &options, &call, &KNOWN_CHANNEL, |key, value| {
            let what = format!("{call}: `{key}`");
            if key == "deadline" {
                deadline = Some(span(ctx, &value, &what)?);
                return Ok(());
            }
            set_place(ctx, &mut place, (key, &value), &what)
        })?;
        channels.push(AudienceChannel {
            name,
            place,
            deadline,
        });
    }
    Ok(channels)
}

/// Finds a channel of an audience.
fn channel<'js>(call: &Call<'_, 'js>, group: u32, name: Value<'js>, audience: u32) -> Result<u32> {
    let id = call.state.work.borrow().group_id(group);
    let id = id.ok_or_else(|| ended(&call.ctx))?;
    let name = text(&call.ctx, &name, "channel(name, options): the name")?;
    let channel = call
        .host()
        .channel(id, &name, Audience::Passive(audience), None);
    call.or_throw(channel.map(|channel| channel.0))
}

/// Members of an audience that are about to connect.
pub(crate) struct Members {
    /// The number of the audience.
    pub(crate) audience: usize,
    /// The members' numbers in the audience.
    pub(crate) numbers: Range<u32>,
}

/// Calls `connect` for each of these members. `setup` is the return value of `setup`, as JSON.
pub(crate) fn describe(
    ctx: &Ctx<'_>,
    state: &State,
    members: Members,
    setup: Option<&str>,
) -> Result<Vec<MemberCall>> {
    let connect = {
        let audiences = state.audiences.borrow();
        let audience = audiences.get(members.audience);
        audience.map(|audience| audience.connect.clone())
    };
    let Some(connect) = connect else {
        return Ok(Vec::new());
    };
    let connect = connect.restore(ctx)?;
    let setup = match setup {
        Some(setup) => ctx.json_parse(setup)?,
        None => Undefined.into_js(ctx)?,
    };
    let mut calls = Vec::with_capacity(members.numbers.len());
    for number in members.numbers {
        state.watch.restart();
        let described: Value<'_> = connect.call((number, setup.clone()))?;
        calls.push(member::call(ctx, &described)?);
    }
    Ok(calls)
}
