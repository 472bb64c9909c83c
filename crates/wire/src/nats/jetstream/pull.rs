use serde_json::{Map, Value};

use crate::nats::headers::Status;

/// A request for messages of a consumer (ADR-13).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pull {
    /// Maximum number of messages.
    pub batch: u64,
    /// The time after which the server ends the request, in nanoseconds; 0 to answer at once with what is there.
    pub expires_ns: u64,
    /// The time between the server's heartbeats while there is no message, in nanoseconds; 0 for none.
    pub heartbeat_ns: u64,
}

impl Pull {
    /// The payload of the request.
    pub fn json(&self) -> String {
        let mut json = Map::new();
        let mut set = |name: &str, value: Value| json.insert(name.to_owned(), value);
        set("batch", self.batch.into());
        if self.expires_ns == 0 {
            set("no_wait", true.into());
        } else {
            set("expires", self.expires_ns.into());
        }
        if self.heartbeat_ns > 0 {
            set("idle_heartbeat", self.heartbeat_ns.into());
        }
        Value::Object(json).to_string()
    }
}

/// What a status means that arrives instead of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PullStatus {
    /// The consumer is alive and has no message.
    Heartbeat,
    /// The server wants an empty reply before it continues.
    FlowControl,
    /// The consumer has no message, or not as many as asked for.
    NoMessages,
    /// The time of the request is over.
    Expired,
    /// The server ended the request, for example because the consumer was deleted. The description says why.
    Ended,
    /// No such consumer exists, or JetStream is not enabled.
    NoResponders,
    /// A code that has no meaning here.
    Unknown,
}

impl PullStatus {
    /// The meaning of a status.
    pub fn of(status: &Status<'_>) -> Self {
        match status.code {
            100 if status.description.eq_ignore_ascii_case("Idle Heartbeat") => Self::Heartbeat,
            100 if status
                .description
                .eq_ignore_ascii_case("FlowControl Request") =>
            {
                Self::FlowControl
            }
            404 => Self::NoMessages,
            408 => Self::Expired,
            409 => Self::Ended,
            503 => Self::NoResponders,
            _ => Self::Unknown,
        }
    }

    /// Whether the request is over, so that the client has to ask again for more messages.
    pub fn ends_request(self) -> bool {
        !matches!(self, Self::Heartbeat | Self::FlowControl)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_waits_or_does_not() {
        let pull = Pull {
            batch: 5,
            expires_ns: 0,
            heartbeat_ns: 0,
        };
        assert_eq!(pull.json(), r#"{"batch":5,"no_wait":true}"#);
        let pull = Pull {
            batch: 1,
            expires_ns: 30_000_000_000,
            heartbeat_ns: 1_000_000_000,
        };
        assert_eq!(
            pull.json(),
            r#"{"batch":1,"expires":30000000000,"idle_heartbeat":1000000000}"#
        );
    }

    #[test]
    fn each_status_has_its_meaning() {
        let table = [
            (100, "Idle Heartbeat", PullStatus::Heartbeat, false),
            (100, "FlowControl Request", PullStatus::FlowControl, false),
            (100, "", PullStatus::Unknown, true),
            (404, "No Messages", PullStatus::NoMessages, true),
            (408, "Request Timeout", PullStatus::Expired, true),
            (409, "Consumer Deleted", PullStatus::Ended, true),
            (503, "", PullStatus::NoResponders, true),
            (500, "x", PullStatus::Unknown, true),
        ];
        for (code, description, expected, ends) in table {
            let status = PullStatus::of(&Status { code, description });
            assert_eq!(
                (status, status.ends_request()),
                (expected, ends),
                "{code} {description}"
            );
        }
    }
}
