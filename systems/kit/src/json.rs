//! Structures that can be read only from JSON objects. serde alone also accepts an array with one item per field.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// A value that can be read only from a JSON object.
#[derive(Clone, Copy, Debug)]
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(AsMap(PhantomData))
    }
}

struct AsMap<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for AsMap<T> {
    type Value = Object<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Object<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Object)
    }
}

/// Reads a structure from the text of a JSON object.
pub fn object<'a, T: Deserialize<'a>>(json: &'a [u8]) -> Result<T, serde_json::Error> {
    serde_json::from_slice(json).map(|Object(value)| value)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Said<'a> {
        #[serde(borrow)]
        by_whom: Cow<'a, str>,
        #[serde(default)]
        loud: bool,
    }

    #[test]
    fn a_structure_is_read_from_an_object_without_copying_and_never_from_an_array() {
        let said: Said<'_> = object(br#"{"byWhom": "ada"}"#).unwrap();
        assert!(matches!(said.by_whom, Cow::Borrowed("ada")) && !said.loud);
        for refused in [
            r#"["ada", true]"#,
            r#"["ada"]"#,
            "[]",
            "null",
            "7",
            r#"{"byWhom": "ada", "x": 1}"#,
        ] {
            let error = object::<Said<'_>>(refused.as_bytes()).unwrap_err();
            assert!(!error.to_string().is_empty(), "{refused}");
        }
    }
}
