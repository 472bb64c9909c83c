//! The lines of `run --trace` about Redis.

use model::without_credentials;
use url::Url;
use wire::resp::Value;

use crate::trace::with_content;

/// The line of a connection that is open.
pub(super) const OPENED: &str = "← connection opened";

/// A connection that is being opened.
pub(super) fn connecting(url: &Url) -> String {
    format!("→ connection {}", without_credentials(url.as_str()))
}

/// A command that is being sent. The arguments of commands that log in are secret.
pub(super) fn command(words: &[&[u8]]) -> String {
    let name = words.first().copied().unwrap_or_default();
    let shown = if name.eq_ignore_ascii_case(b"auth") {
        name.to_vec()
    } else {
        words.join(&b' ')
    };
    with_content("→ command".to_owned(), &shown)
}

/// The reply to a command.
pub(super) fn reply(value: &Value<'_>) -> String {
    match value {
        Value::Null => "← reply: null".to_owned(),
        Value::Integer(number) => format!("← reply: {number}"),
        Value::Error(error) => format!("← error: {}", error.text()),
        other => match (other.bytes(), other.items()) {
            (Some(bytes), _) => with_content("← reply".to_owned(), bytes),
            (None, Some(items)) => {
                let count = items.values().count();
                format!("← reply of {count} elements")
            }
            (None, None) => format!("← reply: {other:?}"),
        },
    }
}

/// A published message that a subscription received.
pub(super) fn message_on(channel: &str, payload: &[u8]) -> String {
    with_content(format!("← message on {channel}"), payload)
}
