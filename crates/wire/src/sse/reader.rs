use model::{Fault, FaultKind};

use super::event::Event;
use super::open::{Acceptance, begins, half_an_event, no_stream};
use super::parser::Parser;
use crate::fault::{printable, protocol};
use crate::http::Headers;
use crate::http::chunked::Chunked;
use crate::http::head::{self, Head};

/// Maximum number of interim responses before the response. Servers usually send one or two.
const INTERIM_LIMIT: u32 = 100;

/// Something that happened on the connection of a stream, borrowed from the read buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal<'a> {
    /// The server accepted the request. Events follow.
    Opened,
    /// An event, a comment, a time to wait, or something without effect.
    Event(Event<'a>),
}

/// Reads the response that carries a stream of events, without I/O.
///
/// | state | meaning | leaves on |
/// |---|---|---|
/// | `Head` | waits for the head; skips interim 1xx heads | the empty line |
/// | `Body` | passes the body to the parser | the end of the body |
/// | `Ended` | the body is complete | |
/// | `Stopped` | the server asked the client not to reconnect | |
#[derive(Debug)]
pub(super) struct Reader {
    state: State,
    parser: Parser,
    /// Interim responses so far.
    interim: u32,
}

#[derive(Debug)]
enum State {
    /// Holds the beginning of a head that is not complete yet.
    Head(Vec<u8>),
    Body(Framing),
    Ended,
    Stopped,
}

/// How the end of the body is found. The body itself has no limit; only its events have one.
#[derive(Debug)]
enum Framing {
    /// The number of bytes that are missing.
    Length(u64),
    Chunked(Box<Chunked>),
    UntilClose,
}

impl Reader {
    pub(super) fn new(limit: usize, last_event_id: &str) -> Self {
        Self {
            state: State::Head(Vec::new()),
            parser: Parser::new(limit, last_event_id),
            interim: 0,
        }
    }

    pub(super) fn last_event_id(&self) -> &str {
        self.parser.last_event_id()
    }

    pub(super) fn holds_a_part(&self) -> bool {
        match &self.state {
            State::Head(held) => !held.is_empty(),
            _ => self.parser.holds_a_part(),
        }
    }

    pub(super) fn is_done(&self) -> bool {
        matches!(self.state, State::Ended | State::Stopped)
    }

    pub(super) fn is_stopped(&self) -> bool {
        matches!(self.state, State::Stopped)
    }

    /// Calls `sink` for everything that `bytes` completes. Data after the end of the response is a fault.
    pub(super) fn on_bytes(
        &mut self,
        bytes: &[u8],
        sink: &mut impl FnMut(Signal<'_>),
    ) -> Result<(), Fault> {
        match &mut self.state {
            State::Head(held) if held.is_empty() => self.on_head(bytes, sink),
            State::Head(held) => {
                let mut joined = std::mem::take(held);
                joined.extend_from_slice(bytes);
                self.on_head(&joined, sink)
            }
            State::Body(_) => self.on_body(bytes, sink),
            State::Ended | State::Stopped => unasked(bytes),
        }
    }

    fn on_head(&mut self, bytes: &[u8], sink: &mut impl FnMut(Signal<'_>)) -> Result<(), Fault> {
        let mut rest = bytes;
        loop {
            let head = if rest.is_empty() {
                None
            } else {
                head::parse(rest)?
            };
            let Some(head) = head else {
                self.state = State::Head(rest.to_vec());
                return Ok(());
            };
            if !matches!(head.status, 100 | 102..=199) {
                return self.begin(&head, rest, sink);
            }
            self.interim += 1;
            if self.interim > INTERIM_LIMIT {
                return Err(protocol(format!(
                    "more than {INTERIM_LIMIT} interim responses (1xx) to one request"
                )));
            }
            rest = &rest[head.size..];
        }
    }

    /// Begins the stream if the response is one. `rest` starts with its complete head.
    fn begin(
        &mut self,
        head: &Head,
        rest: &[u8],
        sink: &mut impl FnMut(Signal<'_>),
    ) -> Result<(), Fault> {
        let headers = Headers::new(&rest[..head.size], head.sets_cookies);
        if begins(head.status, &headers)? == Acceptance::Stop {
            self.state = State::Stopped;
            return Ok(());
        }
        self.state = State::Body(match head.length {
            _ if head.chunked => Framing::Chunked(Box::default()),
            Some(length) => Framing::Length(length),
            None => Framing::UntilClose,
        });
        sink(Signal::Opened);
        self.on_body(&rest[head.size..], sink)
    }

    fn on_body(&mut self, bytes: &[u8], sink: &mut impl FnMut(Signal<'_>)) -> Result<(), Fault> {
        let Self { state, parser, .. } = self;
        let State::Body(framing) = state else {
            return unasked(bytes);
        };
        let mut parse =
            |data: &[u8]| parser.on_bytes(data, &mut |event| sink(Signal::Event(event)));
        let (used, done) = match framing {
            Framing::Length(left) => {
                let count =
                    usize::try_from(*left).map_or(bytes.len(), |left| left.min(bytes.len()));
                parse(&bytes[..count])?;
                *left -= count as u64;
                (count, *left == 0)
            }
            Framing::Chunked(chunked) => {
                let mut parsed = Ok(());
                let decoded = chunked.decode(bytes, 0, usize::MAX, &mut |data| {
                    if parsed.is_ok() {
                        parsed = parse(data);
                    }
                });
                parsed?;
                decoded?
            }
            Framing::UntilClose => {
                parse(bytes)?;
                (bytes.len(), false)
            }
        };
        if done {
            *state = State::Ended;
        }
        unasked(&bytes[used..])
    }

    /// Handles the end of the response or of the peer's data.
    pub(super) fn on_close(&self) -> Result<(), Fault> {
        let closed = |detail: &str| Err(Fault::target(FaultKind::Closed, detail));
        match &self.state {
            State::Head(held) if held.is_empty() => closed(
                "the server closed the connection before it responded to the request for an event stream",
            ),
            State::Head(held) => {
                head::parse(held)?; // an incomplete last line has not been parsed until now
                closed("the server closed the connection in the middle of the response's head")
            }
            State::Stopped => Err(no_stream()),
            State::Body(Framing::Length(_) | Framing::Chunked(_)) => {
                closed("the server closed the connection before the end of the event stream")
            }
            State::Body(Framing::UntilClose) | State::Ended if self.parser.holds_a_part() => {
                Err(half_an_event())
            }
            State::Body(Framing::UntilClose) | State::Ended => Ok(()),
        }
    }
}

/// A fault for data after the end of the response, unless there is none.
fn unasked(bytes: &[u8]) -> Result<(), Fault> {
    // Some servers send an extra line end after a body, which is harmless.
    if bytes.trim_ascii().is_empty() {
        return Ok(());
    }
    Err(protocol(format!(
        "received data after the end of the event stream: \"{}\"",
        printable(bytes)
    )))
}

#[cfg(test)]
mod tests;
