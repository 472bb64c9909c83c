use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// Control characters except tab and line breaks. Texts must not contain them, because users do not type them and
/// `PostgreSQL` cannot store NUL.
const CONTROL: &str = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f";

/// A text of `MIN` to `MAX` characters. If `MIN` is not 0, the text must not be blank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Text<const MIN: usize, const MAX: usize>(String);

/// The reason why a text is refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TextError {
    #[error("expected {min} to {max} characters, got {length}")]
    Length {
        min: usize,
        max: usize,
        length: usize,
    },
    #[error("the text must not be blank")]
    Blank,
    #[error("the text must not contain control characters")]
    Control,
}

impl<const MIN: usize, const MAX: usize> Text<MIN, MAX> {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl<const MIN: usize, const MAX: usize> TryFrom<String> for Text<MIN, MAX> {
    type Error = TextError;

    fn try_from(text: String) -> Result<Self, TextError> {
        let length = text.chars().count();
        if length < MIN || length > MAX {
            let (min, max) = (MIN, MAX);
            return Err(TextError::Length { min, max, length });
        }
        if MIN > 0 && text.trim().is_empty() {
            return Err(TextError::Blank);
        }
        if text.chars().any(is_refused) {
            return Err(TextError::Control);
        }
        Ok(Self(text))
    }
}

/// Whether `c` is one of the characters in [`CONTROL`].
pub(crate) fn is_refused(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r')
}

impl<const MIN: usize, const MAX: usize> JsonSchema for Text<MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Text{MIN}To{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let pattern = if MIN == 0 {
            format!("^[^{CONTROL}]*$")
        } else {
            format!(r"^[^{CONTROL}]*[^\s{CONTROL}][^{CONTROL}]*$")
        };
        json_schema!({ "type": "string", "minLength": MIN, "maxLength": MAX, "pattern": pattern })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_blankness_and_control_characters_are_judged() {
        let read = |text: &str| Text::<1, 3>::try_from(text.to_owned());
        assert_eq!(read("äöü").unwrap().as_str(), "äöü");
        assert!(read("a\nb").is_ok());
        for refused in ["", "abcd", "   ", "a\0b", "\u{7f}"] {
            assert!(read(refused).is_err(), "{refused:?} was taken");
        }
        assert!(Text::<0, 3>::try_from(String::new()).is_ok());
    }
}
