use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use super::binary::decode;
use super::refusal::Refusal;

/// Maximum length of an unknown type in an error message.
const SHOWN: usize = 64;

/// A message of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Incoming {
    /// Audio. It may be empty.
    Audio(Vec<u8>),
    /// The stream ends.
    Stop,
    /// This connection replaces the one of an earlier session.
    Reconnect(String),
}

/// The fields of a message in their usual types.
#[derive(Debug, Deserialize)]
struct Usual<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    data: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    previous_session_id: Option<Cow<'a, str>>,
}

/// Reads a message. Other fields are ignored.
pub(super) fn read(text: &str) -> Result<Incoming, Refusal> {
    match kit::json::object::<Usual<'_>>(text.as_bytes()) {
        // `null` is not distinguished from a missing field here.
        Ok(Usual {
            kind, data: None, ..
        }) if kind == "audio" => unusual(text),
        Ok(usual) => named(
            &usual.kind,
            usual.data.as_deref(),
            usual.previous_session_id.as_deref(),
        ),
        Err(_) => unusual(text),
    }
}

fn named(kind: &str, data: Option<&str>, previous: Option<&str>) -> Result<Incoming, Refusal> {
    match kind {
        "audio" => {
            let audio = decode(data.unwrap_or_default());
            audio.map(Incoming::Audio).ok_or(Refusal::InvalidAudio)
        }
        "stop" => Ok(Incoming::Stop),
        "reconnect" => Ok(Incoming::Reconnect(previous.unwrap_or_default().to_owned())),
        other => Err(Refusal::UnknownType(other.chars().take(SHOWN).collect())),
    }
}

/// Reads a message whose fields have other types, or that is no message at all.
fn unusual(text: &str) -> Result<Incoming, Refusal> {
    let Ok(Value::Object(fields)) = serde_json::from_str(text) else {
        return Err(Refusal::InvalidJson);
    };
    let kind = match fields.get("type") {
        Some(Value::String(kind)) => kind,
        other => return Err(Refusal::UnknownType(as_python(other))),
    };
    let data = match fields.get("data") {
        Some(Value::String(data)) => Some(data.as_str()),
        Some(_) if kind == "audio" => return Err(Refusal::InvalidAudio),
        _ => None,
    };
    let previous = fields.get("previous_session_id").and_then(Value::as_str);
    named(kind, data, previous)
}

/// A value as Python formats it, because the text is part of the protocol.
fn as_python(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "None".to_owned(),
        Some(Value::Bool(true)) => "True".to_owned(),
        Some(Value::Bool(false)) => "False".to_owned(),
        Some(other) => other.to_string().chars().take(SHOWN).collect(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_message_of_the_protocol_is_read() {
        let audio = |bytes: &[u8]| Ok(Incoming::Audio(bytes.to_vec()));
        assert_eq!(read(r#"{"type":"audio","data":"AAEC"}"#), audio(&[0, 1, 2]));
        assert_eq!(
            read(r#"{"data":"AAEC","x":[1],"type":"audio"}"#),
            audio(&[0, 1, 2])
        );
        assert_eq!(read(r#"{"type":"audio","data":""}"#), audio(&[]));
        assert_eq!(read(r#"{"type":"audio"}"#), audio(&[]));
        assert_eq!(read(r#"{"type":"stop","data":5}"#), Ok(Incoming::Stop));
        let reconnect = r#"{"type":"reconnect","previous_session_id":"a"}"#;
        assert_eq!(read(reconnect), Ok(Incoming::Reconnect("a".to_owned())));
    }

    #[test]
    fn errors_have_the_texts_of_the_protocol() {
        let table = [
            ("{", "INVALID_JSON", "Invalid JSON"),
            ("[]", "INVALID_JSON", "Invalid JSON"),
            (
                r#"{"type":"audio","data":"A"}"#,
                "INVALID_AUDIO",
                "Invalid base64 audio data",
            ),
            (
                r#"{"type":"audio","data":null}"#,
                "INVALID_AUDIO",
                "Invalid base64 audio data",
            ),
            (
                r#"{"type":"audio","data":7}"#,
                "INVALID_AUDIO",
                "Invalid base64 audio data",
            ),
            (
                r#"{"type":"pause"}"#,
                "UNKNOWN_TYPE",
                "Unknown message type: pause",
            ),
            (
                r#"{"data":"AAEC"}"#,
                "UNKNOWN_TYPE",
                "Unknown message type: None",
            ),
            (r#"{"type":5}"#, "UNKNOWN_TYPE", "Unknown message type: 5"),
        ];
        for (text, code, message) in table {
            let refusal = read(text).unwrap_err();
            assert_eq!(
                (refusal.code(), refusal.to_string()),
                (code, message.to_owned()),
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_without_panic(text in ".*") {
            let _ = read(&text);
        }
    }
}
