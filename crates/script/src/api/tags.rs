//! Tags of requests.

use model::{TAG_LIMIT, is_tag_part};
use rquickjs::{Ctx, Result, Value};

use super::arg::{Given, scalar, text, type_error};
use super::native::{Call, Natives};
use super::options::pairs;
use super::receiver::Caller;

/// Converts an object of tags: `{ region: "eu" }`.
pub(super) fn tags<'js>(
    ctx: &Ctx<'js>,
    value: &Value<'js>,
    what: &str,
) -> Result<Vec<(String, String)>> {
    let tags = pairs(ctx, value, what)?;
    for (key, value) in &tags {
        check(ctx, key, &format!("{what}: a key"))?;
        check(ctx, value, &format!("{what}.{key}"))?;
    }
    Ok(tags)
}

fn check(ctx: &Ctx<'_>, text: &str, what: &str) -> Result<()> {
    if is_tag_part(text) {
        return Ok(());
    }
    let message = format!(
        "{what} must have 1 to {TAG_LIMIT} characters, without `{{`, `}}`, `=`, `,`, line breaks and surrounding \
         spaces, but is {text:?}"
    );
    Err(type_error(ctx, &message))
}

pub(super) fn install(natives: &Natives<'_>) -> Result<()> {
    natives.add("tag", tag)
}

fn tag<'js>(
    call: &Call<'_, 'js>,
    Caller(user): Caller,
    Given(key): Given<'js>,
    Given(value): Given<'js>,
) -> Result<()> {
    let what = |part| format!("user.tag(key, value): the {part}");
    let key = text(&call.ctx, &key, &what("key"))?;
    check(&call.ctx, &key, &what("key"))?;
    let value = match &value {
        none if none.is_undefined() => None,
        some => Some(scalar(&call.ctx, some, &what("value"))?),
    };
    if let Some(value) = &value {
        check(&call.ctx, value, &what("value"))?;
    }
    let set = call.host().set_tag(user.id, &key, value.as_deref());
    call.or_throw(set)
}
