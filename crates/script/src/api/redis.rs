//! Connections to Redis servers, and subscriptions.

mod command;

use rquickjs::{Ctx, Object, Promise, Result, Value};

use super::arg::{Given, kind, span, text, type_error, url_text, whole};
use super::audience::member::{CONNECT, MemberKind, Options};
use super::native::{Call, Natives};
use super::op::begin;
use super::options::each;
use super::receiver::{Caller, Held};
use super::socket::{Follows, await_next, follow};
use crate::host::{RedisCall, RedisMember, SubscribeCall, SubscriptionKind};
use crate::work::Then;

const KNOWN_FOR_MEMBERS: [&str; 4] = ["url", "user", "password", "database"];
const KNOWN: [&str; 7] = [
    "url", "user", "password", "database", "cluster", "name", "timeout",
];

/// The highest number of a database that the option accepts.
const MAX_DATABASE: u32 = 1 << 20;

const IN_MESSAGES: Follows = Follows {
    call: "subscription.receives(channel, options)",
    known: &["at", "only", "except", "keep"],
    in_events: false,
};

pub(super) fn install(natives: &Natives<'_>) -> Result<()> {
    natives.add_method("redis", open)?;
    natives.add("redisServer", server)?;
    natives.add("redisCall", command::call)?;
    natives.add("redisPipeline", command::pipeline)?;
    natives.add("redisSubscribe", subscribe)?;
    natives.add("redisUnsubscribe", unsubscribe)?;
    natives.add("nextRedisMessage", next)?;
    natives.add("receivesRedisMessage", receives)
}

fn open<'js>(
    call: &Call<'_, 'js>,
    Caller(user): Caller,
    Given(options): Given<'js>,
) -> Result<Promise<'js>> {
    let made = RedisCall {
        planned: call.planned(),
        ..RedisCall::default()
    };
    let made = redis_call(&call.ctx, &options, ("user.redis(options)", &KNOWN), made)?;
    let then = Then::socket("makeRedis", "");
    begin(call, user.who(), then, |host, op| {
        host.open_redis(op, user.id, made)
    })
}

/// Converts the options of a connection. `known` are those that the call accepts, and `made` has its defaults.
fn redis_call<'js>(
    ctx: &Ctx<'js>,
    options: &Value<'js>,
    (call, known): (&str, &[&str]),
    mut made: RedisCall,
) -> Result<RedisCall> {
    each(ctx, options, call, known, |key, value| {
        let what = format!("{call}: `{key}`");
        match key {
            "url" => made.url = Some(url_text(ctx, &value, &what)?),
            "user" => made.user = Some(text(ctx, &value, &what)?),
            "password" => made.password = Some(text(ctx, &value, &what)?),
            "database" => made.database = Some(whole(ctx, &value, &what, (0, MAX_DATABASE))?),
            "cluster" => made.cluster = value.as_bool() == Some(true),
            "name" => made.name = Some(text(ctx, &value, &what)?),
            _ => made.timeout = Some(span(ctx, &value, &what)?),
        }
        Ok(())
    })?;
    Ok(made)
}

/// Returns the server's description of itself. `undefined` once the connection is closed.
fn server<'js>(call: &Call<'_, 'js>, redis: Held) -> Result<Option<Object<'js>>> {
    let Some(server) = call.host().redis_server(redis.id) else {
        return Ok(None);
    };
    let object = Object::new(call.ctx.clone())?;
    object.set("version", server.version)?;
    object.set("mode", server.mode)?;
    object.set("role", server.role)?;
    Ok(Some(object))
}

fn subscribe<'js>(
    native: &Call<'_, 'js>,
    redis: Held,
    channels: Value<'js>,
    options: Value<'js>,
) -> Result<Promise<'js>> {
    let (ctx, call) = (&native.ctx, "redis.subscribe(channels, options)");
    let mut made = SubscribeCall {
        names: names(ctx, &channels, &format!("{call}: the channels"))?,
        planned: native.planned(),
        ..SubscribeCall::default()
    };
    each(
        ctx,
        &options,
        call,
        &["pattern", "shard", "timeout"],
        |key, value| {
            let what = format!("{call}: `{key}`");
            if key == "timeout" {
                made.timeout = Some(span(ctx, &value, &what)?);
                return Ok(());
            }
            set_kind(ctx, &mut made, (key, &value), call)
        },
    )?;
    let then = Then::socket("makeRedisSubscription", "");
    begin(native, redis.who, then, |host, op| {
        host.subscribe(op, redis.id, made)
    })
}

/// Sets the kind of the names: `pattern` or `shard`.
fn set_kind<'js>(
    ctx: &Ctx<'js>,
    made: &mut SubscribeCall,
    (key, value): (&str, &Value<'js>),
    call: &str,
) -> Result<()> {
    if value.as_bool() != Some(true) {
        return Ok(());
    }
    if made.kind != SubscriptionKind::Channel {
        let refusal = format!("{call}: give only one of pattern and shard");
        return Err(type_error(ctx, &refusal));
    }
    made.kind = match key {
        "pattern" => SubscriptionKind::Pattern,
        _ => SubscriptionKind::Shard,
    };
    Ok(())
}

/// Converts a channel or a list of channels. A channel that is listed twice counts once.
fn names<'js>(ctx: &Ctx<'js>, value: &Value<'js>, what: &str) -> Result<Vec<Vec<u8>>> {
    let Some(list) = value.as_array() else {
        if !value.is_string() {
            let refusal = format!("{what} must be a string or a list, not {}", kind(value));
            return Err(type_error(ctx, &refusal));
        }
        return Ok(vec![text(ctx, value, what)?.into_bytes()]);
    };
    let mut names: Vec<Vec<u8>> = Vec::new();
    for value in list.iter::<Value<'js>>() {
        let name = text(ctx, &value?, what)?.into_bytes();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() {
        return Err(type_error(ctx, &format!("{what} are an empty list")));
    }
    Ok(names)
}

fn unsubscribe<'js>(call: &Call<'_, 'js>, subscription: Held) -> Result<Promise<'js>> {
    begin(call, subscription.who, Then::Closing, |host, op| {
        host.unsubscribe(op, subscription.id);
        Ok(())
    })
}

fn next<'js>(
    call: &Call<'_, 'js>,
    subscription: Held,
    options: Value<'js>,
) -> Result<Promise<'js>> {
    let (what, known) = ("subscription.next(options)", ["only", "timeout"]);
    await_next(call, &subscription, &options, what, &known)
}

fn receives<'js>(
    call: &Call<'_, 'js>,
    subscription: Held,
    channel: u32,
    options: Value<'js>,
) -> Result<u32> {
    follow(call, &subscription, channel, &options, &IN_MESSAGES)
}

impl MemberKind for RedisMember {
    const KEY: &'static str = "redis";
    const NOUN: &'static str = "a Redis subscription";
    const OWN: &'static [&'static str] = &["channels", "pattern", "shard"];

    fn set<'js>(
        ctx: &Ctx<'js>,
        subscription: &mut SubscribeCall,
        (key, value): (&str, &Value<'js>),
        call: &str,
    ) -> Result<()> {
        if key == "channels" {
            subscription.names = names(ctx, value, &format!("{call}: `{key}`"))?;
            return Ok(());
        }
        set_kind(ctx, subscription, (key, value), call)
    }

    fn call<'js>(
        ctx: &Ctx<'js>,
        options: &mut Options<'js>,
        connection: &Value<'js>,
        what: &str,
    ) -> Result<Self> {
        let made = RedisCall {
            timeout: options.timeout,
            ..RedisCall::default()
        };
        let call = redis_call(ctx, connection, (what, &KNOWN_FOR_MEMBERS), made)?;
        let subscribe = std::mem::take(&mut options.subscription);
        if subscribe.names.is_empty() {
            let refusal = format!("{CONNECT}: `channels` is missing");
            return Err(type_error(ctx, &refusal));
        }
        Ok(Self { call, subscribe })
    }
}
