use model::{Fault, FaultKind};

use crate::fault::protocol;

/// The time to wait before reconnecting until the server sets another one, in milliseconds. The standard says "a few
/// seconds"; browsers wait for three or five.
pub const DEFAULT_RETRY_MS: u64 = 3000;

const CONTENT_TYPE: &str = "text/event-stream";

/// What a response to the request for a stream means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Acceptance {
    /// The body is a stream of events.
    Stream,
    /// Status 204: the server asks the client not to reconnect.
    Stop,
}

/// The headers that a request for a stream adds. `last_event_id` is [`super::Parser::last_event_id`] of the stream
/// before, or empty.
pub(super) fn request_headers(last_event_id: &str) -> impl Iterator<Item = (&'static str, &str)> {
    let always = [("Accept", CONTENT_TYPE), ("Cache-Control", "no-store")];
    let continues = (!last_event_id.is_empty()).then_some(("Last-Event-ID", last_event_id));
    always.into_iter().chain(continues)
}

/// Decides whether a response, after its redirects, is a stream. Any other response is a fault of the target, after
/// which the standard forbids to reconnect.
pub(super) fn accepts(status: u16, content_type: Option<&str>) -> Result<Acceptance, Fault> {
    match status {
        204 => return Ok(Acceptance::Stop),
        200 => {}
        429 => {
            let detail = "the request for an event stream got status 429";
            return Err(Fault::target(FaultKind::RateLimited, detail));
        }
        400.. => {
            let detail = format!("the request for an event stream got status {status}");
            return Err(Fault::target(FaultKind::Status, detail));
        }
        _ => {
            return Err(protocol(format!(
                "status {status} cannot begin an event stream: 200 is expected"
            )));
        }
    }
    let Some(content_type) = content_type else {
        return Err(protocol(format!(
            "the response has no Content-Type: `{CONTENT_TYPE}` is expected"
        )));
    };
    let essence = content_type.split(';').next().unwrap_or_default();
    if essence.trim().eq_ignore_ascii_case(CONTENT_TYPE) {
        return Ok(Acceptance::Stream);
    }
    Err(protocol(format!(
        "the response's Content-Type is `{essence}`: `{CONTENT_TYPE}` is expected"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_ok_response_of_the_right_type_is_a_stream() {
        let stream = Ok(Acceptance::Stream);
        for right in [
            "text/event-stream",
            "Text/Event-Stream;charset=utf-8",
            " text/event-stream ; x=y",
        ] {
            assert_eq!(accepts(200, Some(right)), stream, "{right}");
        }
        assert_eq!(accepts(204, None), Ok(Acceptance::Stop));
        let refused = |status, content_type: Option<&str>, kind, words: &str| {
            let fault = accepts(status, content_type).unwrap_err();
            assert_eq!(fault.kind, kind, "{status} {content_type:?}");
            assert!(fault.detail.contains(words), "{fault}");
        };
        refused(200, Some("text/html"), FaultKind::Protocol, "text/html");
        refused(
            200,
            Some("text/event-streams"),
            FaultKind::Protocol,
            "expected",
        );
        refused(200, None, FaultKind::Protocol, "no Content-Type");
        refused(206, Some("text/event-stream"), FaultKind::Protocol, "206");
        refused(302, None, FaultKind::Protocol, "302");
        refused(404, Some("text/event-stream"), FaultKind::Status, "404");
        refused(429, None, FaultKind::RateLimited, "429");
        refused(503, None, FaultKind::Status, "503");
    }

    #[test]
    fn only_a_stream_with_an_id_is_continued() {
        let names = |id| {
            request_headers(id)
                .map(|(name, _)| name)
                .collect::<Vec<_>>()
        };
        assert_eq!(names(""), ["Accept", "Cache-Control"]);
        assert_eq!(names("7"), ["Accept", "Cache-Control", "Last-Event-ID"]);
        assert!(request_headers("7").any(|header| header == ("Last-Event-ID", "7")));
    }
}
