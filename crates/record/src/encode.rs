use serde_json::Value;

use crate::Run;
use crate::upgrade;
use crate::version::{KIND, ReadError, VERSION};

/// Encodes a run as the text of `run.json`, ending with a line break.
pub fn to_json(run: &Run) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(run)?;
    text.push('\n');
    Ok(text)
}

/// Reads the text of `run.json`. The version is checked first, so that a file of a newer version is not reported as
/// damaged.
pub fn from_json(text: &str) -> Result<Run, ReadError> {
    let value: Value = serde_json::from_str(text).map_err(ReadError::NotJson)?;
    let spelled = |key| {
        value
            .get(key)
            .map_or("missing".to_owned(), Value::to_string)
    };
    if value.get("kind").and_then(Value::as_str) != Some(KIND) {
        return Err(ReadError::OtherKind {
            found: spelled("kind"),
        });
    }
    let version = match value.get("version").and_then(Value::as_u64) {
        Some(found) if found > u64::from(VERSION) => return Err(ReadError::Newer { found }),
        Some(found) if found > 0 => found,
        _ => {
            return Err(ReadError::Unknown {
                found: spelled("version"),
            });
        }
    };
    let run = if version == u64::from(VERSION) {
        // Parsing the text again, and not the value, gives error messages with line numbers.
        serde_json::from_str(text)
    } else {
        let mut run = value;
        upgrade::to_version_3(&mut run);
        serde_json::from_value(run)
    };
    run.map_err(|why| ReadError::Damaged { version, why })
}
