//! Socket.IO.

use model::Nanos;
use rquickjs::function::This;
use rquickjs::{Array, Ctx, Function, Persistent, Promise, Result, Value};

use super::Natives;
use super::arg::{Given, ended, kind, span, text, throw, type_error};
use super::op::{begin, user};
use super::options::each;
use super::payload::bytes;
use super::people::caller;
use super::plain;
use super::request::socketio_call;
use super::socket::{channels, held};
use crate::host::{Emission, EventCall};
use crate::state::State;
use crate::work::Then;

/// Event names that the protocol reserves.
const OWN: [&str; 6] = [
    "connect",
    "connect_error",
    "disconnect",
    "disconnecting",
    "newListener",
    "removeListener",
];

pub(super) fn install(natives: &Natives<'_>) -> Result<()> {
    opening(natives)?;
    emitting(natives)?;
    packing(natives)?;
    requesting(natives)?;
    hearing(natives)?;
    channels(
        natives,
        "receivesEvent",
        &["event", "at", "only", "except", "keep"],
    )
}

fn opening<'js>(natives: &Natives<'js>) -> Result<()> {
    let state = natives.state.clone();
    natives.add(
        "socketio",
        move |ctx: Ctx<'js>,
              This(who): This<Value<'js>>,
              Given(url): Given<'js>,
              Given(options): Given<'js>|
              -> Result<Promise<'js>> {
            let key = caller(&ctx, &who, "socketio")?;
            let (id, group) = user(&ctx, &state, key)?;
            let call = socketio_call(&ctx, &url, &options, state.now.planned.get())?;
            let then = Then::SocketIo(call.name.as_str().into());
            begin(&ctx, &state, (group, key), then, |host, op| {
                host.open_socketio(op, id, call)
            })
        },
    )
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

fn emitting<'js>(natives: &Natives<'js>) -> Result<()> {
    let state = natives.state.clone();
    natives.add(
        "emit",
        move |ctx: Ctx<'js>, key: u32, list: Value<'js>, attachments: Value<'js>| -> Result<()> {
            let list = text(&ctx, &list, "socket.emit(event, …): an argument")?;
            emit(&ctx, &state, key, emission(&ctx, list, &attachments)?)
        },
    )?;
    let state = natives.state.clone();
    natives.add(
        "emitPlain",
        move |ctx: Ctx<'js>, key: u32, event: Value<'js>, arguments: Array<'js>| -> Result<bool> {
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
            emit(&ctx, &state, key, said).map(|()| true)
        },
    )?;
    let state = natives.state.clone();
    natives.add(
        "acknowledge",
        move |ctx: Ctx<'js>,
              key: u32,
              ack: u64,
              list: String,
              attachments: Value<'js>|
              -> Result<()> {
            let mut said = emission(&ctx, list, &attachments)?;
            said.acknowledges = Some(ack);
            emit(&ctx, &state, key, said)
        },
    )
}

/// Registers the calls with which the prelude packs lists: JSON text of plain lists, and the check for reserved event
/// names.
fn packing<'js>(natives: &Natives<'js>) -> Result<()> {
    natives.add(
        "plainJson",
        |ctx: Ctx<'js>, list: Value<'js>| -> Result<Option<String>> { plain::json(&ctx, &list) },
    )?;
    natives.add("isProtocols", |name: String| OWN.contains(&name.as_str()))
}

fn names_an_event(value: &Value<'_>) -> bool {
    let name = value.as_string().and_then(|name| name.to_string().ok());
    name.is_some_and(|name| !name.is_empty() && !OWN.contains(&name.as_str()))
}

fn emit(ctx: &Ctx<'_>, state: &State, key: u32, said: Emission) -> Result<()> {
    let (socket, _) = held(ctx, state, key)?;
    let planned = state.now.planned.get();
    let sent = state.host.borrow_mut().emit(socket, said, planned);
    sent.map_err(|fault| throw(ctx, state, &fault))
}

fn requesting<'js>(natives: &Natives<'js>) -> Result<()> {
    let state = natives.state.clone();
    natives.add(
        "emitAcknowledged",
        move |ctx: Ctx<'js>,
              key: u32,
              list: Value<'js>,
              attachments: Value<'js>,
              options: Value<'js>|
              -> Result<Promise<'js>> {
            let (socket, who) = held(&ctx, &state, key)?;
            let what = "socket.request(event, …)";
            let list = text(&ctx, &list, &format!("{what}: an argument"))?;
            let mut call = EventCall {
                said: emission(&ctx, list, &attachments)?,
                planned: state.now.planned.get(),
                ..EventCall::default()
            };
            let (mut event, mut name) = (String::new(), None);
            each(
                &ctx,
                &options,
                what,
                &["event", "name", "timeout"],
                |key, value| {
                    let what = format!("{what}: `{key}`");
                    match key {
                        "event" => event = text(&ctx, &value, &what)?,
                        "name" => name = Some(text(&ctx, &value, &what)?),
                        _ => call.timeout = Some(span(&ctx, &value, &what)?),
                    }
                    Ok(())
                },
            )?;
            call.name = name.unwrap_or(event);
            begin(&ctx, &state, who, Then::Plain, |host, op| {
                host.emit_acknowledged(op, socket, call)
            })
        },
    )
}

fn hearing<'js>(natives: &Natives<'js>) -> Result<()> {
    let state = natives.state.clone();
    natives.add(
        "nextEvent",
        move |ctx: Ctx<'js>,
              key: u32,
              event: String,
              options: Value<'js>|
              -> Result<Promise<'js>> {
            let (socket, who) = held(&ctx, &state, key)?;
            let mut timeout = None::<Nanos>;
            let what = "socket.next(event, options)";
            each(&ctx, &options, what, &["timeout"], |key, value| {
                timeout = Some(span(&ctx, &value, &format!("{what}: `{key}`"))?);
                Ok(())
            })?;
            begin(&ctx, &state, who, Then::Plain, |host, op| {
                host.next_event(op, socket, event, timeout)
            })
        },
    )?;
    let state = natives.state.clone();
    natives.add(
        "listenEvent",
        move |ctx: Ctx<'js>, key: u32, event: String, function: Function<'js>| -> Result<()> {
            let function = Persistent::save(&ctx, function);
            let mut work = state.work.borrow_mut();
            let Some(socket) = work.sockets.get_mut(key) else {
                drop(work);
                return Err(ended(&ctx));
            };
            if !socket.open {
                return Ok(());
            }
            let (id, group) = (socket.id, socket.group);
            socket.on_event.push((event.as_str().into(), function));
            work.listening(group);
            drop(work);
            state.host.borrow_mut().listen_event(id, &event);
            Ok(())
        },
    )
}
