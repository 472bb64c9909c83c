use serde::Deserialize;
use serde_json::Value;

use crate::Run;
use crate::version::{KIND, ReadError, VERSION};

/// The part of a saved run that every version has.
#[derive(Deserialize)]
struct Header {
    #[serde(default)]
    kind: Option<Value>,
    #[serde(default)]
    version: Option<Value>,
}

/// The text of `run.json`, ending with a line break.
pub fn to_json(run: &Run) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(run)?;
    text.push('\n');
    Ok(text)
}

/// Reads the text of `run.json`. The version is looked at before anything else, so that a newer file is called
/// newer and not damaged.
pub fn from_json(text: &str) -> Result<Run, ReadError> {
    let value: Value = serde_json::from_str(text).map_err(ReadError::NotJson)?;
    let header = Header::deserialize(&value).unwrap_or(Header {
        kind: None,
        version: None,
    });
    let spelled = |value: Option<Value>| value.map_or("missing".to_owned(), |v| v.to_string());
    if header.kind.as_ref().and_then(Value::as_str) != Some(KIND) {
        return Err(ReadError::OtherKind {
            found: spelled(header.kind),
        });
    }
    match header.version.as_ref().and_then(Value::as_u64) {
        Some(found) if found == u64::from(VERSION) => {}
        Some(found) if found > u64::from(VERSION) => return Err(ReadError::Newer { found }),
        _ => {
            return Err(ReadError::Unknown {
                found: spelled(header.version),
            });
        }
    }
    serde_json::from_str(text).map_err(ReadError::Damaged)
}
