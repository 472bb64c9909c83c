//! HTTP requests, and calls that open `WebSocket`s.

use std::borrow::Cow;

use rquickjs::function::This;
use rquickjs::{Ctx, Promise, Result, Value};

use super::Natives;
use super::arg::Given;
use super::op::{begin, user};
use super::people::caller;
use super::request::{http_call, socket_call};
use crate::state::State;
use crate::work::Then;

/// Methods of a user that send a request, with their names in the prelude.
const METHODS: [(&str, &str); 6] = [
    ("get", "GET"),
    ("head", "HEAD"),
    ("post", "POST"),
    ("put", "PUT"),
    ("patch", "PATCH"),
    ("delete", "DELETE"),
];

pub(super) fn install<'js>(natives: &Natives<'js>) -> Result<()> {
    for (name, method) in METHODS {
        let state = natives.state.clone();
        natives.add(
            name,
            move |ctx: Ctx<'js>,
                  This(who): This<Value<'js>>,
                  Given(url): Given<'js>,
                  Given(options): Given<'js>| {
                let who = caller(&ctx, &who, name)?;
                ask(&ctx, &state, who, Cow::Borrowed(method), (url, options))
            },
        )?;
    }
    let state = natives.state.clone();
    natives.add(
        "http",
        move |ctx: Ctx<'js>,
              This(who): This<Value<'js>>,
              method: String,
              Given(url): Given<'js>,
              Given(options): Given<'js>| {
            let who = caller(&ctx, &who, "request")?;
            ask(&ctx, &state, who, Cow::Owned(method), (url, options))
        },
    )?;
    let state = natives.state.clone();
    natives.add(
        "websocket",
        move |ctx: Ctx<'js>,
              This(who): This<Value<'js>>,
              Given(url): Given<'js>,
              Given(options): Given<'js>|
              -> Result<Promise<'js>> {
            let key = caller(&ctx, &who, "websocket")?;
            let (id, group) = user(&ctx, &state, key)?;
            let call = socket_call(&ctx, &url, &options, state.now.planned.get())?;
            let then = Then::Socket(call.name.as_str().into());
            begin(&ctx, &state, (group, key), then, |host, op| {
                host.open_socket(op, id, call)
            })
        },
    )
}

fn ask<'js>(
    ctx: &Ctx<'js>,
    state: &State,
    key: u32,
    method: Cow<'static, str>,
    (url, options): (Value<'js>, Value<'js>),
) -> Result<Promise<'js>> {
    let (id, group) = user(ctx, state, key)?;
    let call = http_call(ctx, method, &url, &options, state.now.planned.get())?;
    begin(ctx, state, (group, key), Then::Plain, |host, op| {
        host.http(op, id, call)
    })
}
