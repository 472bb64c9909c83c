use model::{Fault, FaultKind};

use super::open::{Acceptance, begins, half_an_event, no_stream};
use super::parser::Parser;
use super::reader::Signal;
use crate::http::Headers;
use crate::http2::Content;

/// One stream of events on an HTTP/2 connection that carries other requests too, without I/O.
///
/// | state | meaning | leaves on |
/// |---|---|---|
/// | `Waiting` | waits for the head of the response | the head |
/// | `Open` | passes the body to the parser | the end of the response |
/// | `Ended` | the response is complete | |
/// | `Stopped` | the server asked the client not to reconnect | |
#[derive(Debug)]
pub struct SharedStream {
    state: State,
    parser: Parser,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Waiting,
    Open,
    Ended,
    Stopped,
}

impl SharedStream {
    /// `last_event_id` is the id after which the stream continues, or empty. A line or an event above `limit` bytes is a
    /// fault.
    pub fn new(last_event_id: &str, limit: usize) -> Self {
        Self {
            state: State::Waiting,
            parser: Parser::new(limit, last_event_id),
        }
    }

    /// The id of the last complete event, which the request for a later stream repeats.
    pub fn last_event_id(&self) -> &str {
        self.parser.last_event_id()
    }

    /// Whether an event has begun to arrive and is not complete.
    pub fn holds_a_part(&self) -> bool {
        self.parser.holds_a_part()
    }

    /// Whether the response is complete. Nothing more will arrive.
    pub fn is_done(&self) -> bool {
        matches!(self.state, State::Ended | State::Stopped)
    }

    /// Whether the server asked the client not to reconnect, with status 204.
    pub fn is_stopped(&self) -> bool {
        self.state == State::Stopped
    }

    /// Handles a part of the response, and calls `sink` for everything that it completes, in order.
    pub fn on_part(
        &mut self,
        part: &Content,
        sink: &mut impl FnMut(Signal<'_>),
    ) -> Result<(), Fault> {
        match part {
            Content::Head { status, headers } => self.begin(*status, headers, sink),
            Content::Data(_) if self.is_stopped() => Ok(()),
            Content::Data(data) => self
                .parser
                .on_bytes(data, &mut |event| sink(Signal::Event(event))),
        }
    }

    fn begin(
        &mut self,
        status: u16,
        headers: &Headers,
        sink: &mut impl FnMut(Signal<'_>),
    ) -> Result<(), Fault> {
        match begins(status, headers)? {
            Acceptance::Stop => self.state = State::Stopped,
            Acceptance::Stream => {
                self.state = State::Open;
                sink(Signal::Opened);
            }
        }
        Ok(())
    }

    /// Handles the end of the response.
    pub fn on_end(&mut self) {
        if self.state == State::Open {
            self.state = State::Ended;
        }
    }

    /// Why the stream is over. It is a fault unless the stream was open and ended between two events.
    pub fn on_close(&self) -> Result<(), Fault> {
        let closed = |detail: &str| Err(Fault::target(FaultKind::Closed, detail));
        match self.state {
            State::Waiting => {
                closed("the request for an event stream ended before the server responded")
            }
            State::Open => closed("the connection ended before the end of the event stream"),
            State::Stopped => Err(no_stream()),
            State::Ended if self.parser.holds_a_part() => Err(half_an_event()),
            State::Ended => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::sse::{Event, Message};

    fn head(status: u16, lines: &str) -> Content {
        let raw = format!("HTTP/2 {status}\r\n{lines}\r\n");
        let headers = Headers::new(raw.as_bytes(), false);
        Content::Head { status, headers }
    }

    /// Handles these parts and the end of the response. Returns the data of the events, the result of the last part, and
    /// the reason of the end.
    fn read(parts: &[Content]) -> (Vec<String>, Result<(), Fault>, Result<(), Fault>) {
        let mut stream = SharedStream::new("", 100);
        let mut seen = Vec::new();
        let outcome = parts.iter().try_for_each(|part| {
            stream.on_part(part, &mut |signal| match signal {
                Signal::Event(Event::Message(Message { data, .. })) => seen.push(data.to_owned()),
                other => seen.push(format!("{other:?}")),
            })
        });
        stream.on_end();
        (seen, outcome, stream.on_close())
    }

    fn data(text: &'static str) -> Content {
        Content::Data(Bytes::from_static(text.as_bytes()))
    }

    const TYPE: &str = "content-type: text/event-stream\r\n";

    #[test]
    fn events_may_be_cut_anywhere_and_end_with_an_empty_line() {
        let parts = [
            head(200, TYPE),
            data("data: on"),
            data("e\n\nda"),
            data("ta: two\n\n"),
        ];
        let (seen, outcome, end) = read(&parts);
        assert_eq!(seen, ["Opened", "one", "two"]);
        assert_eq!((outcome, end), (Ok(()), Ok(())));
        let (seen, _, end) = read(&parts[..3]);
        assert_eq!(seen, ["Opened", "one"]);
        assert!(
            end.unwrap_err()
                .detail
                .contains("in the middle of an event")
        );
    }

    #[test]
    fn other_responses_are_refused() {
        let refused = |parts: &[Content]| read(parts).1.unwrap_err().detail;
        assert!(refused(&[head(404, "")]).contains("404"));
        assert!(refused(&[head(200, "content-type: text/html\r\n")]).contains("text/html"));
        let gzip = format!("{TYPE}content-encoding: gzip\r\n");
        assert!(refused(&[head(200, &gzip)]).contains("gzip"));
        let (seen, outcome, end) = read(&[head(204, ""), data("data: x\n\n")]);
        assert_eq!((seen, outcome), (Vec::new(), Ok(())));
        assert!(end.unwrap_err().detail.contains("204"));
        assert!(
            read(&[])
                .2
                .unwrap_err()
                .detail
                .contains("before the server responded")
        );
    }
}
