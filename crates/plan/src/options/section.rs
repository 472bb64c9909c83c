//! Reads JSON objects field by field. Reports unknown keys and wrong types with their paths.

use serde_json::{Map, Value};

use super::values::describe;
use crate::problem::{Flaw, Problems};
use crate::suggest;

/// One JSON object of the options.
pub(super) struct Section<'a> {
    path: String,
    fields: Option<&'a Map<String, Value>>,
}

/// One value that may be absent.
pub(super) struct Field<'a> {
    pub(super) path: String,
    pub(super) value: Option<&'a Value>,
}

impl<'a> Section<'a> {
    /// The object with all options. `null` counts as an empty object. `elsewhere` returns the hint for an unknown key
    /// that has another name or place, if it knows the key.
    pub(super) fn root(
        value: &'a Value,
        known: &[&str],
        elsewhere: impl Fn(&str) -> Option<String>,
        problems: &mut Problems,
    ) -> Self {
        let field = Field {
            path: String::new(),
            value: (!value.is_null()).then_some(value),
        };
        let root = field.open_free(problems);
        root.refuse_unknown(known, elsewhere, problems);
        root
    }

    /// Reports keys that are not among `known`.
    fn refuse_unknown(
        &self,
        known: &[&str],
        elsewhere: impl Fn(&str) -> Option<String>,
        problems: &mut Problems,
    ) {
        for (key, field) in self.entries() {
            if !known.contains(&key.as_str()) {
                let hint = elsewhere(key).unwrap_or_else(|| suggest::hint(key, known));
                problems.push(Flaw::with_hint("unknown option", hint).at(field.path));
            }
        }
    }

    /// The field with this name, present or not.
    pub(super) fn field(&self, name: &str) -> Field<'a> {
        Field {
            path: joined(&self.path, name),
            value: self.fields.and_then(|fields| fields.get(name)),
        }
    }

    /// All fields in the user's order. Used for objects that allow any key.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&'a String, Field<'a>)> {
        self.fields.into_iter().flatten().map(|(key, value)| {
            let field = Field {
                path: joined(&self.path, key),
                value: Some(value),
            };
            (key, field)
        })
    }
}

impl<'a> Field<'a> {
    /// Reads the value as an object. Reports keys that are not among `known`.
    pub(super) fn open(&self, known: &[&str], problems: &mut Problems) -> Section<'a> {
        let section = self.open_free(problems);
        section.refuse_unknown(known, |_| None, problems);
        section
    }

    /// Reads the value as an object with any keys.
    pub(super) fn open_free(&self, problems: &mut Problems) -> Section<'a> {
        let fields = match self.value {
            None => None,
            Some(Value::Object(fields)) => Some(fields),
            Some(other) => {
                let message = format!("expected an object, got {}", describe(other));
                problems.push(Flaw::new(message).at(&self.path));
                None
            }
        };
        Section {
            path: self.path.clone(),
            fields,
        }
    }

    /// Parses the value. Returns `default` if it is absent or wrong.
    pub(super) fn read<T>(
        &self,
        problems: &mut Problems,
        default: T,
        parse: impl FnOnce(&Value) -> Result<T, Flaw>,
    ) -> T {
        self.read_some(problems, parse).unwrap_or(default)
    }

    /// Parses the value. Returns `None` if it is absent or wrong. A wrong value is reported.
    pub(super) fn read_some<T>(
        &self,
        problems: &mut Problems,
        parse: impl FnOnce(&Value) -> Result<T, Flaw>,
    ) -> Option<T> {
        match parse(self.value?) {
            Ok(value) => Some(value),
            Err(flaw) => {
                problems.push(flaw.at(&self.path));
                None
            }
        }
    }

    /// Reports a problem with this field.
    pub(super) fn refuse(&self, problems: &mut Problems, flaw: Flaw) {
        problems.push(flaw.at(&self.path));
    }

    /// The elements of a list, each with its path. A value that is not a list counts as the only element.
    pub(super) fn one_or_many(&self) -> Vec<Field<'a>> {
        match self.value {
            None => Vec::new(),
            Some(Value::Array(items)) => items
                .iter()
                .enumerate()
                .map(|(i, item)| Field {
                    path: format!("{}[{i}]", self.path),
                    value: Some(item),
                })
                .collect(),
            Some(value) => vec![Field {
                path: self.path.clone(),
                value: Some(value),
            }],
        }
    }
}

/// The path of a key: `load.duration`, or `thresholds["delivery(said)"]` if the key is not a plain word.
fn joined(path: &str, key: &str) -> String {
    let plain = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_');
    match (path.is_empty(), plain) {
        (true, true) => key.to_owned(),
        (false, true) => format!("{path}.{key}"),
        (_, false) => format!("{path}[{}]", crate::problem::quoted(key)),
    }
}
