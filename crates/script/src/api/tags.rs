//! Tags of requests.

use model::{TAG_LIMIT, is_tag_part};
use rquickjs::function::This;
use rquickjs::{Ctx, Result, Value};

use super::Natives;
use super::arg::{Given, scalar, text, throw, type_error};
use super::op::user;
use super::options::pairs;
use super::people::caller;

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

pub(super) fn install<'js>(natives: &Natives<'js>) -> Result<()> {
    let state = natives.state.clone();
    natives.add(
        "tag",
        move |ctx: Ctx<'js>,
              This(who): This<Value<'js>>,
              Given(key): Given<'js>,
              Given(value): Given<'js>|
              -> Result<()> {
            let (id, _) = user(&ctx, &state, caller(&ctx, &who, "tag")?)?;
            let what = |part| format!("user.tag(key, value): the {part}");
            let key = text(&ctx, &key, &what("key"))?;
            check(&ctx, &key, &what("key"))?;
            let value = match &value {
                none if none.is_undefined() => None,
                some => Some(scalar(&ctx, some, &what("value"))?),
            };
            if let Some(value) = &value {
                check(&ctx, value, &what("value"))?;
            }
            let set = state.host.borrow_mut().set_tag(id, &key, value.as_deref());
            set.map_err(|fault| throw(&ctx, &state, &fault))
        },
    )
}
