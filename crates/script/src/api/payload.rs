//! Converts script values to bytes and messages.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rquickjs::function::This;
use rquickjs::{ArrayBuffer, Ctx, Function, Result, TypedArray, Value};

use super::arg::{kind, text, type_error};
use super::plain;
use crate::host::Payload;

/// Returns the bytes of an `ArrayBuffer` or `Uint8Array`.
///
/// Reading the script engine's memory directly would need unsafe code. The script engine therefore encodes the bytes
/// natively as base64, in about 2 ns per byte.
pub(super) fn bytes(value: &Value<'_>) -> Option<Vec<u8>> {
    let object = value.as_object()?;
    let view = match ArrayBuffer::from_object(object.clone()) {
        Some(buffer) => TypedArray::<u8>::from_arraybuffer(buffer).ok()?,
        None => TypedArray::<u8>::from_object(object.clone()).ok()?,
    };
    let encode: Function<'_> = view.as_object().get("toBase64").ok()?;
    let text: String = encode.call((This(view),)).ok()?;
    STANDARD.decode(text).ok()
}

/// Converts a message: strings become text, bytes become binary, other objects become JSON.
pub(super) fn message<'js>(ctx: &Ctx<'js>, value: &Value<'js>, what: &str) -> Result<Payload> {
    if value.is_string() {
        return text(ctx, value, what).map(Payload::Text);
    }
    if let Some(bytes) = bytes(value) {
        return Ok(Payload::Binary(bytes));
    }
    if !value.is_object() || value.is_function() || value.is_promise() {
        let message = format!(
            "{what} must be a string, bytes or an object, not {}",
            kind(value)
        );
        return Err(type_error(ctx, &message));
    }
    json(ctx, value, what).map(Payload::Text)
}

/// Converts a value to JSON text.
pub(super) fn json<'js>(ctx: &Ctx<'js>, value: &Value<'js>, what: &str) -> Result<String> {
    let unfit = || {
        type_error(
            ctx,
            &format!("{what} cannot be written as JSON: it is {}", kind(value)),
        )
    };
    if value.is_promise() {
        return Err(unfit());
    }
    if let Some(text) = plain::json(ctx, value)? {
        return Ok(text);
    }
    ctx.json_stringify(value.clone())?
        .ok_or_else(unfit)?
        .to_string()
}
