//! Groups and users as objects of the script. Both are created for every iteration, so they are native: an object of a
//! native class costs a fraction of an object with private fields. Their methods come from classes of the prelude.

use rquickjs::class::{JsClass, Readable, Trace, Tracer, Writable};
use rquickjs::function::{Constructor, Opt, This};
use rquickjs::{
    Array, Class, Ctx, FromJs, JsLifetime, Object, Persistent, Result, String as Text, Value,
};

use super::Natives;
use super::arg::{ended, type_error};
use crate::kept::KeptObject;
use crate::state::State;

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

fn user_object<'js>(ctx: &Ctx<'js>, state: &State, (key, group): (u32, u32)) -> Result<Value<'js>> {
    let kind = state.user_kind.borrow().clone();
    let kind: KeptObject = kind.ok_or(rquickjs::Error::Unknown)?;
    Class::instance_proto(UserObject { key, group }, kind.restore(ctx)?).map(Class::into_value)
}

pub(super) fn install<'js>(natives: &Natives<'js>) -> Result<()> {
    let state = natives.state.clone();
    natives.add("userKind", move |ctx: Ctx<'js>, kind: Object<'js>| {
        *state.user_kind.borrow_mut() = Some(Persistent::save(&ctx, kind));
    })?;
    let state = natives.state.clone();
    natives.add("makeUser", move |ctx: Ctx<'js>, key: u32, group: u32| {
        user_object(&ctx, &state, (key, group))
    })?;
    natives.add("userKey", |who: Who| who.0)?;
    natives.add(
        "userGroup",
        |ctx: Ctx<'js>, user: Value<'js>, call: Opt<Text<'js>>| match (known(&user), call.0) {
            (None, Some(call)) => Err(without_user(&ctx, &call.to_string()?)),
            _ => of_user(&ctx, &user).map(|(_, group)| group),
        },
    )?;
    natives.add("groupKey", |group: Class<'js, GroupObject<'js>>| {
        group.borrow().key
    })?;
    let state = natives.state.clone();
    natives.add(
        "users",
        move |ctx: Ctx<'js>, group: This<Class<'js, GroupObject<'js>>>| -> Result<Array<'js>> {
            let mut group = group.borrow_mut();
            if let Some(users) = &group.users {
                return Ok(users.clone());
            }
            let users = users_of(&ctx, &state, group.key)?;
            group.users = Some(users.clone());
            Ok(users)
        },
    )
}

fn users_of<'js>(ctx: &Ctx<'js>, state: &State, group: u32) -> Result<Array<'js>> {
    let work = state.work.borrow();
    let members = &work.groups.get(group).ok_or_else(|| ended(ctx))?.users;
    let users = Array::new(ctx.clone())?;
    for (at, &member) in members.iter().enumerate() {
        users.set(at, user_object(ctx, state, (member, group))?)?;
    }
    Ok(users)
}
