use model::Fault;
use serde_json::Value;

use crate::fault::{printable, protocol};

/// An Engine.IO packet in text: one digit for the type, then its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnginePacket<'a> {
    /// The session is open. The data is JSON for [`Open::parse`].
    Open(&'a str),
    /// The sender closes the transport.
    Close,
    /// A heartbeat from the server.
    Ping(&'a str),
    /// The response to a ping.
    Pong(&'a str),
    /// A Socket.IO packet.
    Message(&'a str),
    /// The client uses the new transport from now on.
    Upgrade,
    /// An empty packet, which ends a poll.
    Noop,
}

impl<'a> EnginePacket<'a> {
    /// Reads a text frame, or one packet of a polling payload.
    pub fn parse(text: &'a str) -> Result<Self, Fault> {
        let rest = text.get(1..).unwrap_or_default();
        Ok(match text.as_bytes().first() {
            Some(b'0') => Self::Open(rest),
            Some(b'1') => Self::Close,
            Some(b'2') => Self::Ping(rest),
            Some(b'3') => Self::Pong(rest),
            Some(b'4') => Self::Message(rest),
            Some(b'5') => Self::Upgrade,
            Some(b'6') => Self::Noop,
            _ => {
                let shown = printable(text.as_bytes());
                return Err(protocol(format!("`{shown}` is not an Engine.IO packet")));
            }
        })
    }
}

/// The server's parameters of a new session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// The session id, which polling requests send.
    pub sid: String,
    /// Whether the server offers an upgrade to WebSocket.
    pub upgrades: bool,
    /// Milliseconds between the server's pings.
    pub ping_interval_ms: u64,
    /// Milliseconds by which a ping may be late.
    pub ping_timeout_ms: u64,
    /// Maximum size of one polling payload, in bytes.
    pub max_payload: Option<u64>,
}

impl Open {
    /// Reads the JSON of the open packet.
    pub fn parse(json: &str) -> Result<Self, Fault> {
        let unfit = || {
            let shown = printable(json.as_bytes());
            protocol(format!("`{shown}` is not a valid Engine.IO open packet"))
        };
        let open: Value = serde_json::from_str(json).map_err(|_| unfit())?;
        let number = |name: &str| open.get(name).and_then(Value::as_u64);
        let upgrades = open.get("upgrades").and_then(Value::as_array);
        Ok(Self {
            sid: open
                .get("sid")
                .and_then(Value::as_str)
                .ok_or_else(unfit)?
                .to_owned(),
            upgrades: upgrades.is_some_and(|all| all.iter().any(|one| one == "websocket")),
            ping_interval_ms: number("pingInterval").ok_or_else(unfit)?,
            ping_timeout_ms: number("pingTimeout").ok_or_else(unfit)?,
            max_payload: number("maxPayload"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_packets_of_the_protocols_text() {
        // From the examples of engine.io-protocol v4.
        let open = r#"0{"sid":"lv_VI97HAXpY6yYWAAAC","upgrades":["websocket"],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}"#;
        let Ok(EnginePacket::Open(json)) = EnginePacket::parse(open) else {
            panic!("{open}")
        };
        let read = Open::parse(json).unwrap();
        assert_eq!(read.sid, "lv_VI97HAXpY6yYWAAAC");
        assert!(read.upgrades);
        assert_eq!(
            (read.ping_interval_ms, read.ping_timeout_ms),
            (25_000, 20_000)
        );
        assert_eq!(read.max_payload, Some(1_000_000));
        assert_eq!(EnginePacket::parse("2").unwrap(), EnginePacket::Ping(""));
        assert_eq!(
            EnginePacket::parse("3probe").unwrap(),
            EnginePacket::Pong("probe")
        );
        assert_eq!(
            EnginePacket::parse("4hello").unwrap(),
            EnginePacket::Message("hello")
        );
        assert_eq!(EnginePacket::parse("6").unwrap(), EnginePacket::Noop);
        for bad in ["", "7", "é", "x4"] {
            assert!(EnginePacket::parse(bad).is_err(), "{bad}");
        }
        for bad in ["", "{}", r#"{"sid":1,"pingInterval":1,"pingTimeout":1}"#] {
            assert!(Open::parse(bad).is_err(), "{bad}");
        }
    }
}
