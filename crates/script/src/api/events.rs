//! Streams of server-sent events.

use model::Nanos;
use rquickjs::{Ctx, Promise, Result, Value};

use super::arg::{Given, boolean, text, url_text};
use super::audience::member::{CONNECT, MemberKind, Options};
use super::native::{Call, Natives};
use super::op::begin;
use super::options::each;
use super::receiver::{Caller, Held};
use super::request::Address;
use super::socket::{Follows, await_next, follow};
use super::url::template;
use crate::host::EventsCall;
use crate::work::Then;

const KNOWN: [&str; 7] = [
    "headers",
    "query",
    "params",
    "lastEventId",
    "reconnect",
    "name",
    "timeout",
];

const IN_STREAMS: Follows = Follows {
    call: "stream.receives(channel, options)",
    known: &["event", "at", "only", "except", "keep"],
    in_events: false,
};

pub(super) fn install(natives: &Natives<'_>) -> Result<()> {
    natives.add_method("events", open)?;
    natives.add("nextServerEvent", next)?;
    natives.add("receivesServerEvent", receives)?;
    natives.add("lastEventId", last_event_id)?;
    natives.add("reconnects", reconnects)
}

fn open<'js>(
    call: &Call<'_, 'js>,
    Caller(user): Caller,
    Given(url): Given<'js>,
    Given(options): Given<'js>,
) -> Result<Promise<'js>> {
    let made = events_call(&call.ctx, &url, &options, call.planned())?;
    let then = Then::socket("makeEventStream", &made.name);
    begin(call, user.who(), then, |host, op| {
        host.open_events(op, user.id, made)
    })
}

fn events_call<'js>(
    ctx: &Ctx<'js>,
    url: &Value<'js>,
    options: &Value<'js>,
    planned: Option<Nanos>,
) -> Result<EventsCall> {
    let call = "user.events(url, options)";
    let url = url_text(ctx, url, &format!("{call}: the URL"))?;
    let mut address = Address::default();
    let mut made = EventsCall {
        reconnects: true,
        planned,
        ..EventsCall::default()
    };
    each(ctx, options, call, &KNOWN, |key, value| {
        let what = format!("{call}: `{key}`");
        match key {
            _ if address.take(ctx, call, key, &value)? => {}
            "lastEventId" => made.last_event_id = text(ctx, &value, &what)?,
            _ => made.reconnects = boolean(ctx, &value, &what)?,
        }
        Ok(())
    })?;
    made.url = address.url(ctx, call, &url)?;
    made.name = address.name.unwrap_or_else(|| template(&url).into_owned());
    made.headers = address.headers;
    made.timeout = address.timeout;
    Ok(made)
}

fn next<'js>(call: &Call<'_, 'js>, stream: Held, options: Value<'js>) -> Result<Promise<'js>> {
    let known = ["event", "only", "timeout"];
    await_next(call, &stream, &options, "stream.next(options)", &known)
}

fn receives<'js>(
    call: &Call<'_, 'js>,
    stream: Held,
    channel: u32,
    options: Value<'js>,
) -> Result<u32> {
    follow(call, &stream, channel, &options, &IN_STREAMS)
}

fn last_event_id(call: &Call<'_, '_>, stream: Held) -> Option<String> {
    let state = call.host().stream_state(stream.id)?;
    Some(state.last_event_id)
}

fn reconnects(call: &Call<'_, '_>, stream: Held) -> Option<u32> {
    let state = call.host().stream_state(stream.id)?;
    Some(state.reconnects)
}

impl MemberKind for EventsCall {
    const KEY: &'static str = "events";
    const NOUN: &'static str = "an event stream";
    const TAKES: &'static [&'static str] = &["headers", "query", "params", "ready"];
    const HAS_EVENTS: bool = true;

    fn call<'js>(
        ctx: &Ctx<'js>,
        options: &mut Options<'js>,
        connection: &Value<'js>,
        what: &str,
    ) -> Result<Self> {
        let url = url_text(ctx, connection, what)?;
        Ok(Self {
            url: options.address.url(ctx, CONNECT, &url)?,
            headers: std::mem::take(&mut options.address.headers),
            timeout: options.timeout,
            ..Self::default()
        })
    }
}
