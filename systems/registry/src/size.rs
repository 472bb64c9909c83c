//! The size of values: as JSON, and in memory.

use std::io;

use serde::Serialize;
use serde_json::Value;

use crate::registration::Metadata;

/// Memory of a value itself, without what it contains.
const VALUE: usize = size_of::<Value>();
/// Memory of the table of an object or an array. Even with one entry, it has room for four.
const TABLE: usize = 4 * VALUE;
/// Memory of an entry of an object besides its key and its value.
const ENTRY: usize = 64;

/// The length of the JSON of a value, in bytes.
pub(crate) fn json<T: Serialize>(value: &T) -> usize {
    let mut written = Written(0);
    serde_json::to_writer(&mut written, value).map_or(usize::MAX, |()| written.0)
}

/// Counts the bytes that are written, and forgets them.
struct Written(usize);

impl io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An estimate of the memory of metadata, in bytes. It can be sixty times as much as the JSON, in which `[0]` takes three
/// bytes.
pub(crate) fn memory(metadata: &Metadata) -> usize {
    let entries = metadata.iter();
    TABLE
        + entries
            .map(|(key, value)| ENTRY + key.len() + of(value))
            .sum::<usize>()
}

/// The depth is limited, because `serde_json` reads at most 128 levels.
fn of(value: &Value) -> usize {
    VALUE
        + match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
            Value::String(text) => text.len(),
            Value::Array(items) => TABLE + items.iter().map(of).sum::<usize>(),
            Value::Object(inner) => memory(inner),
        }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn many_small_values_weigh_more_than_their_text() {
        let metadata = |value: Value| match json!({ "a": value }) {
            Value::Object(metadata) => metadata,
            _ => unreachable!(),
        };
        let text = metadata(json!("x".repeat(10_000)));
        assert_eq!(json(&text), 10_008);
        assert!((10_000..11_000).contains(&memory(&text)));
        let nested = metadata(json!(vec![json!([[0]]); 2000]));
        assert!(json(&nested) < 13_000);
        assert!(memory(&nested) > 500_000);
    }
}
