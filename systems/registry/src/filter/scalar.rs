use std::cmp::Ordering;

use serde_json::Value;

/// A value with which fields are compared.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Scalar {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
}

impl Scalar {
    /// `None` for arrays and objects.
    pub(super) fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Null => Some(Self::Null),
            Value::Bool(value) => Some(Self::Bool(*value)),
            Value::Number(number) => number.as_f64().map(Self::Number),
            Value::String(text) => Some(Self::Text(text.clone())),
            Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// Whether a value has the same type. `None` if not.
    pub(super) fn equals(&self, value: &Value) -> Option<bool> {
        match (self, value) {
            (Self::Null, Value::Null) => Some(true),
            (Self::Bool(wanted), Value::Bool(found)) => Some(wanted == found),
            (Self::Text(wanted), Value::String(found)) => Some(wanted == found),
            (Self::Number(_), Value::Number(_)) => {
                self.compare(value).map(|order| order == Ordering::Equal)
            }
            _ => None,
        }
    }

    /// The order of `value` relative to this scalar. `None` if they have no order: only numbers and strings have one.
    pub(super) fn compare(&self, value: &Value) -> Option<Ordering> {
        match (self, value) {
            (Self::Number(wanted), Value::Number(found)) => found.as_f64()?.partial_cmp(wanted),
            (Self::Text(wanted), Value::String(found)) => {
                Some(found.as_bytes().cmp(wanted.as_bytes()))
            }
            _ => None,
        }
    }

    pub(super) fn value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => (*value).into(),
            Self::Number(number) => (*number).into(),
            Self::Text(text) => text.as_str().into(),
        }
    }
}
