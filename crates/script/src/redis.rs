//! Converts replies and messages of Redis servers to script values.

use rquickjs::{Array, ArrayBuffer, BigInt, Ctx, IntoJs, Null, Result, String as JsString, Value};

use crate::failure::names_of;
use crate::host::{RedisError, RedisMessage, RedisPublished, RedisValue};
use crate::kept::Kept;
use crate::message::{Origin, ScriptMessage};
use crate::state::State;

/// Whole numbers up to this one are exact as numbers of the script.
const MAX_SAFE: i64 = (1 << 53) - 1;

impl ScriptMessage for RedisMessage {
    fn to_script<'js>(&self, ctx: &Ctx<'js>, state: &State, origin: Origin) -> Result<Value<'js>> {
        match self {
            Self::Published(message) => message_object(ctx, state, message),
            Self::Reply(reply) => value(ctx, state, reply, origin.is_binary),
            Self::Refused(error) => Err(ctx.throw(error_object(ctx, state, error)?)),
        }
    }
}

/// Converts a reply. With `binary`, every string becomes an `ArrayBuffer`; otherwise only strings that are not UTF-8.
fn value<'js>(
    ctx: &Ctx<'js>,
    state: &State,
    value: &RedisValue,
    binary: bool,
) -> Result<Value<'js>> {
    let converter = Converter {
        ctx,
        state,
        make: state.constructor("makeRedisValue")?,
        binary,
    };
    converter.value(value)
}

struct Converter<'a, 'js> {
    ctx: &'a Ctx<'js>,
    state: &'a State,
    /// Creates the values that need a class of the script.
    make: Kept,
    binary: bool,
}

impl<'js> Converter<'_, 'js> {
    fn value(&self, value: &RedisValue) -> Result<Value<'js>> {
        let ctx = self.ctx;
        match value {
            RedisValue::Null => Null.into_js(ctx),
            RedisValue::Boolean(flag) => flag.into_js(ctx),
            RedisValue::Integer(number) if number.abs() <= MAX_SAFE => number.into_js(ctx),
            RedisValue::Integer(number) => BigInt::from_i64(ctx.clone(), *number)?.into_js(ctx),
            RedisValue::Double(number) => number.into_js(ctx),
            RedisValue::BigNumber(digits) => self.made("bigint", digits.as_str()),
            RedisValue::Bytes(bytes) if self.binary => buffer(ctx, bytes),
            RedisValue::Bytes(bytes) => string(ctx, bytes),
            RedisValue::List(elements) => self.list(elements.iter()),
            RedisValue::Set(elements) => self.made("set", self.list(elements.iter())?),
            RedisValue::Map(pairs) => {
                let flat = pairs.iter().flat_map(|(key, value)| [key, value]);
                self.made("map", self.list(flat)?)
            }
            RedisValue::Error(error) => error_object(ctx, self.state, error),
        }
    }

    fn list<'v>(&self, elements: impl Iterator<Item = &'v RedisValue>) -> Result<Value<'js>> {
        let list = Array::new(self.ctx.clone())?;
        for (index, element) in elements.enumerate() {
            list.set(index, self.value(element)?)?;
        }
        Ok(list.into_value())
    }

    fn made(&self, kind: &str, of: impl IntoJs<'js>) -> Result<Value<'js>> {
        let make = self.make.clone().restore(self.ctx)?;
        make.call((kind, of.into_js(self.ctx)?))
    }
}

/// Converts a message of a subscription to its script object.
fn message_object<'js>(
    ctx: &Ctx<'js>,
    state: &State,
    message: &RedisPublished,
) -> Result<Value<'js>> {
    let RedisPublished {
        channel,
        pattern,
        payload,
    } = message;
    let make = state.constructor("makeRedisMessage")?.restore(ctx)?;
    let payload = string(ctx, payload)?;
    make.call((channel.as_str(), pattern.as_deref(), payload))
}

/// Converts an error of the server to an `Error` with `side`, `kind` and `code`.
fn error_object<'js>(ctx: &Ctx<'js>, state: &State, error: &RedisError) -> Result<Value<'js>> {
    let (side, kind) = names_of(&error.fault);
    let make = state.constructor("makeRedisError")?.restore(ctx)?;
    make.call((side, kind, error.fault.detail.as_str(), error.code.as_str()))
}

/// Converts text to a string, and other bytes to an `ArrayBuffer`.
fn string<'js>(ctx: &Ctx<'js>, bytes: &[u8]) -> Result<Value<'js>> {
    match str::from_utf8(bytes) {
        Ok(text) => JsString::from_str(ctx.clone(), text).map(JsString::into_value),
        Err(_) => buffer(ctx, bytes),
    }
}

fn buffer<'js>(ctx: &Ctx<'js>, bytes: &[u8]) -> Result<Value<'js>> {
    ArrayBuffer::new_copy(ctx.clone(), bytes).map(ArrayBuffer::into_value)
}
