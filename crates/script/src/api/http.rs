//! Requests.

use std::borrow::Cow;

use rquickjs::{Ctx, Promise, Result, Value};

use super::Natives;
use super::arg::text;
use super::op::{begin, user};
use super::request::{http_call, socket_call};
use crate::work::Then;

pub(super) fn install<'js>(natives: &Natives<'js>) -> Result<()> {
    let state = natives.state.clone();
    natives.add(
        "http",
        move |ctx: Ctx<'js>,
              key: u32,
              method: Value<'js>,
              url: Value<'js>,
              options: Value<'js>|
              -> Result<Promise<'js>> {
            let (id, group) = user(&ctx, &state, key)?;
            let method = method_of(&ctx, &method)?;
            let call = http_call(&ctx, method, &url, &options, state.now.planned.get())?;
            begin(&ctx, &state, (group, key), Then::Plain, |host, op| {
                host.http(op, id, call)
            })
        },
    )?;
    let state = natives.state.clone();
    natives.add(
        "websocket",
        move |ctx: Ctx<'js>,
              key: u32,
              url: Value<'js>,
              options: Value<'js>|
              -> Result<Promise<'js>> {
            let (id, group) = user(&ctx, &state, key)?;
            let call = socket_call(&ctx, &url, &options, state.now.planned.get())?;
            let then = Then::Socket(call.name.as_str().into());
            begin(&ctx, &state, (group, key), then, |host, op| {
                host.open_socket(op, id, call)
            })
        },
    )
}

/// By their places in the prelude's calls.
const METHODS: [&str; 6] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

/// One of the usual methods, which the prelude gives as a number, or another as text.
fn method_of<'js>(ctx: &Ctx<'js>, method: &Value<'js>) -> Result<Cow<'static, str>> {
    let place = method
        .as_int()
        .and_then(|place| usize::try_from(place).ok());
    match place.and_then(|place| METHODS.get(place)) {
        Some(known) => Ok(Cow::Borrowed(known)),
        None => text(ctx, method, "the method").map(Cow::Owned),
    }
}
