use rquickjs::{ArrayBuffer, Ctx, Result, String as JsString, Value};

use crate::host::Payload;

/// Converts a payload to a string or an `ArrayBuffer`.
pub(crate) fn payload_value<'js>(ctx: &Ctx<'js>, payload: &Payload) -> Result<Value<'js>> {
    match payload {
        Payload::Text(text) => JsString::from_str(ctx.clone(), text).map(JsString::into_value),
        Payload::Binary(bytes) => {
            ArrayBuffer::new_copy(ctx.clone(), bytes).map(ArrayBuffer::into_value)
        }
    }
}
