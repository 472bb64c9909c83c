use serde_json::Value;

use super::{Filter, Node, Path, Test};
use crate::registration::Metadata;

impl Filter {
    /// Whether the metadata meets the condition.
    pub(crate) fn matches(&self, metadata: &Metadata) -> bool {
        self.0.holds(metadata)
    }
}

impl Node {
    fn holds(&self, metadata: &Metadata) -> bool {
        match self {
            Self::All(nodes) => nodes.iter().all(|node| node.holds(metadata)),
            Self::Any(nodes) => nodes.iter().any(|node| node.holds(metadata)),
            Self::Not(node) => !node.holds(metadata),
            Self::Clause(path, test) => test.holds(path.find(metadata)),
        }
    }
}

impl Path {
    fn find<'a>(&self, metadata: &'a Metadata) -> Option<&'a Value> {
        let (first, rest) = self.0.split_first()?;
        let begin = metadata.get(first)?;
        rest.iter().try_fold(begin, |value, key| match value {
            Value::Object(inner) => inner.get(key),
            _ => None,
        })
    }
}

impl Test {
    fn holds(&self, found: Option<&Value>) -> bool {
        if let Self::Exists(wanted) = self {
            return found.is_some() == *wanted;
        }
        let Some(found) = found else { return false };
        match self {
            Self::Exists(_) => false,
            Self::Equal(value) => value.equals(found) == Some(true),
            Self::NotEqual(value) => value.equals(found) == Some(false),
            Self::Less(value) => value.compare(found).is_some_and(std::cmp::Ordering::is_lt),
            Self::LessOrEqual(value) => value.compare(found).is_some_and(std::cmp::Ordering::is_le),
            Self::Greater(value) => value.compare(found).is_some_and(std::cmp::Ordering::is_gt),
            Self::GreaterOrEqual(value) => {
                value.compare(found).is_some_and(std::cmp::Ordering::is_ge)
            }
            Self::StartsWith(part) => {
                matches!(found, Value::String(text) if text.starts_with(part.as_str()))
            }
            Self::EndsWith(part) => {
                matches!(found, Value::String(text) if text.ends_with(part.as_str()))
            }
            Self::Contains(item) => match found {
                Value::Array(items) => items.iter().any(|found| item.equals(found) == Some(true)),
                Value::String(text) => {
                    matches!(item, super::Scalar::Text(part) if text.contains(part.as_str()))
                }
                _ => false,
            },
            Self::In(values) => values.iter().any(|value| value.equals(found) == Some(true)),
        }
    }
}
