use std::time::{SystemTime, UNIX_EPOCH};
use std::{fmt, io};

use kit::token::Token;
use schemars::json_schema;
use serde::{Deserialize, Serialize};

use super::schema::described;

/// A unique id of 32 hexadecimal digits: 14 for the creation time in microseconds, and 18 random digits. Ids sort by
/// time, so an index grows only at its end, and lists can be read newest first.
#[derive(
    Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, sqlx::Type,
)]
#[sqlx(transparent)]
#[serde(try_from = "String")]
pub(crate) struct Id(String);

/// The text is not an id.
#[derive(Debug, thiserror::Error)]
#[error("an id must have 32 lowercase hexadecimal digits")]
pub(crate) struct IdError;

impl Id {
    /// Creates an id. Fails only if the operating system provides no random numbers.
    pub(crate) fn new() -> io::Result<Self> {
        let random = Token::random()?.to_string();
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let micros = since.map_or(0, |since| since.as_micros()) & 0xff_ffff_ffff_ffff;
        Ok(Self(format!("{micros:014x}{}", &random[..18])))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Id {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        let is_digit = |b: u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
        if text.len() == 32 && text.bytes().all(is_digit) {
            return Ok(Self(text));
        }
        Err(IdError)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

described!(
    Id,
    json_schema!({ "type": "string", "pattern": "^[0-9a-f]{32}$" })
);
