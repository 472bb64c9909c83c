//! UTF-8 encoding and decoding.

use rquickjs::{Ctx, Result, String as JsString, TypedArray, Value};

use super::Natives;
use super::arg::{kind, type_error};
use super::payload::bytes;

pub(super) fn install<'js>(natives: &Natives<'js>) -> Result<()> {
    natives.add(
        "utf8Encode",
        |ctx: Ctx<'js>, text: JsString<'js>| -> Result<TypedArray<'js, u8>> {
            let text = text
                .to_string()
                .map_err(|_| type_error(&ctx, "half a surrogate pair cannot be encoded"))?;
            TypedArray::new(ctx, text.into_bytes())
        },
    )?;
    natives.add(
        "utf8Decode",
        |ctx: Ctx<'js>, value: Value<'js>, fatal: bool| -> Result<String> {
            let Some(bytes) = bytes(&value) else {
                let message = format!(
                    "TextDecoder.decode: expected an ArrayBuffer or Uint8Array, not {}",
                    kind(&value)
                );
                return Err(type_error(&ctx, &message));
            };
            match String::from_utf8(bytes) {
                Ok(text) => Ok(text),
                Err(error) if fatal => {
                    let at = error.utf8_error().valid_up_to();
                    Err(type_error(
                        &ctx,
                        &format!("TextDecoder.decode: not UTF-8 from byte {at}"),
                    ))
                }
                Err(error) => Ok(String::from_utf8_lossy(error.as_bytes()).into_owned()),
            }
        },
    )
}
