//! UTF-8 encoding and decoding.

use rquickjs::{Result, String as JsString, TypedArray, Value};

use super::arg::{kind, type_error};
use super::native::{Call, Natives};
use super::payload::bytes;

pub(super) fn install(natives: &Natives<'_>) -> Result<()> {
    natives.add("utf8Encode", encode)?;
    natives.add("utf8Decode", decode)
}

fn encode<'js>(call: &Call<'_, 'js>, text: JsString<'js>) -> Result<TypedArray<'js, u8>> {
    let text = text
        .to_string()
        .map_err(|_| type_error(&call.ctx, "half a surrogate pair cannot be encoded"))?;
    TypedArray::new(call.ctx.clone(), text.into_bytes())
}

fn decode<'js>(call: &Call<'_, 'js>, value: Value<'js>, fatal: bool) -> Result<String> {
    let Some(bytes) = bytes(&value) else {
        let message = format!(
            "TextDecoder.decode: expected an ArrayBuffer or Uint8Array, not {}",
            kind(&value)
        );
        return Err(type_error(&call.ctx, &message));
    };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) if fatal => {
            let at = error.utf8_error().valid_up_to();
            Err(type_error(
                &call.ctx,
                &format!("TextDecoder.decode: not UTF-8 from byte {at}"),
            ))
        }
        Err(error) => Ok(String::from_utf8_lossy(error.as_bytes()).into_owned()),
    }
}
