use model::Fault;
use serde_json::Value;

use crate::fault::{printable, protocol};

/// Maximum number of addresses that are stored. Each connection stores its own.
const MOST_URLS: usize = 100;

/// The properties of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the server sends independent flags"
)]
pub struct Info {
    /// The unique id of the server.
    pub server_id: String,
    /// The server's name, which its operator chooses.
    pub server_name: String,
    /// The version, such as `2.10.7`.
    pub version: String,
    /// Maximum size of a published message with its headers, in bytes.
    pub max_payload: usize,
    /// Whether messages may have headers.
    pub headers: bool,
    /// Whether JetStream is enabled.
    pub jetstream: bool,
    /// Whether the server wants credentials.
    pub auth_required: bool,
    /// Whether the server wants TLS.
    pub tls_required: bool,
    /// Whether the server accepts TLS.
    pub tls_available: bool,
    /// The text to sign with an nkey.
    pub nonce: Option<String>,
    /// Addresses (`host:port`) of the cluster's servers.
    pub connect_urls: Vec<String>,
    /// Whether the server is about to shut down, so that clients should move to another one.
    pub lame_duck: bool,
}

impl Info {
    /// Reads the JSON of an `INFO` line. Absent properties have their default.
    pub fn parse(json: &str) -> Result<Self, Fault> {
        let unfit = || {
            let shown = printable(json.as_bytes());
            protocol(format!("`{shown}` is not the INFO of a NATS server"))
        };
        let info: Value = serde_json::from_str(json).map_err(|_| unfit())?;
        let text = |name: &str| info.get(name).and_then(Value::as_str);
        let owned = |name: &str| text(name).unwrap_or_default().to_owned();
        let flag = |name: &str| info.get(name).and_then(Value::as_bool).unwrap_or(false);
        let max_payload = info.get("max_payload").and_then(Value::as_u64);
        let urls = info.get("connect_urls").and_then(Value::as_array);
        Ok(Self {
            server_id: text("server_id").ok_or_else(unfit)?.to_owned(),
            server_name: owned("server_name"),
            version: owned("version"),
            max_payload: usize::try_from(max_payload.ok_or_else(unfit)?).map_err(|_| unfit())?,
            headers: flag("headers"),
            jetstream: flag("jetstream"),
            auth_required: flag("auth_required"),
            tls_required: flag("tls_required"),
            tls_available: flag("tls_available"),
            nonce: text("nonce").map(str::to_owned),
            connect_urls: urls
                .into_iter()
                .flatten()
                .filter_map(|url| url.as_str().map(str::to_owned))
                .take(MOST_URLS)
                .collect(),
            lame_duck: flag("ldm"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_info_of_the_documentation() {
        let info = Info::parse(
            r#"{"server_id":"Zk0GQ3JBSrg3oyxCRRlE09","version":"1.2.0","proto":1,"go":"go1.10.3","host":"0.0.0.0",
                "port":4222,"max_payload":1048576,"client_id":2392,"nonce":"abc","connect_urls":["10.0.0.1:4222",7]}"#,
        );
        let expected = Info {
            server_id: "Zk0GQ3JBSrg3oyxCRRlE09".into(),
            version: "1.2.0".into(),
            max_payload: 1_048_576,
            nonce: Some("abc".into()),
            connect_urls: vec!["10.0.0.1:4222".into()],
            ..Info::default()
        };
        assert_eq!(info, Ok(expected));
        for bad in [
            "",
            "{}",
            "[]",
            r#"{"server_id":"a"}"#,
            r#"{"server_id":"a","max_payload":-1}"#,
        ] {
            assert!(Info::parse(bad).is_err(), "{bad}");
        }
    }
}
