use std::fmt;

use model::{Fault, FaultKind};
use url::Url;

use super::encode::encode_command;
use super::value::Value;
use crate::fault::protocol;
use crate::http::encoding::percent_decoded;

/// Who a client is.
#[derive(Clone, Default)]
pub struct Login {
    /// The user; `default` if there is only a password.
    pub user: Option<String>,
    /// The password. Without it, the client does not log in.
    pub password: Option<String>,
    /// A name for `CLIENT LIST`, without blanks.
    pub name: Option<String>,
    /// The number of the database.
    pub database: u32,
}

/// What the server says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hello {
    /// `redis`, or another implementation.
    pub server: String,
    /// The version, such as `7.0.15`.
    pub version: String,
    /// The connection's id.
    pub id: i64,
    /// `standalone`, `cluster` or `sentinel`.
    pub mode: String,
    /// `master` or `replica`.
    pub role: String,
}

impl fmt::Debug for Login {
    /// Leaves out the password, which is secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login")
            .field("user", &self.user)
            .field("name", &self.name)
            .field("database", &self.database)
            .finish_non_exhaustive()
    }
}

impl Login {
    /// The login of a `redis` or `rediss` URL: `redis://user:password@host/database`. Any other path is a fault of the
    /// script.
    pub fn of_url(url: &Url) -> Result<Self, Fault> {
        let decoded = |text: &str| percent_decoded(text.as_bytes());
        let database = match url.path().trim_start_matches('/') {
            "" => 0,
            number => number.parse().map_err(|_| {
                let detail = format!("`{number}` in the Redis URL is not the number of a database");
                Fault::script(FaultKind::Protocol, detail)
            })?,
        };
        Ok(Self {
            user: Some(url.username())
                .filter(|user| !user.is_empty())
                .map(decoded),
            password: url.password().map(decoded),
            name: None,
            database,
        })
    }

    /// Appends the `HELLO` that chooses RESP3 and logs in.
    pub(super) fn encode_hello(&self, out: &mut Vec<u8>) {
        let mut arguments: Vec<&[u8]> = vec![b"HELLO", b"3"];
        if let Some(password) = &self.password {
            let user = self.user.as_deref().unwrap_or("default");
            arguments.extend([b"AUTH".as_slice(), user.as_bytes(), password.as_bytes()]);
        }
        if let Some(name) = &self.name {
            arguments.extend([b"SETNAME".as_slice(), name.as_bytes()]);
        }
        encode_command(out, arguments);
    }

    /// Appends the `SELECT` of the database. Returns whether it is needed.
    pub(super) fn encode_select(&self, out: &mut Vec<u8>) -> bool {
        if self.database > 0 {
            let number = self.database.to_string();
            encode_command(out, [b"SELECT".as_slice(), number.as_bytes()]);
        }
        self.database > 0
    }
}

impl Hello {
    /// Reads the reply to `HELLO`.
    pub(super) fn parse(reply: &Value<'_>) -> Result<Self, Fault> {
        let map = match reply {
            Value::Map(map) => *map,
            Value::Error(error) => {
                return Err(match error.code() {
                    // Redis before version 6 does not know the command.
                    "ERR" if error.text().contains("unknown command") => unsupported(),
                    "NOPROTO" => unsupported(),
                    _ => Fault::target(
                        FaultKind::Denied,
                        format!("Redis refused the client: {}", error.text()),
                    ),
                });
            }
            _ => return Err(unsupported()),
        };
        if map.get("proto").and_then(|proto| proto.integer()) != Some(3) {
            return Err(unsupported());
        }
        let text = |key| {
            let value: Option<Value<'_>> = map.get(key);
            value
                .and_then(|value| value.text())
                .unwrap_or_default()
                .to_owned()
        };
        Ok(Self {
            server: text("server"),
            version: text("version"),
            id: map
                .get("id")
                .and_then(|id| id.integer())
                .unwrap_or_default(),
            mode: text("mode"),
            role: text("role"),
        })
    }
}

fn unsupported() -> Fault {
    protocol("the Redis server does not speak RESP3: version 6 or later does")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_contains_the_login() {
        let of = |url: &str| Login::of_url(&Url::parse(url).unwrap());
        let all = of("redis://us%40er:p%3Aw%2F%25@h.test:7000/12").unwrap();
        assert_eq!(all.user.as_deref(), Some("us@er"));
        assert_eq!(all.password.as_deref(), Some("p:w/%"));
        assert_eq!(all.database, 12);
        let password = of("rediss://:secret@h.test").unwrap();
        assert_eq!(password.user, None);
        assert_eq!(password.password.as_deref(), Some("secret"));
        for plain in ["redis://h.test", "redis://h.test/", "redis://h.test:1/0"] {
            let plain = of(plain).unwrap();
            assert_eq!(
                (plain.user, plain.password, plain.database),
                (None, None, 0)
            );
        }
        for bad in [
            "redis://h.test/x",
            "redis://h.test/-1",
            "redis://h.test/1/2",
        ] {
            assert!(of(bad).is_err(), "{bad}");
        }
    }
}
