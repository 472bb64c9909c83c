use schemars::json_schema;
use serde::{Deserialize, Serialize};

use super::schema::described;

const LONGEST: usize = 254;
const LONGEST_LOCAL: usize = 64;
const PATTERN: &str = r"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9][A-Za-z0-9-]*(\.[A-Za-z0-9][A-Za-z0-9-]*)*$";

/// An e-mail address as browsers accept it. It is converted to lowercase, so that one address cannot have two accounts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Email(String);

/// The text is not an e-mail address.
#[derive(Debug, thiserror::Error)]
#[error("expected an e-mail address such as `ada@example.org`, at most {LONGEST} characters")]
pub(crate) struct EmailError;

impl Email {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Email {
    type Error = EmailError;

    fn try_from(text: String) -> Result<Self, EmailError> {
        let (local, domain) = text.split_once('@').ok_or(EmailError)?;
        let local_fits = (1..=LONGEST_LOCAL).contains(&local.len()) && local.bytes().all(is_local);
        if local_fits && text.len() <= LONGEST && domain.split('.').all(is_label) {
            return Ok(Self(text.to_ascii_lowercase()));
        }
        Err(EmailError)
    }
}

fn is_local(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&byte)
}

fn is_label(label: &str) -> bool {
    let inside = label
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    inside && !label.is_empty() && !label.starts_with('-')
}

described!(
    Email,
    json_schema!({ "type": "string", "maxLength": LONGEST, "pattern": PATTERN })
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_in_small_letters_and_nonsense_is_refused() {
        let read = |text: &str| Email::try_from(text.to_owned());
        assert_eq!(
            read("Ada.L+1@Example.ORG").unwrap().as_str(),
            "ada.l+1@example.org"
        );
        for refused in [
            "",
            "ada",
            "@x",
            "a@",
            "a@b@c",
            "a b@c",
            "a@-b",
            "a@b..c",
            "a@b\r\nBcc: x",
        ] {
            assert!(read(refused).is_err(), "{refused:?} was taken");
        }
    }
}
