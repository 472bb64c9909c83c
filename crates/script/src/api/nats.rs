//! NATS: connections, messages and subscriptions.

mod member;

use model::Nanos;
use rquickjs::{Ctx, Object, Promise, Result, Value};

use super::arg::{Given, boolean, span, text, type_error, url_text, whole};
use super::native::{Call, Natives};
use super::op::begin;
use super::options::{each, object_of};
use super::payload::message;
use super::receiver::{Caller, Held};
use super::socket::{Follows, await_next, follow};
use crate::host::{
    ConsumerCall, FetchCall, NatsCall, NatsLogin, NatsRequest, NatsSubscribeCall, Payload,
    Publication,
};
use crate::work::Then;

const KNOWN: [&str; 10] = [
    "url",
    "user",
    "password",
    "token",
    "nkey",
    "credentials",
    "connection",
    "echo",
    "name",
    "timeout",
];

/// Number of messages that a consumer is asked for at a time by default.
const BATCH: u64 = 100;

/// Time after which a consumer sends no more messages for a fetch, by default.
const FETCH_TIMEOUT: Nanos = Nanos::from_secs(5);

/// Name under which connections are measured by default.
const NAME: &str = "nats";

const IN_SUBSCRIPTIONS: Follows = Follows {
    call: "subscription.receives(channel, options)",
    known: &["at", "only", "except", "keep"],
    in_events: false,
};

pub(super) fn install(natives: &Natives<'_>) -> Result<()> {
    natives.add_method("nats", open)?;
    natives.add("natsServer", server)?;
    natives.add("natsPublish", publish)?;
    natives.add("natsRequest", request)?;
    natives.add("natsSubscribe", subscribe)?;
    natives.add("natsConsume", consume)?;
    natives.add("natsFetch", fetch)?;
    natives.add("natsFlush", flush)?;
    natives.add("natsNext", next)?;
    natives.add("natsReceives", receives)
}

fn open<'js>(
    call: &Call<'_, 'js>,
    Caller(user): Caller,
    Given(options): Given<'js>,
) -> Result<Promise<'js>> {
    let made = NatsCall {
        name: NAME.to_owned(),
        planned: call.planned(),
        ..NatsCall::default()
    };
    let made = nats_call(&call.ctx, &options, ("user.nats(options)", &KNOWN), made)?;
    let then = Then::socket("makeNats", &made.name);
    begin(call, user.who(), then, |host, op| {
        host.open_nats(op, user.id, made)
    })
}

/// Converts the options of a connection. `known` are those that the call accepts, and `made` has its defaults.
fn nats_call<'js>(
    ctx: &Ctx<'js>,
    options: &Value<'js>,
    (call, known): (&str, &[&str]),
    mut made: NatsCall,
) -> Result<NatsCall> {
    let (mut user, mut password) = (None, None);
    let mut logins = Vec::new();
    each(ctx, options, call, known, |key, value| {
        let what = format!("{call}: `{key}`");
        match key {
            "url" => made.url = Some(url_text(ctx, &value, &what)?),
            "user" => user = Some(text(ctx, &value, &what)?),
            "password" => password = Some(text(ctx, &value, &what)?),
            "token" => logins.push(NatsLogin::Token(text(ctx, &value, &what)?)),
            "nkey" => logins.push(NatsLogin::Seed(text(ctx, &value, &what)?)),
            "credentials" => logins.push(NatsLogin::File(text(ctx, &value, &what)?)),
            "connection" => {
                made.is_shared = one_of(ctx, &value, ["own", "shared"], &what)? == "shared";
            }
            "echo" => made.no_echo = !boolean(ctx, &value, &what)?,
            "name" => made.name = text(ctx, &value, &what)?,
            _ => made.timeout = Some(span(ctx, &value, &what)?),
        }
        Ok(())
    })?;
    match (user, password) {
        (Some(user), Some(password)) => logins.push(NatsLogin::Password { user, password }),
        (None, None) => {}
        _ => {
            let refusal = format!("{call}: give both `user` and `password`, or neither");
            return Err(type_error(ctx, &refusal));
        }
    }
    if logins.len() > 1 {
        let refusal = format!(
            "{call}: give only one of `user` with `password`, `token`, `nkey` and `credentials`"
        );
        return Err(type_error(ctx, &refusal));
    }
    made.login = logins.pop().unwrap_or_default();
    Ok(made)
}

/// Returns the properties of the server.
fn server<'js>(call: &Call<'_, 'js>, connection: Held) -> Result<Option<Object<'js>>> {
    let Some(server) = call.host().nats_server(connection.id) else {
        return Ok(None);
    };
    let object = Object::new(call.ctx.clone())?;
    object.set("id", server.id)?;
    object.set("version", server.version)?;
    object.set("maxPayload", server.max_payload)?;
    object.set("jetstream", server.jetstream)?;
    Ok(Some(object))
}

fn publish<'js>(
    call: &Call<'_, 'js>,
    connection: Held,
    subject: Value<'js>,
    payload: Value<'js>,
    options: Value<'js>,
) -> Result<()> {
    let ctx = &call.ctx;
    let what = "nats.publish(subject, payload, options)";
    let mut made = publication(ctx, what, &subject, &payload)?;
    each(ctx, &options, what, &["headers", "reply"], |key, value| {
        let what = format!("{what}: `{key}`");
        match key {
            "headers" => made.headers = headers(ctx, &value, &what)?,
            _ => made.reply = Some(text(ctx, &value, &what)?),
        }
        Ok(())
    })?;
    let sent = call
        .host()
        .nats_publish(connection.id, made, call.planned());
    call.or_throw(sent)
}

fn request<'js>(
    native: &Call<'_, 'js>,
    connection: Held,
    subject: Value<'js>,
    payload: Value<'js>,
    options: Value<'js>,
    is_jetstream: bool,
) -> Result<Promise<'js>> {
    let ctx = &native.ctx;
    let what = "nats.request(subject, payload, options)";
    let mut made = NatsRequest {
        name: String::new(),
        message: publication(ctx, what, &subject, &payload)?,
        is_jetstream,
        timeout: None,
        planned: native.planned(),
    };
    let known = ["headers", "name", "timeout"];
    each(ctx, &options, what, &known, |key, value| {
        let what = format!("{what}: `{key}`");
        match key {
            "headers" => made.message.headers = headers(ctx, &value, &what)?,
            "name" => made.name = text(ctx, &value, &what)?,
            _ => made.timeout = Some(span(ctx, &value, &what)?),
        }
        Ok(())
    })?;
    if made.name.is_empty() {
        made.name.clone_from(&made.message.subject);
    }
    let then = Then::Message(connection.key);
    begin(native, connection.who, then, |host, op| {
        host.nats_request(op, connection.id, made)
    })
}

fn subscribe<'js>(
    native: &Call<'_, 'js>,
    connection: Held,
    subject: Value<'js>,
    options: Value<'js>,
) -> Result<Promise<'js>> {
    let ctx = &native.ctx;
    let what = "nats.subscribe(subject, options)";
    let mut call = NatsSubscribeCall {
        subject: text(ctx, &subject, &format!("{what}: the subject"))?,
        ..NatsSubscribeCall::default()
    };
    let known = ["queue", "max", "timeout"];
    each(ctx, &options, what, &known, |key, value| {
        let what = format!("{what}: `{key}`");
        match key {
            "queue" => call.queue = Some(text(ctx, &value, &what)?),
            "max" => call.max = Some(whole(ctx, &value, &what, (1, u32::MAX))?.into()),
            _ => call.timeout = Some(span(ctx, &value, &what)?),
        }
        Ok(())
    })?;
    begin_subscription(native, connection, call)
}

fn begin_subscription<'js>(
    native: &Call<'_, 'js>,
    connection: Held,
    call: NatsSubscribeCall,
) -> Result<Promise<'js>> {
    let then = Then::carried("makeSubscription", connection.key);
    begin(native, connection.who, then, |host, op| {
        host.nats_subscribe(op, connection.id, call)
    })
}

/// Subscribes to the messages of a consumer. With `on`, headcount requests them without end.
fn consume<'js>(
    native: &Call<'_, 'js>,
    connection: Held,
    stream: Value<'js>,
    name: Value<'js>,
    options: Value<'js>,
    on: bool,
) -> Result<Promise<'js>> {
    let ctx = &native.ctx;
    let what = "consumer.subscribe(options)";
    let names = "jetstream.consumer(stream, name)";
    let mut consumer = ConsumerCall {
        stream: text(ctx, &stream, &format!("{names}: the stream"))?,
        name: text(ctx, &name, &format!("{names}: the name"))?,
        batch: on.then_some(BATCH),
        acknowledges: on,
    };
    let mut timeout = None;
    let known = ["batch", "ack", "timeout"];
    each(ctx, &options, what, &known, |key, value| {
        let what = format!("{what}: `{key}`");
        match key {
            "batch" => consumer.batch = Some(whole(ctx, &value, &what, (1, 100_000))?.into()),
            "ack" => {
                consumer.acknowledges = one_of(ctx, &value, ["each", "none"], &what)? == "each";
            }
            _ => timeout = Some(span(ctx, &value, &what)?),
        }
        Ok(())
    })?;
    let call = NatsSubscribeCall {
        consumer: Some(consumer),
        timeout,
        ..NatsSubscribeCall::default()
    };
    begin_subscription(native, connection, call)
}

fn fetch<'js>(
    call: &Call<'_, 'js>,
    subscription: Held,
    count: Value<'js>,
    options: Value<'js>,
) -> Result<Promise<'js>> {
    let ctx = &call.ctx;
    let what = "consumer.fetch(count, options)";
    let count = whole(ctx, &count, &format!("{what}: the count"), (1, 100_000))?;
    let mut made = FetchCall {
        count: count.into(),
        timeout: FETCH_TIMEOUT,
    };
    each(ctx, &options, what, &["timeout"], |key, value| {
        made.timeout = span(ctx, &value, &format!("{what}: `{key}`"))?;
        Ok(())
    })?;
    let connection = call.state.work.borrow().connection_of(subscription.id);
    let then = connection.map_or(Then::Plain, Then::Message);
    begin(call, subscription.who, then, |host, op| {
        host.nats_fetch(op, subscription.id, made)
    })
}

fn flush<'js>(call: &Call<'_, 'js>, connection: Held) -> Result<Promise<'js>> {
    let then = Then::Elapsed(call.host().now());
    begin(call, connection.who, then, |host, op| {
        host.nats_flush(op, connection.id)
    })
}

/// Converts one of two words.
fn one_of<'js>(
    ctx: &Ctx<'js>,
    value: &Value<'js>,
    known: [&'static str; 2],
    what: &str,
) -> Result<&'static str> {
    let word = text(ctx, value, what)?;
    let found = known.into_iter().find(|known| *known == word);
    found.ok_or_else(|| {
        let [one, other] = known;
        let refusal = format!("{what} must be \"{one}\" or \"{other}\", not {word:?}");
        type_error(ctx, &refusal)
    })
}

fn next<'js>(
    call: &Call<'_, 'js>,
    subscription: Held,
    options: Value<'js>,
) -> Result<Promise<'js>> {
    let what = "subscription.next(options)";
    await_next(call, &subscription, &options, what, &["only", "timeout"])
}

fn receives<'js>(
    call: &Call<'_, 'js>,
    subscription: Held,
    channel: u32,
    options: Value<'js>,
) -> Result<u32> {
    follow(call, &subscription, channel, &options, &IN_SUBSCRIPTIONS)
}

/// Converts a subject and a payload. A payload that is omitted is empty.
fn publication<'js>(
    ctx: &Ctx<'js>,
    what: &str,
    subject: &Value<'js>,
    payload: &Value<'js>,
) -> Result<Publication> {
    Ok(Publication {
        subject: text(ctx, subject, &format!("{what}: the subject"))?,
        reply: None,
        headers: Vec::new(),
        payload: if payload.is_undefined() {
            Payload::Text(String::new())
        } else {
            message(ctx, payload, &format!("{what}: the payload"))?
        },
    })
}

/// Converts headers: an object whose values are strings, or lists of strings.
fn headers<'js>(ctx: &Ctx<'js>, value: &Value<'js>, what: &str) -> Result<Vec<(String, String)>> {
    let object = object_of(ctx, value, what)?;
    let mut headers = Vec::new();
    for property in object.props::<String, Value<'js>>() {
        let (name, value) = property?;
        let what = format!("{what}.{name}");
        match value.as_array() {
            Some(all) => {
                for value in all.iter::<Value<'js>>() {
                    headers.push((name.clone(), text(ctx, &value?, &what)?));
                }
            }
            None => headers.push((name, text(ctx, &value, &what)?)),
        }
    }
    Ok(headers)
}
