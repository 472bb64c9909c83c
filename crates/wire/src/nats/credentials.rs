use std::fmt;

use model::Fault;

use super::nkey::Key;
use super::subject::refused;

/// How a client proves who it is.
#[derive(Default)]
pub enum Credentials {
    /// The server asks for nothing.
    #[default]
    None,
    /// A secret that all clients of the server share.
    Token(String),
    /// A user name and a password.
    Password {
        /// The name.
        user: String,
        /// The password.
        password: String,
    },
    /// A key that the server's configuration lists.
    Key(Key),
    /// A token that an account has signed for the key.
    Jwt {
        /// The token.
        jwt: String,
        /// The key.
        key: Key,
    },
}

impl fmt::Debug for Credentials {
    /// Shows the kind alone, because the rest is secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Token(_) => "Token",
            Self::Password { .. } => "Password",
            Self::Key(_) => "Key",
            Self::Jwt { .. } => "Jwt",
        })
    }
}

impl Credentials {
    /// Reads a credentials file (`.creds`): a block `NATS USER JWT` and a block `USER NKEY SEED`.
    pub fn from_file(text: &str) -> Result<Self, Fault> {
        let missing = |name: &str| {
            refused(format!(
                "the credentials file has no block `-----BEGIN {name}-----`"
            ))
        };
        let find = |name: &str| block(text, name).ok_or_else(|| missing(name));
        Ok(Self::Jwt {
            jwt: find("NATS USER JWT")?.to_owned(),
            key: Key::from_seed(find("USER NKEY SEED")?)?,
        })
    }
}

/// The line after the head of a block. The number of dashes varies between the versions of the tools.
fn block<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = text.lines().map(str::trim);
    lines.find(|line| {
        let head = line.trim_matches('-').strip_prefix("BEGIN ");
        line.starts_with("---") && head == Some(name)
    })?;
    lines.find(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "-----BEGIN NATS USER JWT-----\r\neyJ0.eyJq.sig\n------END NATS USER JWT------\n\n\
        ************************* IMPORTANT *************************\n\
        -----BEGIN USER NKEY SEED-----\n\
        SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY\n------END USER NKEY SEED------\n";

    #[test]
    fn a_credentials_file_holds_a_token_and_a_seed() {
        let Credentials::Jwt { jwt, key } = Credentials::from_file(FILE).unwrap() else {
            panic!("a token is expected");
        };
        assert_eq!(jwt, "eyJ0.eyJq.sig");
        assert!(key.public().starts_with("UDXU"));
    }

    #[test]
    fn an_incomplete_file_names_the_missing_block() {
        for missing in ["NATS USER JWT", "USER NKEY SEED"] {
            let text = FILE.replace(&format!("BEGIN {missing}"), "BEGIN");
            let fault = Credentials::from_file(&text).unwrap_err();
            assert!(fault.detail.contains(missing), "{fault}");
        }
    }
}
