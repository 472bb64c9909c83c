use std::fmt;

use schemars::json_schema;
use serde::Deserialize;

use super::schema::described;

const SHORTEST: usize = 8;
const LONGEST: usize = 128;

/// A password of 8 to 128 characters. It is never displayed and never stored.
#[derive(Clone, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Password(String);

/// The password has the wrong length, or contains NUL.
#[derive(Debug, thiserror::Error)]
#[error("a password must have {SHORTEST} to {LONGEST} characters, and no NUL")]
pub(crate) struct PasswordError;

impl Password {
    /// The plain text. Only the hashing code may use it.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Password {
    type Error = PasswordError;

    fn try_from(text: String) -> Result<Self, PasswordError> {
        let fits = (SHORTEST..=LONGEST).contains(&text.chars().count());
        if fits && !text.contains('\0') {
            return Ok(Self(text));
        }
        Err(PasswordError)
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(..)")
    }
}

described!(
    Password,
    json_schema!({
        "type": "string", "format": "password",
        "minLength": SHORTEST, "maxLength": LONGEST, "pattern": r"^[^\x00]*$"
    })
);
