//! `run --trace`: prints each request and each message at the moment when it is sent or received.

use model::{Fault, Nanos, without_credentials};
use script::host::Payload;
use url::Url;
use wire::http::{Response, quoted_body};
use wire::websocket::Event;

use crate::http::InFlight;

/// A request that is being sent.
pub(crate) fn request(call: &InFlight) -> String {
    let request = &call.request;
    let url = without_credentials(request.url.as_str());
    let line = format!("→ {} {url}", request.method);
    with_content(line, &request.body.bytes)
}

/// The outcome of a request.
pub(crate) fn outcome(call: &InFlight, outcome: &Result<Response, Fault>) -> String {
    let request = &call.request;
    let of = format!("{} {}", request.method, request.url.path());
    match outcome {
        Ok(response) => with_content(format!("← {} {of}", response.status), &response.body),
        Err(fault) => format!("← {of} failed: {}", fault.detail),
    }
}

/// A WebSocket that is being opened.
pub(crate) fn opening(url: &Url) -> String {
    let url = without_credentials(url.as_str());
    // The handshake is a request over HTTP, but the script names the WebSocket.
    let ws = url.strip_prefix("http").map(|rest| format!("ws{rest}"));
    format!("→ socket {}", ws.as_deref().unwrap_or(&url))
}

/// A WebSocket that failed to open or was closed by the server.
pub(crate) fn socket_ended(fault: &Fault) -> String {
    format!("  socket ended: {}", fault.detail)
}

/// A socket that headcount closes, for the script or because its iteration is over.
pub(crate) const CLOSING: &str = "→ close";

/// The end of a socket that headcount closed.
pub(crate) const CLOSED: &str = "  socket closed";

/// A message that is being sent.
pub(crate) fn message(payload: &Payload) -> String {
    match payload {
        Payload::Text(text) => text_sent(text),
        Payload::Binary(bytes) => format!("→ message of {}", size(bytes)),
    }
}

/// A text that is being sent on a socket.
pub(crate) fn text_sent(text: &str) -> String {
    with_content("→ message".to_owned(), text.as_bytes())
}

/// A stream that lost its connection.
pub(crate) fn reconnecting(after: Nanos, fault: &Fault) -> String {
    format!("  stream reconnects in {after}: {}", fault.detail)
}

/// Something that a WebSocket received. `None` for pings and pongs.
pub(crate) fn received(event: &Event<'_>) -> Option<String> {
    match event {
        Event::Open { .. } => Some("← socket opened".to_owned()),
        Event::Text(text) => Some(with_content("← message".to_owned(), text.as_bytes())),
        Event::Binary(bytes) => Some(format!("← message of {}", size(bytes))),
        Event::Ping(_) | Event::Pong(_) => None,
        Event::Close { code, reason } => {
            let code = code.map_or("no code".to_owned(), |code| code.to_string());
            Some(
                format!("← close frame: {code} {reason}")
                    .trim_end()
                    .to_owned(),
            )
        }
    }
}

fn size(bytes: &[u8]) -> String {
    format!("{} bytes", bytes.len())
}

/// Appends the beginning of a body or message, and its size if it is cut.
pub(crate) fn with_content(line: String, bytes: &[u8]) -> String {
    match quoted_body(bytes) {
        Some(text) if text.ends_with('…') => format!("{line}: {text} ({})", size(bytes)),
        Some(text) => format!("{line}: {text}"),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_with_its_size_if_it_is_cut() {
        let text = |text: &str| message(&Payload::Text(text.to_owned()));
        assert_eq!(text("{\n \"a\": 1 }"), r#"→ message: { "a": 1 }"#);
        assert_eq!(text(""), "→ message");
        let long = text(&"x".repeat(1_000));
        assert!(long.ends_with("xxx… (1000 bytes)"), "{long}");
        assert!(long.len() < 250, "{long}");
        let binary = message(&Payload::Binary(vec![0; 7]));
        assert_eq!(binary, "→ message of 7 bytes");
    }

    #[test]
    fn heartbeats_are_no_lines() {
        assert_eq!(received(&Event::Ping(b"x")), None);
        let closed = received(&Event::Close {
            code: Some(1001),
            reason: "",
        });
        assert_eq!(closed.as_deref(), Some("← close frame: 1001"));
    }
}
