use model::Fault;
use serde_json::{Map, Value};

use super::credentials::Credentials;
use super::info::Info;
use super::nkey::Key;
use crate::fault::protocol;

/// What a client says about itself.
#[derive(Debug, Default)]
pub struct Login {
    /// Who it is.
    pub credentials: Credentials,
    /// A name for the server's monitoring.
    pub name: String,
    /// Whether the client does not want its own messages.
    pub no_echo: bool,
    /// Whether the client wants TLS even if the server does not require it.
    pub tls: bool,
}

impl Login {
    /// The JSON of the `CONNECT` line that responds to a server's `INFO`.
    pub(super) fn json(&self, info: &Info, is_secure: bool) -> Result<String, Fault> {
        let mut json = Map::new();
        let mut set = |name: &str, value: Value| json.insert(name.to_owned(), value);
        for (name, value) in [
            ("verbose", false),
            ("pedantic", false),
            ("tls_required", is_secure),
            ("echo", !self.no_echo),
            ("headers", info.headers),
            // The server then answers a request to which nobody listens, instead of letting it time out.
            ("no_responders", info.headers),
        ] {
            set(name, value.into());
        }
        set("protocol", 1.into());
        set("lang", "rust".into());
        set("version", env!("CARGO_PKG_VERSION").into());
        set("name", self.name.as_str().into());
        match &self.credentials {
            Credentials::None => {}
            Credentials::Token(token) => drop(set("auth_token", token.as_str().into())),
            Credentials::Password { user, password } => {
                set("user", user.as_str().into());
                set("pass", password.as_str().into());
            }
            Credentials::Key(key) => {
                set("nkey", key.public().into());
                set("sig", signature(key, info)?.into());
            }
            Credentials::Jwt { jwt, key } => {
                set("jwt", jwt.as_str().into());
                set("sig", signature(key, info)?.into());
            }
        }
        Ok(Value::Object(json).to_string())
    }
}

fn signature(key: &Key, info: &Info) -> Result<String, Fault> {
    let nonce = info.nonce.as_deref().ok_or_else(|| {
        protocol("the NATS server sent no nonce to sign: its configuration lists no nkeys and no operator")
    })?;
    Ok(key.sign(nonce))
}
