use std::fmt;

use model::{Fault, FaultKind};

use super::encode::encode_command;
use super::value::Value;
use crate::fault::protocol;

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
