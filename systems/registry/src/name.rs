use std::fmt;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Maximum length of a name in bytes. A subject of NATS contains a namespace and an identity.
pub(crate) const LONGEST: usize = 128;

/// The name of a namespace or an identity. It is part of a key in Redis and one token of a subject in NATS, so that a
/// name can never address anyone else.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Name(Arc<str>);

/// The rule that a name breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NameError {
    #[error("a name must not be empty")]
    Empty,
    #[error("a name must have at most {LONGEST} bytes")]
    TooLong,
    #[error("a name must not contain `{0}`, which is a wildcard in subjects")]
    Wildcard(char),
    #[error("a name must not contain `.`, which separates the tokens of a subject")]
    Dot,
    #[error("a name must not contain `/`, which separates the namespace from the identity")]
    Slash,
    #[error("a name must not contain `{{` or `}}`, which select the node of a Redis cluster")]
    Brace,
    #[error("a name must not contain spaces or control characters")]
    Space,
}

impl Name {
    /// Checks a text against all rules.
    pub(crate) fn new(text: &str) -> Result<Self, NameError> {
        if text.is_empty() {
            return Err(NameError::Empty);
        }
        if text.len() > LONGEST {
            return Err(NameError::TooLong);
        }
        for letter in text.chars() {
            match letter {
                '*' | '>' => return Err(NameError::Wildcard(letter)),
                '.' => return Err(NameError::Dot),
                '/' => return Err(NameError::Slash),
                '{' | '}' => return Err(NameError::Brace),
                _ if letter.is_whitespace() || letter.is_control() => {
                    return Err(NameError::Space);
                }
                _ => {}
            }
        }
        Ok(Self(text.into()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::borrow::Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::new(&text).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Name {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Name".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "1 to 128 bytes without wildcards (`*`, `>`), dots, slashes, braces, spaces and control characters",
            "pattern": "^[A-Za-z0-9_:@$+=~,;!#%&()|-]{1,128}$",
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_rule_that_a_name_breaks_is_named() {
        let longest = "x".repeat(LONGEST);
        let too_long = "x".repeat(LONGEST + 1);
        for (text, broken) in [
            ("", NameError::Empty),
            (too_long.as_str(), NameError::TooLong),
            ("a*", NameError::Wildcard('*')),
            (">", NameError::Wildcard('>')),
            ("device.1", NameError::Dot),
            ("a/b", NameError::Slash),
            ("a{b", NameError::Brace),
            ("a b", NameError::Space),
            ("a\u{7}", NameError::Space),
            ("a\u{a0}b", NameError::Space),
        ] {
            assert_eq!(Name::new(text), Err(broken), "{text:?}");
        }
        for text in ["a", "device-1", "user:42@home", "Grüße", longest.as_str()] {
            assert_eq!(Name::new(text).unwrap().as_str(), text);
        }
    }

    proptest! {
        /// A subject is split at dots, and a wildcard is a token of its own or the last one.
        #[test]
        fn an_accepted_name_is_always_exactly_one_literal_token(text in ".{0,20}") {
            if let Ok(name) = Name::new(&text) {
                let subject = format!("prefix.{name}");
                prop_assert_eq!(subject.split('.').count(), 2);
                prop_assert!(!subject.contains(['*', '>', ' ', '\r', '\n', '\t']));
            }
        }
    }
}
