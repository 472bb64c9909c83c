use model::{Fault, FaultKind};
use serde_json::Value;

use crate::fault::{printable, protocol};

/// The server's confirmation that a message is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishAck {
    /// The stream that stores the message.
    pub stream: String,
    /// The message's number in the stream.
    pub sequence: u64,
    /// Whether the stream had a message of the same [`super::MESSAGE_ID`] already.
    pub is_duplicate: bool,
}

impl PublishAck {
    /// Reads the reply to a published message. An error of the server is a fault.
    pub fn parse(payload: &[u8]) -> Result<Self, Fault> {
        let reply = reply_of(payload)?;
        let stream = reply.get("stream").and_then(Value::as_str);
        let sequence = reply.get("seq").and_then(Value::as_u64);
        let (Some(stream), Some(sequence)) = (stream, sequence) else {
            return Err(unfit(payload));
        };
        Ok(Self {
            stream: stream.to_owned(),
            sequence,
            is_duplicate: reply
                .get("duplicate")
                .and_then(Value::as_bool)
                .unwrap_or(false),
        })
    }
}

/// Reads the JSON of any reply of JetStream. An error of the server is a fault.
pub fn reply_of(payload: &[u8]) -> Result<Value, Fault> {
    let reply: Value = serde_json::from_slice(payload).map_err(|_| unfit(payload))?;
    let Some(error) = reply.get("error") else {
        return Ok(reply);
    };
    let number = |name: &str| error.get(name).and_then(Value::as_u64);
    let code = number("err_code")
        .or(number("code"))
        .ok_or_else(|| unfit(payload))?;
    let description = error.get("description").and_then(Value::as_str);
    Err(Fault::target(
        FaultKind::Denied,
        format!(
            "JetStream error {code}: {}",
            description.unwrap_or("no description")
        ),
    ))
}

fn unfit(payload: &[u8]) -> Fault {
    let shown = printable(payload);
    protocol(format!("`{shown}` is not a reply of JetStream"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_message_has_a_place() {
        let stored = PublishAck::parse(br#"{"stream":"ORDERS","seq":3}"#).unwrap();
        assert_eq!(
            (stored.stream.as_str(), stored.sequence, stored.is_duplicate),
            ("ORDERS", 3, false)
        );
        let again =
            PublishAck::parse(br#"{"stream":"ORDERS","domain":"d","seq":3,"duplicate":true}"#);
        assert!(again.unwrap().is_duplicate);
    }

    #[test]
    fn an_error_is_a_fault_with_its_code() {
        let reply = br#"{"type":"io.nats.jetstream.api.v1.pub_ack","error":{"code":503,"err_code":10077,"description":"maximum messages exceeded"},"stream":"A","seq":0}"#;
        let fault = PublishAck::parse(reply).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Denied);
        assert_eq!(
            fault.detail,
            "JetStream error 10077: maximum messages exceeded"
        );
        for bad in ["", "{}", "[]", r#"{"stream":"A"}"#, r#"{"error":"x"}"#] {
            assert_eq!(
                PublishAck::parse(bad.as_bytes()).unwrap_err().kind,
                FaultKind::Protocol,
                "{bad}"
            );
        }
    }
}
