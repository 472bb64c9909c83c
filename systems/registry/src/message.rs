use std::borrow::Borrow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use axum::extract::ws::Utf8Bytes;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use kit::memory::{Budget, Charge};
use schemars::JsonSchema;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::name::Name;
use crate::size;
use crate::time::Time;

/// The content type of JSON payloads.
pub(crate) const JSON: &str = "application/json";

/// Memory of a message besides its payload and its frame, in bytes.
const OVERHEAD: usize = 512;

/// The promise with which a message is delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::enum_variant_names, reason = "these are the usual names")]
pub(crate) enum Mode {
    /// Sent once to the receivers that are online.
    #[default]
    AtMostOnce,
    /// Saved, and sent until the receiver acknowledges it.
    AtLeastOnce,
    /// As `at_least_once`. A repeated multicast with the same `message_id` is not sent again, and a message that is sent
    /// again is marked, so that the receiver processes each id once.
    ExactlyOnce,
}

impl Mode {
    /// Whether the message is saved until it is acknowledged.
    pub(crate) fn is_kept(self) -> bool {
        self != Self::AtMostOnce
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::AtMostOnce => "at_most_once",
            Self::AtLeastOnce => "at_least_once",
            Self::ExactlyOnce => "exactly_once",
        }
    }

    pub(crate) fn of(word: &str) -> Option<Self> {
        let all = [Self::AtMostOnce, Self::AtLeastOnce, Self::ExactlyOnce];
        all.into_iter().find(|mode| mode.word() == word)
    }
}

/// The id of a message. Ids of later messages of the same instance are greater.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct MessageId(Arc<str>);

impl MessageId {
    /// `None` if the text cannot be an id: 1 to 128 ASCII letters, digits, `-`, `_` and `:`. Such an id fits into a
    /// header and into a subject.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let fine = |byte: u8| byte.is_ascii_alphanumeric() || b"-_:".contains(&byte);
        let fits = (1..=128).contains(&text.len()) && text.bytes().all(fine);
        fits.then(|| Self(text.into()))
    }

    /// The nth id of an instance.
    pub(crate) fn numbered(now: Time, instance: u32, n: u64) -> Self {
        Self(format!("{:011x}-{instance:08x}-{n:08x}", now.millis()).into())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for MessageId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A message to any number of receivers. It is encoded once for all of them.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) id: MessageId,
    pub(crate) namespace: Name,
    pub(crate) content_type: Arc<str>,
    pub(crate) mode: Mode,
    pub(crate) payload: Bytes,
    pub(crate) sent_at: Time,
    /// Whether the receiver may have received it before.
    pub(crate) redelivered: bool,
    frame: OnceLock<Utf8Bytes>,
    cost: OnceLock<usize>,
    /// The memory that the message and its frame take.
    charge: Option<Arc<Charge>>,
}

impl Message {
    pub(crate) fn new(
        id: MessageId,
        namespace: Name,
        content_type: Arc<str>,
        mode: Mode,
        payload: Bytes,
        sent_at: Time,
    ) -> Self {
        Self {
            id,
            namespace,
            content_type,
            mode,
            payload,
            sent_at,
            redelivered: false,
            frame: OnceLock::new(),
            cost: OnceLock::new(),
            charge: None,
        }
    }

    /// The memory that the message takes at most, in bytes: for its payload, and for its frame.
    pub(crate) fn cost(&self) -> usize {
        *self.cost.get_or_init(|| self.count())
    }

    fn count(&self) -> usize {
        let payload = self.payload.len();
        let frame = match std::str::from_utf8(&self.payload) {
            Ok(text) if self.content_type.starts_with("text/") => size::json(&text),
            _ => payload * 3 / 2,
        };
        OVERHEAD + payload + frame
    }

    /// The same message, charged until nobody needs it any more. `None` if there is too little memory left.
    pub(crate) fn within(self, memory: &Budget) -> Option<Self> {
        let charge = Some(Arc::new(memory.take(self.cost())?));
        Some(Self { charge, ..self })
    }

    /// The same message, marked as sent before.
    pub(crate) fn again(&self) -> Self {
        let mut again = Self::new(
            self.id.clone(),
            self.namespace.clone(),
            self.content_type.clone(),
            self.mode,
            self.payload.clone(),
            self.sent_at,
        );
        again.redelivered = true;
        again.charge.clone_from(&self.charge);
        again
    }

    /// Whether everything about the two messages is equal, so that they have the same frame.
    pub(crate) fn equals(&self, other: &Self) -> bool {
        self.id == other.id
            && self.namespace == other.namespace
            && self.content_type == other.content_type
            && self.mode == other.mode
            && self.sent_at == other.sent_at
            && self.redelivered == other.redelivered
            && self.payload == other.payload
    }

    /// The message as JSON, for inboxes. A JSON payload is part of it, text is a string, and other bytes are in base64.
    pub(crate) fn frame(&self) -> &Utf8Bytes {
        self.frame.get_or_init(|| self.encode().into())
    }

    fn encode(&self) -> String {
        let text = std::str::from_utf8(&self.payload).ok();
        let is_json = self.content_type.starts_with(JSON);
        // Other programs may publish anything on the subject, so only valid JSON becomes part of the frame.
        let raw = text.filter(|text| is_json && serde_json::from_str::<IgnoredAny>(text).is_ok());
        let is_text = self.content_type.starts_with("text/");
        let mut frame = json!({
            "type": "message",
            "id": self.id.as_str(),
            "namespace": self.namespace,
            "content_type": &*self.content_type,
            "delivery": self.mode,
            "sent_at": self.sent_at,
            "redelivered": self.redelivered,
        });
        match (raw, text.filter(|_| is_text)) {
            (Some(raw), _) => {
                let mut frame = frame.to_string();
                frame.pop();
                frame.push_str(",\"payload\":");
                // The data of a server-sent event is one line.
                frame.extend(raw.chars().filter(|c| !matches!(c, '\r' | '\n')));
                frame.push('}');
                frame
            }
            (None, Some(text)) => {
                frame["payload"] = text.into();
                frame.to_string()
            }
            (None, None) => {
                frame["payload_base64"] = BASE64_STANDARD.encode(&self.payload).into();
                frame.to_string()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn frame(content_type: &str, payload: &'static [u8]) -> Value {
        let id = MessageId::new("m1").unwrap();
        let namespace = Name::new("default").unwrap();
        let payload = Bytes::from_static(payload);
        let message = Message::new(
            id,
            namespace,
            content_type.into(),
            Mode::AtMostOnce,
            payload,
            Time::of_millis(0),
        );
        let text = message.frame().as_str();
        assert!(!text.contains('\n'));
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_payload_is_json_text_or_base64() {
        assert_eq!(frame(JSON, b"{\"a\":\n1}")["payload"]["a"], 1);
        assert_eq!(frame("text/plain", b"{\"a\":1}")["payload"], "{\"a\":1}");
        assert_eq!(frame("image/png", &[0xff, 0])["payload_base64"], "/wA=");
        assert_eq!(frame(JSON, b"1}, {")["payload_base64"], "MX0sIHs=");
    }

    #[test]
    fn later_ids_are_greater() {
        let id = |ms, n| MessageId::numbered(Time::of_millis(ms), 7, n);
        assert!(id(1_700_000_000_000, 9) < id(1_700_000_000_001, 1));
        assert!(id(1, 15) < id(1, 16));
    }
}
