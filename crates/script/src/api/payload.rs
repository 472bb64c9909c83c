//! Bytes and messages out of values of the script.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rquickjs::function::This;
use rquickjs::{ArrayBuffer, Ctx, Function, Result, TypedArray, Value};

use super::arg::{kind, text, type_error};
use super::plain;
use crate::host::Payload;

/// The bytes of an `ArrayBuffer` or `Uint8Array`.
///
/// The engine's memory cannot be read without unsafe code, so the bytes come out as base64, which the
/// engine writes natively (some 2 ns per byte).
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

/// Strings as text, bytes as binary, other objects as JSON.
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

/// A value as JSON text.
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
