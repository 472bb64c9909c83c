use model::{Fault, FaultKind};

use crate::fault::protocol;
use crate::http::decode::Coding;
use crate::http::{Headers, Request};

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

/// The request for a stream of events. `asked` is a GET, to which this adds the headers that it does not have.
/// `last_event_id` is the id after which the stream continues, or empty.
pub fn request(mut asked: Request, last_event_id: &str) -> Request {
    // A compressed event would be visible only when the compressor flushes its buffer.
    let plain = ("Accept-Encoding", "identity");
    for (name, value) in request_headers(last_event_id).chain([plain]) {
        if asked.header(name).is_none() {
            asked.headers.push((name.to_owned(), value.to_owned()));
        }
    }
    asked
}

fn request_headers(last_event_id: &str) -> impl Iterator<Item = (&'static str, &str)> {
    let always = [("Accept", CONTENT_TYPE), ("Cache-Control", "no-store")];
    let continues = (!last_event_id.is_empty()).then_some(("Last-Event-ID", last_event_id));
    always.into_iter().chain(continues)
}

/// Decides whether a response is a stream that can be read.
pub(super) fn begins(status: u16, headers: &Headers) -> Result<Acceptance, Fault> {
    let acceptance = accepts(status, headers.get("content-type"))?;
    let coding = headers.get("content-encoding").unwrap_or_default();
    if acceptance == Acceptance::Stream && Coding::from_header(coding.as_bytes()) != Coding::Plain {
        return Err(protocol(format!(
            "the event stream has Content-Encoding `{coding}`: only uncompressed streams can be read"
        )));
    }
    Ok(acceptance)
}

/// The fault of a response with status 204.
pub(super) fn no_stream() -> Fault {
    Fault::target(
        FaultKind::Closed,
        "the server has no event stream (status 204)",
    )
}

/// The fault of a stream that ended before the empty line of an event.
pub(super) fn half_an_event() -> Fault {
    Fault::target(
        FaultKind::Closed,
        "the event stream ended in the middle of an event, which is lost: an event ends with an empty line",
    )
}

/// Decides whether a response, after its redirects, is a stream. Any other response is a fault of the target, after
/// which the standard forbids to reconnect.
fn accepts(status: u16, content_type: Option<&str>) -> Result<Acceptance, Fault> {
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
