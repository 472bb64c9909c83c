//! Commands for Redis servers.

use rquickjs::{Array, Coerced, Ctx, FromJs as _, Promise, Result, Value};

use crate::api::arg::{kind, span, text, type_error};
use crate::api::native::Call;
use crate::api::op::begin;
use crate::api::options::each;
use crate::api::payload::bytes;
use crate::api::receiver::Held;
use crate::host::{CommandsCall, RedisCommand};
use crate::work::Then;

const CALL: &str = "redis.call(command, …)";
const PIPELINE: &str = "redis.pipeline(commands, options)";

/// Commands whose first argument is a subcommand.
const CONTAINERS: [&str; 16] = [
    "ACL", "CLIENT", "CLUSTER", "COMMAND", "CONFIG", "DEBUG", "FUNCTION", "LATENCY", "MEMORY",
    "MODULE", "OBJECT", "PUBSUB", "SCRIPT", "SLOWLOG", "XGROUP", "XINFO",
];

/// Commands that a call of their own replaces.
const SUBSCRIBING: [&str; 6] = [
    "SUBSCRIBE",
    "PSUBSCRIBE",
    "SSUBSCRIBE",
    "UNSUBSCRIBE",
    "PUNSUBSCRIBE",
    "SUNSUBSCRIBE",
];

/// Sends a command. `command` is its name, or an object with its name and the options.
pub(super) fn call<'js>(
    native: &Call<'_, 'js>,
    redis: Held,
    command: Value<'js>,
    arguments: Array<'js>,
) -> Result<Promise<'js>> {
    let ctx = &native.ctx;
    let mut made = CommandsCall {
        planned: native.planned(),
        ..CommandsCall::default()
    };
    let (mut then, mut name) = (Then::Plain, None);
    let mut word = command.clone();
    if command.is_object() {
        word = Value::new_undefined(ctx.clone());
        let known = ["command", "name", "binary", "expect", "timeout"];
        each(ctx, &command, CALL, &known, |key, value| {
            match key {
                "command" => word = value,
                "name" => name = Some(text(ctx, &value, &format!("{CALL}: `name`"))?),
                _ => option(ctx, CALL, key, &value, (&mut made, &mut then))?,
            }
            Ok(())
        })?;
    }
    let mut command = named(ctx, CALL, &word, &arguments, 0)?;
    if let Some(name) = name {
        command.name = name;
    }
    made.commands.push(command);
    begin(native, redis.who, then, |host, op| {
        host.call_redis(op, redis.id, made)
    })
}

/// Sends a list of commands, each a list of the command's name and its arguments.
pub(super) fn pipeline<'js>(
    native: &Call<'_, 'js>,
    redis: Held,
    commands: Value<'js>,
    options: Value<'js>,
) -> Result<Promise<'js>> {
    let ctx = &native.ctx;
    let unfit = |value: &Value<'js>| {
        let refusal = format!(
            "{PIPELINE}: the commands must be a list of lists, such as [[\"GET\", \"a\"]], not {}",
            kind(value)
        );
        type_error(ctx, &refusal)
    };
    let mut made = CommandsCall {
        is_pipeline: true,
        planned: native.planned(),
        ..CommandsCall::default()
    };
    let list = commands.as_array().ok_or_else(|| unfit(&commands))?;
    for command in list.iter::<Value<'js>>() {
        let command = command?;
        let words = command.as_array().ok_or_else(|| unfit(&command))?;
        let word = words.get(0)?;
        made.commands.push(named(ctx, PIPELINE, &word, words, 1)?);
    }
    if made.commands.is_empty() {
        return Err(type_error(ctx, &format!("{PIPELINE}: there is no command")));
    }
    let mut then = Then::Plain;
    let known = ["binary", "expect", "timeout"];
    each(ctx, &options, PIPELINE, &known, |key, value| {
        option(ctx, PIPELINE, key, &value, (&mut made, &mut then))
    })?;
    begin(native, redis.who, then, |host, op| {
        host.call_redis(op, redis.id, made)
    })
}

/// Sets an option that calls and pipelines share.
fn option<'js>(
    ctx: &Ctx<'js>,
    call: &str,
    key: &str,
    value: &Value<'js>,
    (made, then): (&mut CommandsCall, &mut Then),
) -> Result<()> {
    let what = format!("{call}: `{key}`");
    match key {
        "timeout" => made.timeout = Some(span(ctx, value, &what)?),
        "expect" => made.expect = codes(ctx, value, &what)?,
        _ if value.as_bool() == Some(true) => *then = Then::Binary,
        _ => *then = Then::Plain,
    }
    Ok(())
}

fn codes<'js>(ctx: &Ctx<'js>, value: &Value<'js>, what: &str) -> Result<Vec<String>> {
    if value.is_string() {
        return Ok(vec![text(ctx, value, what)?]);
    }
    let Some(list) = value.as_array() else {
        let refusal = format!(
            "{what} must be an error code or a list of error codes, not {}",
            kind(value)
        );
        return Err(type_error(ctx, &refusal));
    };
    let codes = list.iter::<Value<'js>>();
    codes.map(|code| text(ctx, &code?, what)).collect()
}

/// Creates a command of its name and of the arguments from `first` on.
fn named<'js>(
    ctx: &Ctx<'js>,
    call: &str,
    word: &Value<'js>,
    arguments: &Array<'js>,
    first: usize,
) -> Result<RedisCommand> {
    let word = text(ctx, word, &format!("{call}: the command"))?;
    let mut name = word.to_ascii_uppercase();
    if word.is_empty() || word.contains(char::is_whitespace) {
        let refusal =
            format!("{call}: {word:?} is not one word; pass subcommands and keys as arguments");
        return Err(type_error(ctx, &refusal));
    }
    if SUBSCRIBING.contains(&&*name) {
        let refusal = format!("{call}: {name} is not possible; use `redis.subscribe(channels)`");
        return Err(type_error(ctx, &refusal));
    }
    let mut words = Vec::with_capacity(1 + arguments.len() - first);
    words.push(word.into_bytes());
    for value in arguments.iter::<Value<'js>>().skip(first) {
        let what = || format!("{call}: argument {} of {name}", words.len());
        let argument = argument(ctx, &value?, what)?;
        words.push(argument);
    }
    if let (true, Some(subcommand)) = (CONTAINERS.contains(&&*name), words.get(1)) {
        let subcommand = String::from_utf8_lossy(subcommand).to_ascii_uppercase();
        name = format!("{name} {subcommand}");
    }
    Ok(RedisCommand { name, words })
}

/// Converts an argument: a string, a number, a bigint or bytes.
fn argument<'js>(ctx: &Ctx<'js>, value: &Value<'js>, what: impl Fn() -> String) -> Result<Vec<u8>> {
    if let Some(string) = value.as_string() {
        // The message is worth its cost only if there is a fault.
        return match string.to_string() {
            Ok(text) => Ok(text.into_bytes()),
            Err(_) => text(ctx, value, &what()).map(String::into_bytes),
        };
    }
    if value.is_number() || value.is_big_int() {
        let Coerced(text) = Coerced::<String>::from_js(ctx, value.clone())?;
        return Ok(text.into_bytes());
    }
    bytes(value).ok_or_else(|| {
        let hint = if value.is_array() {
            "; write `...list` to pass its elements"
        } else if value.is_object() {
            "; write JSON.stringify(…) to send JSON"
        } else {
            ""
        };
        let kind = kind(value);
        type_error(
            ctx,
            &format!(
                "{} must be a string, a number or bytes, not {kind}{hint}",
                what()
            ),
        )
    })
}
