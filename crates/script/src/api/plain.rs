//! Writes the JSON text of plain data: objects of `{…}`, lists, texts, numbers.
//!
//! The script engine writes all other values itself. It creates several objects per value. This writer avoids that cost
//! for most messages.

use std::fmt::Write as _;

use rquickjs::atom::PredefinedAtom;
use rquickjs::{Array, Atom, Ctx, Error, Object, Result, Value};

/// Maximum depth. Deeper values may be circular, so the script engine handles them and reports the error.
const DEEPEST: usize = 32;
/// Numbers in this range are formatted without an exponent by both writers.
const WITHOUT_EXPONENT: std::ops::Range<f64> = 1e-6..1e21;

/// Returns the text that `JSON.stringify` gives. `None` if only the script engine can write the value.
pub(super) fn json<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<Option<String>> {
    let mut writer = Writer::new(ctx)?;
    match writer.value(value, 0) {
        Ok(true) => Ok(Some(writer.out)),
        Ok(false) | Err(Stop::NotPlain) => Ok(None),
        Err(Stop::Thrown(error)) => Err(error),
    }
}

/// Like [`json`], for a list of the event's name and its arguments.
pub(super) fn list<'js>(event: &Value<'js>, arguments: &Array<'js>) -> Result<Option<String>> {
    let mut writer = Writer::new(event.ctx())?;
    writer.out.push('[');
    let written = writer
        .value(event, 0)
        .and_then(|_| writer.elements(arguments, true, 0));
    match written {
        Ok(()) => Ok(Some(writer.out)),
        Err(Stop::NotPlain) => Ok(None),
        Err(Stop::Thrown(error)) => Err(error),
    }
}

/// The reason why writing stopped.
enum Stop {
    NotPlain,
    Thrown(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Thrown(error)
    }
}

struct Writer<'js> {
    out: String,
    /// Prototype of `{}`. Objects with another prototype may have their own `toJSON`.
    plain: Option<Object<'js>>,
}

impl<'js> Writer<'js> {
    fn new(ctx: &Ctx<'js>) -> Result<Self> {
        Ok(Self {
            out: String::with_capacity(128),
            plain: Object::new(ctx.clone())?.get_prototype(),
        })
    }

    /// Writes a value. Returns false for `undefined`, which has no text.
    fn value(&mut self, value: &Value<'js>, depth: usize) -> std::result::Result<bool, Stop> {
        if let Some(text) = value.as_string() {
            let text = text.to_string().map_err(|_| Stop::NotPlain)?;
            self.quoted(&text);
        } else if let Some(number) = value.as_int() {
            self.out.push_str(itoa::Buffer::new().format(number));
        } else if let Some(array) = value.as_array() {
            if depth >= DEEPEST || has_own_text(array.as_object())? {
                return Err(Stop::NotPlain);
            }
            self.out.push('[');
            self.elements(array, false, depth)?;
        } else if let Some(object) = value.as_object() {
            self.object(object, depth)?;
        } else if let Some(flag) = value.as_bool() {
            self.out.push_str(if flag { "true" } else { "false" });
        } else if value.is_null() {
            self.out.push_str("null");
        } else if let Some(number) = value.as_float() {
            self.float(number)?;
        } else if value.is_undefined() {
            return Ok(false);
        } else {
            return Err(Stop::NotPlain);
        }
        Ok(true)
    }

    fn float(&mut self, number: f64) -> std::result::Result<(), Stop> {
        if !WITHOUT_EXPONENT.contains(&number.abs()) {
            return Err(Stop::NotPlain);
        }
        let _ = write!(self.out, "{number}"); // writing to a string cannot fail
        Ok(())
    }

    /// Writes the elements after an opening bracket. `goes_on` states that the list already has an element.
    fn elements(
        &mut self,
        array: &Array<'js>,
        mut goes_on: bool,
        depth: usize,
    ) -> std::result::Result<(), Stop> {
        for value in array.iter::<Value<'js>>() {
            if std::mem::replace(&mut goes_on, true) {
                self.out.push(',');
            }
            if !self.value(&value?, depth + 1)? {
                self.out.push_str("null");
            }
        }
        self.out.push(']');
        Ok(())
    }

    fn object(&mut self, object: &Object<'js>, depth: usize) -> std::result::Result<(), Stop> {
        if depth >= DEEPEST || object.get_prototype() != self.plain || has_own_text(object)? {
            return Err(Stop::NotPlain);
        }
        self.out.push('{');
        let start = self.out.len();
        for property in object.props::<Atom<'js>, Value<'js>>() {
            let (key, value) = property?;
            let before = self.out.len();
            if before > start {
                self.out.push(',');
            }
            let key = key.to_js_string()?.to_string();
            self.quoted(&key.map_err(|_| Stop::NotPlain)?);
            self.out.push(':');
            if !self.value(&value, depth + 1)? {
                self.out.truncate(before);
            }
        }
        self.out.push('}');
        Ok(())
    }

    /// Writes a quoted text. Copies each run of characters without escapes as a whole.
    fn quoted(&mut self, text: &str) {
        self.out.push('"');
        let mut rest = text;
        while let Some(at) = rest.bytes().position(|byte| ESCAPED[usize::from(byte)]) {
            self.out.push_str(&rest[..at]);
            self.escape(rest.as_bytes()[at]);
            rest = &rest[at + 1..];
        }
        self.out.push_str(rest);
        self.out.push('"');
    }

    fn escape(&mut self, byte: u8) {
        let short = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            8 => "\\b",
            12 => "\\f",
            _ => {
                let _ = write!(self.out, "\\u{byte:04x}"); // writing to a string cannot fail
                return;
            }
        };
        self.out.push_str(short);
    }
}

/// Bytes that must be escaped in JSON text.
const ESCAPED: [bool; 256] = {
    let mut escaped = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        escaped[byte] = true;
        byte += 1;
    }
    escaped[b'"' as usize] = true;
    escaped[b'\\' as usize] = true;
    escaped
};

/// Whether the object has a `toJSON` method.
fn has_own_text(object: &Object<'_>) -> Result<bool> {
    let own: Value<'_> = object.get(PredefinedAtom::ToJSON)?;
    Ok(!own.is_undefined())
}
