//! HTTP requests, and calls that open `WebSocket`s.

use std::borrow::Cow;

use rquickjs::{Promise, Result, Value};

use super::arg::Given;
use super::native::{Call, Natives};
use super::op::begin;
use super::receiver::{Caller, User};
use super::request::{http_call, socket_call};
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
        natives.add(
            name,
            move |call: &Call<'_, 'js>,
                  Caller(user): Caller,
                  Given(url): Given<'js>,
                  Given(options): Given<'js>| {
                ask(call, &user, Cow::Borrowed(method), (url, options))
            },
        )?;
    }
    natives.add_as("http", "request", request)?;
    natives.add_method("websocket", websocket)
}

fn request<'js>(
    call: &Call<'_, 'js>,
    Caller(user): Caller,
    method: String,
    Given(url): Given<'js>,
    Given(options): Given<'js>,
) -> Result<Promise<'js>> {
    ask(call, &user, Cow::Owned(method), (url, options))
}

fn ask<'js>(
    call: &Call<'_, 'js>,
    user: &User,
    method: Cow<'static, str>,
    (url, options): (Value<'js>, Value<'js>),
) -> Result<Promise<'js>> {
    let made = http_call(&call.ctx, method, &url, &options, call.planned())?;
    begin(call, user.who(), Then::Plain, |host, op| {
        host.http(op, user.id, made)
    })
}

fn websocket<'js>(
    call: &Call<'_, 'js>,
    Caller(user): Caller,
    Given(url): Given<'js>,
    Given(options): Given<'js>,
) -> Result<Promise<'js>> {
    let made = socket_call(&call.ctx, &url, &options, call.planned())?;
    let then = Then::socket("makeSocket", &made.name);
    begin(call, user.who(), then, |host, op| {
        host.open_socket(op, user.id, made)
    })
}
