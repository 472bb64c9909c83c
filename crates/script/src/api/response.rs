//! The response object. Nothing is parsed or copied until the script reads it.

use std::cell::Cell;

use model::{Fault, FaultKind};
use rquickjs::class::{JsClass, Readable, Trace, Tracer};
use rquickjs::function::{Constructor, This};
use rquickjs::object::{Accessor, Property};
use rquickjs::{
    ArrayBuffer, Class, Ctx, Exception, Function, JsLifetime, Object, Result, String as JsString,
    Value,
};

use super::Natives;
use super::arg::{Given, text as text_of, type_error};
use crate::failure::names_of;
use crate::host::Reply;
use crate::state::State;

/// Number of characters shown of a body that is not JSON.
const SHOWN: usize = 60;

/// An HTTP response as an object of the script.
#[derive(JsLifetime)]
pub(crate) struct Response {
    reply: Box<Reply>,
    /// Whether the script has called `fail`.
    failed: Cell<bool>,
}

type Receiver<'js> = This<Class<'js, Response>>;

impl Response {
    pub(crate) fn object<'js>(ctx: &Ctx<'js>, reply: Box<Reply>) -> Result<Value<'js>> {
        let failed = Cell::new(false);
        Class::instance(ctx.clone(), Self { reply, failed }).map(Class::into_value)
    }
}

/// Adds the method `fail` to the prototype. Unlike the properties, the method needs the engine.
pub(super) fn install<'js>(natives: &Natives<'js>) -> Result<()> {
    let ctx = natives.object.ctx();
    let Some(proto) = Class::<Response>::prototype(ctx)? else {
        return Ok(());
    };
    let state = natives.state.clone();
    let call = move |ctx: Ctx<'js>, This(response): This<Value<'js>>, Given(reason): Given<'js>| {
        fail(&ctx, &state, &response, &reason)
    };
    let call = Function::new(ctx.clone(), call)?.with_name("fail")?;
    proto.prop("fail", Property::from(call).writable().configurable())
}

/// Counts the request as failed. Has no effect on a request that already counts as failed.
fn fail<'js>(
    ctx: &Ctx<'js>,
    state: &State,
    response: &Value<'js>,
    reason: &Value<'js>,
) -> Result<()> {
    let class = response.as_object().and_then(Object::as_class::<Response>);
    let Some(response) = class.map(Class::borrow) else {
        let message = "`fail` was called without a response: write response.fail(reason)";
        return Err(type_error(ctx, message));
    };
    let what = "response.fail(reason): the reason";
    let reason = text_of(ctx, reason, what)?;
    if reason.trim().is_empty() {
        return Err(type_error(ctx, &format!("{what} must not be empty")));
    }
    if let Some(request) = response.reply.request.filter(|_| !response.failed.get()) {
        response.failed.set(true);
        let mut host = state.host.borrow_mut();
        host.fail_request(request, &response.reply, &reason);
    }
    Ok(())
}

impl<'js> Trace<'js> for Response {
    fn trace<'a>(&self, _tracer: Tracer<'a, 'js>) {}
}

impl<'js> JsClass<'js> for Response {
    const NAME: &'static str = "Response";
    type Mutable = Readable;

    fn prototype(ctx: &Ctx<'js>) -> Result<Option<Object<'js>>> {
        let proto = Object::new(ctx.clone())?;
        proto.prop(
            "status",
            Accessor::from(|this: Receiver<'js>| this.borrow().reply.status),
        )?;
        proto.prop(
            "ok",
            Accessor::from(|this: Receiver<'js>| this.borrow().reply.status < 400),
        )?;
        proto.prop(
            "url",
            Accessor::from(|this: Receiver<'js>| {
                let url = this.borrow().reply.url.clone();
                url.map(|url| url.to_string()).unwrap_or_default()
            }),
        )?;
        proto.prop(
            "time",
            Accessor::from(|this: Receiver<'js>| this.borrow().reply.response_time.as_millis_f64()),
        )?;
        proto.prop("json", Accessor::from(json))?;
        proto.prop("text", Accessor::from(text))?;
        proto.prop("body", Accessor::from(body))?;
        proto.prop("headers", Accessor::from(headers))?;
        Ok(Some(proto))
    }

    fn constructor(_ctx: &Ctx<'js>) -> Result<Option<Constructor<'js>>> {
        Ok(None)
    }
}

/// Replaces the getter on the object by the computed value, so that the value is computed only once.
fn remember<'js>(this: &Receiver<'js>, name: &str, value: Value<'js>) -> Result<Value<'js>> {
    this.as_inner().prop(name, Property::from(value.clone()))?;
    Ok(value)
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "required signature of a native getter"
)]
fn json<'js>(ctx: Ctx<'js>, this: Receiver<'js>) -> Result<Value<'js>> {
    let parsed = {
        let response = this.borrow();
        // The script engine's parser accepts invalid UTF-8, so the body is checked first.
        match std::str::from_utf8(&response.reply.body) {
            Ok(_) => ctx.json_parse(response.reply.body.as_slice()),
            Err(error) => Err(Exception::throw_syntax(
                &ctx,
                &format!("not UTF-8 from byte {}", error.valid_up_to()),
            )),
        }
    };
    match parsed {
        Ok(value) => remember(&this, "json", value),
        Err(error) => {
            let why = if error.is_exception() {
                ctx.catch()
                    .into_object()
                    .and_then(|error| error.get::<_, String>("message").ok())
                    .unwrap_or_default()
            } else {
                error.to_string()
            };
            let response = this.borrow();
            let error = Exception::throw_syntax(&ctx, &not_json(&response.reply, &why));
            // A body that is not JSON is the target's. Without a body, the script has not checked the status.
            if response.reply.body.is_empty() || why.contains("out of memory") {
                return Err(error);
            }
            let thrown = ctx.catch();
            if let Some(error) = thrown.as_object() {
                let (side, kind) = names_of(&Fault::target(FaultKind::Protocol, ""));
                error.set("side", side)?;
                error.set("kind", kind)?;
            }
            Err(ctx.throw(thrown))
        }
    }
}

fn not_json(reply: &Reply, why: &str) -> String {
    let body = String::from_utf8_lossy(&reply.body);
    if body.is_empty() {
        return format!(
            "the response (status {}) has no body, so it is not JSON",
            reply.status
        );
    }
    let begin: String = body.chars().take(SHOWN).collect();
    format!(
        "the response (status {}) is not JSON: {why}; it begins with {begin:?}",
        reply.status
    )
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "required signature of a native getter"
)]
fn text<'js>(ctx: Ctx<'js>, this: Receiver<'js>) -> Result<Value<'js>> {
    let text = JsString::from_str(ctx, &String::from_utf8_lossy(&this.borrow().reply.body))?;
    remember(&this, "text", text.into_value())
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "required signature of a native getter"
)]
fn body<'js>(ctx: Ctx<'js>, this: Receiver<'js>) -> Result<Value<'js>> {
    let bytes = ArrayBuffer::new_copy(ctx, &this.borrow().reply.body)?;
    remember(&this, "body", bytes.into_value())
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "required signature of a native getter"
)]
fn headers<'js>(ctx: Ctx<'js>, this: Receiver<'js>) -> Result<Value<'js>> {
    let object = Object::new(ctx)?;
    for (name, value) in fields(&this.borrow().reply.head) {
        let before: Option<String> = object.get(name.as_str())?;
        match before {
            Some(before) => object.set(name, format!("{before}, {value}"))?,
            None => object.set(name, value)?,
        }
    }
    remember(&this, "headers", object.into_value())
}

/// Returns header names in lower case with their values, without the status line.
fn fields(head: &[u8]) -> impl Iterator<Item = (String, String)> {
    head.split(|&byte| byte == b'\n')
        .skip(1)
        .filter_map(|line| {
            let colon = line.iter().position(|&byte| byte == b':')?;
            let (name, value) = line.split_at_checked(colon)?;
            let value = String::from_utf8_lossy(value.get(1..)?).trim().to_owned();
            Some((
                String::from_utf8_lossy(name).trim().to_ascii_lowercase(),
                value,
            ))
        })
}
