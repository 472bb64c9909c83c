//! Groups and users as objects of the script. Both are created for every iteration, so they are native: an object of a
//! native class costs a fraction of an object with private fields. Their methods come from classes of the prelude.

use rquickjs::class::{JsClass, Readable, Trace, Tracer, Writable};
use rquickjs::function::{Constructor, Opt, This};
use rquickjs::{
    Array, Class, Ctx, FromJs, JsLifetime, Object, Persistent, Result, String as Text, Value,
};

use super::arg::{ended, type_error};
use super::native::{Call, Natives};

/// A user object.
#[derive(JsLifetime)]
pub(crate) struct UserObject {
    key: u32,
    group: u32,
}

impl<'js> Trace<'js> for UserObject {
    fn trace<'a>(&self, _tracer: Tracer<'a, 'js>) {}
}

impl<'js> JsClass<'js> for UserObject {
    const NAME: &'static str = "User";
    type Mutable = Readable;

    fn constructor(_ctx: &Ctx<'js>) -> Result<Option<Constructor<'js>>> {
        Ok(None)
    }
}

/// A group object.
#[derive(JsLifetime)]
pub(crate) struct GroupObject<'js> {
    key: u32,
    /// The array of users, created on first use.
    users: Option<Array<'js>>,
}

impl<'js> Trace<'js> for GroupObject<'js> {
    fn trace<'a>(&self, tracer: Tracer<'a, 'js>) {
        self.users.trace(tracer);
    }
}

impl<'js> JsClass<'js> for GroupObject<'js> {
    const NAME: &'static str = "Group";
    type Mutable = Writable;

    fn constructor(_ctx: &Ctx<'js>) -> Result<Option<Constructor<'js>>> {
        Ok(None)
    }
}

/// The key of a user object that is the receiver or an argument of a call.
pub(super) struct Who(pub(super) u32);

impl<'js> FromJs<'js> for Who {
    fn from_js(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        of_user(ctx, &value).map(|(key, _)| Self(key))
    }
}

/// Returns the key of the user on which the method `call` is called.
pub(super) fn caller<'js>(ctx: &Ctx<'js>, this: &Value<'js>, call: &str) -> Result<u32> {
    match known(this) {
        Some((key, _)) => Ok(key),
        None => Err(without_user(ctx, call)),
    }
}

fn without_user(ctx: &Ctx<'_>, call: &str) -> rquickjs::Error {
    let message = format!("`{call}` was called without a user: write user.{call}(…)");
    type_error(ctx, &message)
}

/// Returns the keys of a user and of the user's group.
fn of_user<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<(u32, u32)> {
    known(value).ok_or_else(|| type_error(ctx, "expected a user"))
}

fn known(value: &Value<'_>) -> Option<(u32, u32)> {
    let user = value.as_object()?.as_class::<UserObject>()?.borrow();
    Some((user.key, user.group))
}

/// Creates a group object with this prototype.
pub(crate) fn group_object(key: u32, kind: Object<'_>) -> Result<Value<'_>> {
    let group = GroupObject { key, users: None };
    Class::instance_proto(group, kind).map(Class::into_value)
}

pub(super) fn install(natives: &Natives<'_>) -> Result<()> {
    natives.add("userKind", user_kind)?;
    natives.add("makeUser", make_user)?;
    natives.add("userKey", user_key)?;
    natives.add("userGroup", user_group)?;
    natives.add("groupKey", group_key)?;
    natives.add("users", users)
}

fn user_kind<'js>(call: &Call<'_, 'js>, kind: Object<'js>) {
    *call.state.user_kind.borrow_mut() = Some(Persistent::save(&call.ctx, kind));
}

fn make_user<'js>(call: &Call<'_, 'js>, key: u32, group: u32) -> Result<Value<'js>> {
    let kind = call.state.user_kind.borrow().clone();
    let kind = kind.ok_or(rquickjs::Error::Unknown)?.restore(&call.ctx)?;
    Class::instance_proto(UserObject { key, group }, kind).map(Class::into_value)
}

fn user_key(_: &Call<'_, '_>, Who(key): Who) -> u32 {
    key
}

fn user_group<'js>(
    call: &Call<'_, 'js>,
    user: Value<'js>,
    Opt(method): Opt<Text<'js>>,
) -> Result<u32> {
    match (known(&user), method) {
        (None, Some(method)) => Err(without_user(&call.ctx, &method.to_string()?)),
        _ => of_user(&call.ctx, &user).map(|(_, group)| group),
    }
}

fn group_key<'js>(_: &Call<'_, 'js>, group: Class<'js, GroupObject<'js>>) -> u32 {
    group.borrow().key
}

fn users<'js>(
    call: &Call<'_, 'js>,
    group: This<Class<'js, GroupObject<'js>>>,
) -> Result<Array<'js>> {
    let mut group = group.borrow_mut();
    if let Some(users) = &group.users {
        return Ok(users.clone());
    }
    let users = users_of(call, group.key)?;
    group.users = Some(users.clone());
    Ok(users)
}

fn users_of<'js>(call: &Call<'_, 'js>, group: u32) -> Result<Array<'js>> {
    let work = call.state.work.borrow();
    let members = work.groups.get(group).ok_or_else(|| ended(&call.ctx))?;
    let users = Array::new(call.ctx.clone())?;
    for (at, &member) in members.users.iter().enumerate() {
        users.set(at, make_user(call, member, group)?)?;
    }
    Ok(users)
}
