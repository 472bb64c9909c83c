use script::host::{RedisError, RedisValue};
use wire::resp::{Items, Value};

/// Copies a value, which borrows from the read buffer, for the script.
pub(super) fn owned(value: &Value<'_>) -> RedisValue {
    match *value {
        Value::Null => RedisValue::Null,
        Value::Boolean(flag) => RedisValue::Boolean(flag),
        Value::Integer(number) => RedisValue::Integer(number),
        Value::Double(number) => RedisValue::Double(number),
        Value::BigNumber(digits) => RedisValue::BigNumber(digits.to_owned()),
        Value::Simple(bytes) | Value::Blob(bytes) | Value::Verbatim { text: bytes, .. } => {
            RedisValue::Bytes(bytes.to_vec())
        }
        Value::Chunked(chunks) => RedisValue::Bytes(chunks.parts().flatten().copied().collect()),
        Value::Error(error) => RedisValue::Error(RedisError {
            code: error.code().to_owned(),
            fault: error.fault(),
        }),
        Value::Array(items) | Value::Push(items) => RedisValue::List(all(items)),
        Value::Set(items) => RedisValue::Set(all(items)),
        Value::Map(items) => {
            let pairs = items.pairs();
            RedisValue::Map(
                pairs
                    .map(|(key, value)| (owned(&key), owned(&value)))
                    .collect(),
            )
        }
    }
}

fn all(items: Items<'_>) -> Vec<RedisValue> {
    items.values().map(|value| owned(&value)).collect()
}
