use serde_json::{Value, json};

use super::{Filter, Node, Test};

impl Filter {
    /// The filter as nested arrays, `[kind, …]`, which `enumerate.lua` evaluates.
    pub(crate) fn tree(&self) -> Value {
        self.0.tree()
    }
}

impl Node {
    fn tree(&self) -> Value {
        let list = |kind: &str, nodes: &[Self]| {
            let mut list = vec![Value::from(kind)];
            list.extend(nodes.iter().map(Self::tree));
            Value::Array(list)
        };
        match self {
            Self::All(nodes) => list("all", nodes),
            Self::Any(nodes) => list("any", nodes),
            Self::Not(node) => json!(["not", node.tree()]),
            Self::Clause(path, test) => {
                let (kind, value) = test.parts();
                json!([kind, path.0, value])
            }
        }
    }
}

impl Test {
    fn parts(&self) -> (&'static str, Value) {
        match self {
            Self::Exists(wanted) => ("exists", (*wanted).into()),
            Self::Equal(value) => ("eq", value.value()),
            Self::NotEqual(value) => ("ne", value.value()),
            Self::Less(value) => ("lt", value.value()),
            Self::LessOrEqual(value) => ("lte", value.value()),
            Self::Greater(value) => ("gt", value.value()),
            Self::GreaterOrEqual(value) => ("gte", value.value()),
            Self::StartsWith(part) => ("startswith", part.as_str().into()),
            Self::EndsWith(part) => ("endswith", part.as_str().into()),
            Self::Contains(item) => ("contains", item.value()),
            Self::In(values) => ("in", values.iter().map(super::Scalar::value).collect()),
        }
    }
}
