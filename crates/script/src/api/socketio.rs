//! Socket.IO.

mod member;
mod options;

use model::Nanos;
use rquickjs::{Array, Ctx, Function, Persistent, Promise, Result, Value};

use super::arg::{Given, kind, span, text, type_error};
use super::native::{Call, Natives};
use super::op::begin;
use super::options::each;
use super::payload::bytes;
use super::plain;
use super::receiver::{Caller, Held};
use super::socket::{Follows, add_handler, follow};
use crate::host::{Emission, EventCall};
use crate::work::Then;
use options::socketio_call;

/// Event names that the protocol reserves.
const OWN: [&str; 6] = [
    "connect",
    "connect_error",
    "disconnect",
    "disconnecting",
    "newListener",
    "removeListener",
];

const IN_EVENTS: Follows = Follows {
    call: "socket.receives(channel, options)",
    known: &["event", "at", "only", "except", "keep"],
    in_events: true,
};

pub(super) fn install(natives: &Natives<'_>) -> Result<()> {
    natives.add_method("socketio", open)?;
    natives.add("emit", emit)?;
    natives.add("emitPlain", emit_plain)?;
    natives.add("acknowledge", acknowledge)?;
    natives.add("plainJson", plain_json)?;
    natives.add("isProtocols", is_protocols)?;
    natives.add("emitAcknowledged", emit_acknowledged)?;
    natives.add("nextEvent", next_event)?;
    natives.add("listenEvent", listen_event)?;
    natives.add("receivesEvent", receives_event)
}

fn open<'js>(
    call: &Call<'_, 'js>,
    Caller(user): Caller,
    Given(url): Given<'js>,
    Given(options): Given<'js>,
) -> Result<Promise<'js>> {
    let made = socketio_call(&call.ctx, &url, &options, call.planned())?;
    let then = Then::socket("makeSocketIo", &made.name);
    begin(call, user.who(), then, |host, op| {
        host.open_socketio(op, user.id, made)
    })
}

/// Creates an emission from a list in JSON text and the bytes for the list's placeholders.
fn emission<'js>(ctx: &Ctx<'js>, list: String, attachments: &Value<'js>) -> Result<Emission> {
    let mut said = Emission {
        list,
        ..Emission::default()
    };
    let Some(all) = attachments.as_array() else {
        return Ok(said);
    };
    for value in all.iter::<Value<'js>>() {
        let value = value?;
        let unfit = || {
            type_error(
                ctx,
                &format!("an attachment must be bytes, not {}", kind(&value)),
            )
        };
        said.attachments.push(bytes(&value).ok_or_else(unfit)?);
    }
    Ok(said)
}

fn emit<'js>(
    call: &Call<'_, 'js>,
    key: u32,
    list: Value<'js>,
    attachments: Value<'js>,
) -> Result<()> {
    let list = text(&call.ctx, &list, "socket.emit(event, …): an argument")?;
    say(call, key, emission(&call.ctx, list, &attachments)?)
}

/// Emits an event that is plain data. Returns whether it is.
fn emit_plain<'js>(
    call: &Call<'_, 'js>,
    key: u32,
    event: Value<'js>,
    arguments: Array<'js>,
) -> Result<bool> {
    if !names_an_event(&event) {
        return Ok(false);
    }
    let Some(list) = plain::list(&event, &arguments)? else {
        return Ok(false);
    };
    let said = Emission {
        list,
        ..Emission::default()
    };
    say(call, key, said).map(|()| true)
}

fn acknowledge<'js>(
    call: &Call<'_, 'js>,
    key: u32,
    ack: u64,
    list: String,
    attachments: Value<'js>,
) -> Result<()> {
    let mut said = emission(&call.ctx, list, &attachments)?;
    said.acknowledges = Some(ack);
    say(call, key, said)
}

fn say(call: &Call<'_, '_>, key: u32, said: Emission) -> Result<()> {
    let socket = Held::of(call, key)?;
    let sent = call.host().emit(socket.id, said, call.planned());
    call.or_throw(sent)
}

/// Returns the JSON text of a plain list.
fn plain_json<'js>(call: &Call<'_, 'js>, list: Value<'js>) -> Result<Option<String>> {
    plain::json(&call.ctx, &list)
}

fn is_protocols(_: &Call<'_, '_>, name: String) -> bool {
    OWN.contains(&name.as_str())
}

fn names_an_event(value: &Value<'_>) -> bool {
    let name = value.as_string().and_then(|name| name.to_string().ok());
    name.is_some_and(|name| !name.is_empty() && !OWN.contains(&name.as_str()))
}

fn emit_acknowledged<'js>(
    native: &Call<'_, 'js>,
    socket: Held,
    list: Value<'js>,
    attachments: Value<'js>,
    options: Value<'js>,
) -> Result<Promise<'js>> {
    let ctx = &native.ctx;
    let what = "socket.request(event, …)";
    let list = text(ctx, &list, &format!("{what}: an argument"))?;
    let mut call = EventCall {
        said: emission(ctx, list, &attachments)?,
        planned: native.planned(),
        ..EventCall::default()
    };
    let (mut event, mut name) = (String::new(), None);
    let known = ["event", "name", "timeout"];
    each(ctx, &options, what, &known, |key, value| {
        let what = format!("{what}: `{key}`");
        match key {
            "event" => event = text(ctx, &value, &what)?,
            "name" => name = Some(text(ctx, &value, &what)?),
            _ => call.timeout = Some(span(ctx, &value, &what)?),
        }
        Ok(())
    })?;
    call.name = name.unwrap_or(event);
    begin(native, socket.who, Then::Plain, |host, op| {
        host.emit_acknowledged(op, socket.id, call)
    })
}

fn next_event<'js>(
    call: &Call<'_, 'js>,
    socket: Held,
    event: String,
    options: Value<'js>,
) -> Result<Promise<'js>> {
    let ctx = &call.ctx;
    let mut timeout = None::<Nanos>;
    let what = "socket.next(event, options)";
    each(ctx, &options, what, &["timeout"], |key, value| {
        timeout = Some(span(ctx, &value, &format!("{what}: `{key}`"))?);
        Ok(())
    })?;
    begin(call, socket.who, Then::Plain, |host, op| {
        host.next_event(op, socket.id, event, timeout)
    })
}

fn listen_event<'js>(
    call: &Call<'_, 'js>,
    key: u32,
    event: String,
    function: Function<'js>,
) -> Result<()> {
    let function = Persistent::save(&call.ctx, function);
    let added = add_handler(call, key, |socket| {
        socket.on_event.push((event.as_str().into(), function));
    });
    if let Some((id, ())) = added? {
        call.host().listen_event(id, &event);
    }
    Ok(())
}

fn receives_event<'js>(
    call: &Call<'_, 'js>,
    socket: Held,
    channel: u32,
    options: Value<'js>,
) -> Result<u32> {
    follow(call, &socket, channel, &options, &IN_EVENTS)
}
