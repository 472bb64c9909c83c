use model::{Fault, FaultKind};

use super::chunked::Chunked;
use super::decode::{Coding, decode};
use super::head::{self, HEAD_LIMIT, Head};
use super::headers::Headers;
use super::response::Response;
use crate::fault::{above_limit, printable, protocol, too_large};

/// Default maximum size of a body, in bytes.
pub(crate) const BODY_LIMIT: usize = 64 * 1024 * 1024;

/// Maximum number of interim responses to one request. Servers usually send one or two.
const INTERIM_LIMIT: u32 = 100;

/// Maximum number of bytes to reserve for a body that a Content-Length announces, before the body arrives.
const TRUSTED_LENGTH: usize = 1024 * 1024;

/// Parses responses from a stream of bytes, one per request.
///
/// | state | meaning | leaves on |
/// |---|---|---|
/// | `Idle` | no request is in flight; every byte is unsolicited | [`Parser::expect`] |
/// | `Head` | waits for the head; skips interim 1xx heads | the empty line |
/// | `Body` | collects the body | the end of the body or of the connection |
#[derive(Debug)]
pub struct Parser {
    state: State,
    /// The beginning of a head that is not complete yet.
    held: Vec<u8>,
    body_limit: usize,
    bodies: Bodies,
    bodiless: bool,
    keep_alive: bool,
    /// Whether a byte has arrived since the request was sent.
    touched: bool,
    /// Interim responses since the request was sent.
    interim: u32,
    unasked: Option<Box<Fault>>,
}

/// Whether the bytes of a body are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bodies {
    Kept,
    /// The bytes are only counted, because the caller will not read them.
    Counted,
}

#[derive(Debug)]
enum State {
    Idle,
    Head,
    Body(Box<Incoming>),
}

#[derive(Debug)]
struct Incoming {
    response: Response,
    /// Bytes of the body so far.
    received: usize,
    bodies: Bodies,
    coding: Coding,
    framing: Framing,
}

#[derive(Debug)]
enum Framing {
    /// The total number of bytes.
    Length(usize),
    Chunked(Chunked),
    UntilClose,
}

impl Parser {
    /// A body above `body_limit` bytes is a fault, whether compressed or decompressed.
    pub fn new(body_limit: usize) -> Self {
        Self {
            state: State::Idle,
            held: Vec::new(),
            body_limit,
            bodies: Bodies::Kept,
            bodiless: false,
            keep_alive: true,
            touched: false,
            interim: 0,
            unasked: None,
        }
    }

    /// From now on, drops the heads of responses with a status below 400, and counts the bytes of their bodies without
    /// storing them. Other responses are kept, because their bodies usually state the reason.
    pub fn discard(&mut self) {
        self.bodies = Bodies::Counted;
    }

    /// Prepares for the response to a request. `bodiless` means that the response has no body, regardless of its head,
    /// as after HEAD.
    pub fn expect(&mut self, bodiless: bool) {
        self.state = State::Head;
        self.held.clear();
        self.bodiless = bodiless;
        self.touched = false;
        self.interim = 0;
    }

    /// Whether no response is expected.
    pub fn is_idle(&self) -> bool {
        matches!(self.state, State::Idle)
    }

    /// Whether a response is expected and none of its bytes has arrived.
    pub fn is_untouched(&self) -> bool {
        matches!(self.state, State::Head) && !self.touched
    }

    /// Whether the connection can serve another request: the last response does not end it, and no data followed it.
    pub fn keeps_alive(&self) -> bool {
        self.keep_alive
    }

    /// Parses bytes that were read. Returns the response when it is complete.
    ///
    /// For data after a response, which belongs to no request, see [`Parser::take_unasked`]. Data without a request is
    /// a fault.
    pub fn on_bytes(&mut self, bytes: &[u8]) -> Result<Option<Response>, Fault> {
        self.touched |= !bytes.is_empty();
        let (response, used) = match &self.state {
            State::Idle => (None, 0),
            State::Head if self.held.is_empty() => self.read_head(bytes)?,
            State::Head => self.read_held_head(bytes)?,
            State::Body(_) => self.read_body(bytes)?,
        };
        if used < bytes.len() && self.is_idle() {
            self.keep_alive = false;
            let rest = &bytes[used..];
            let unasked = protocol(format!(
                "received data without a request: \"{}\"",
                printable(rest)
            ));
            if response.is_none() {
                return Err(unasked);
            }
            // The response is valid and must not fail because of data after it. Some servers send an extra line end
            // after a body, which is not a fault.
            self.unasked = (!rest.trim_ascii().is_empty()).then(|| Box::new(unasked));
        }
        Ok(response)
    }

    /// Takes the fault for data that followed the last response in the same read and belongs to no request.
    pub fn take_unasked(&mut self) -> Option<Fault> {
        self.unasked.take().map(|fault| *fault)
    }

    /// Returns a response, if it is complete, and the number of bytes used.
    fn read_head(&mut self, bytes: &[u8]) -> Result<(Option<Response>, usize), Fault> {
        let mut used = 0;
        loop {
            let rest = &bytes[used..];
            let head = if rest.is_empty() {
                None
            } else {
                head::parse(rest)?
            };
            let Some(head) = head else {
                self.held.extend_from_slice(rest);
                return Ok((None, bytes.len()));
            };
            match head.status {
                100 | 102..=199 if self.interim == INTERIM_LIMIT => {
                    let detail =
                        format!("more than {INTERIM_LIMIT} interim responses (1xx) to one request");
                    return Err(protocol(detail));
                }
                100 | 102..=199 => {
                    self.interim += 1;
                    used += head.size;
                }
                0..=99 => return Err(protocol(format!("status {}", head.status))),
                101 => return Err(protocol("101 Switching Protocols was not requested")),
                _ => {
                    let (response, taken) = self.begin(&head, rest)?;
                    return Ok((response, used + taken));
                }
            }
        }
    }

    /// The slow path, for a head that arrives in pieces.
    fn read_held_head(&mut self, bytes: &[u8]) -> Result<(Option<Response>, usize), Fault> {
        let before = self.held.len();
        self.held.extend_from_slice(bytes);
        if before > HEAD_LIMIT {
            return Err(too_large("the response's head", HEAD_LIMIT));
        }
        // Without a line end the head cannot be complete. Parsing it again for every piece would take quadratic time.
        // The first 16 bytes are always parsed, so that a peer that does not speak HTTP is recognised at once.
        if before > 16 && !bytes.contains(&b'\n') {
            return Ok((None, bytes.len()));
        }
        let held = std::mem::take(&mut self.held);
        let (response, used) = self.read_head(&held)?;
        // Cannot underflow: the first `before` bytes were not a complete head, so the parser used more than `before`
        // bytes.
        Ok((response, used - before))
    }

    /// Begins a response. `rest` starts with its complete head.
    fn begin(&mut self, head: &Head, rest: &[u8]) -> Result<(Option<Response>, usize), Fault> {
        self.keep_alive = head.keep_alive;
        let bodies = if head.status < 400 {
            self.bodies
        } else {
            Bodies::Kept
        };
        let headers = match bodies {
            Bodies::Counted => Headers::default(),
            Bodies::Kept => Headers::new(&rest[..head.size], head.sets_cookies),
        };
        let mut incoming = Incoming {
            response: Response {
                status: head.status,
                headers,
                body: Vec::new(),
                size: head.size,
                grpc_error: head.grpc_error.clone(),
            },
            received: 0,
            bodies,
            coding: head.coding,
            framing: self.framing(head)?,
        };
        let body = &rest[head.size..];
        let (used, done) = incoming.take(body, self.body_limit)?;
        if done {
            self.state = State::Idle;
            let response = incoming.finish(self.body_limit)?;
            return Ok((Some(response), head.size + used));
        }
        self.state = State::Body(Box::new(incoming));
        Ok((None, rest.len()))
    }

    /// Decides how the end of the body is found (RFC 9112 §6.3).
    fn framing(&mut self, head: &Head) -> Result<Framing, Fault> {
        if self.bodiless || matches!(head.status, 204 | 304) {
            return Ok(Framing::Length(0));
        }
        if head.chunked {
            return Ok(Framing::Chunked(Chunked::default()));
        }
        let Some(length) = head.length else {
            // Only the end of the connection can end this body.
            self.keep_alive = false;
            return Ok(Framing::UntilClose);
        };
        match usize::try_from(length) {
            Ok(length) if length <= self.body_limit => Ok(Framing::Length(length)),
            _ => Err(above_limit("the body", self.body_limit)),
        }
    }

    fn read_body(&mut self, bytes: &[u8]) -> Result<(Option<Response>, usize), Fault> {
        let State::Body(incoming) = &mut self.state else {
            return Ok((None, 0));
        };
        let (used, done) = incoming.take(bytes, self.body_limit)?;
        Ok((if done { self.finish()? } else { None }, used))
    }

    fn finish(&mut self) -> Result<Option<Response>, Fault> {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Body(incoming) => incoming.finish(self.body_limit).map(Some),
            State::Idle | State::Head => Ok(None),
        }
    }

    /// Handles the end of the peer's data. The end completes a body without a length. Any other incomplete response is
    /// a fault.
    pub fn on_close(&mut self) -> Result<Option<Response>, Fault> {
        self.keep_alive = false;
        let closed = |detail: String| Err(Fault::target(FaultKind::Closed, detail));
        match &self.state {
            State::Idle => Ok(None),
            State::Head if self.held.is_empty() => closed("closed before the response".into()),
            State::Head => {
                head::parse(&self.held)?; // an incomplete last line has not been parsed until now
                closed("closed in the middle of the head".into())
            }
            State::Body(incoming) => {
                let have = incoming.received;
                match incoming.framing {
                    Framing::UntilClose => self.finish(),
                    Framing::Length(all) => closed(format!("closed after {have} of {all} bytes")),
                    Framing::Chunked(_) => {
                        closed(format!("closed after {have} bytes of a chunked body"))
                    }
                }
            }
        }
    }
}

impl Incoming {
    /// Takes the bytes that belong to the body. Returns their number and whether the body is complete.
    fn take(&mut self, bytes: &[u8], limit: usize) -> Result<(usize, bool), Fault> {
        let body = &mut self.response.body;
        let before = body.len();
        let (used, done) = match &mut self.framing {
            Framing::Length(all) => {
                let count = (*all - self.received).min(bytes.len());
                if self.bodies == Bodies::Counted {
                    self.received += count;
                } else {
                    // Allocates once for most bodies. Beyond the trusted length, a server cannot make the client
                    // reserve more than it sends.
                    if body.is_empty() && count > 0 {
                        body.reserve_exact((*all).min(TRUSTED_LENGTH));
                    }
                    body.extend_from_slice(&bytes[..count]);
                }
                let received = self.received + body.len() - before;
                (count, received == *all)
            }
            Framing::Chunked(chunked) => chunked.decode(bytes, before, limit, &mut |data| {
                body.extend_from_slice(data);
            })?,
            Framing::UntilClose if bytes.len() > limit - body.len() => {
                return Err(above_limit("the body", limit));
            }
            Framing::UntilClose => {
                body.extend_from_slice(bytes);
                (bytes.len(), false)
            }
        };
        self.received += body.len() - before;
        if self.bodies == Bodies::Counted {
            body.clear();
        }
        Ok((used, done))
    }

    fn finish(mut self, limit: usize) -> Result<Response, Fault> {
        self.response.size += self.received;
        if let Framing::Chunked(chunked) = &self.framing
            && let Some(error) = chunked.grpc_error()
        {
            self.response.grpc_error = Some(error);
        }
        if self.coding != Coding::Plain && self.bodies == Bodies::Kept {
            self.response.body = decode(self.coding, self.response.body, limit)?;
        }
        Ok(self.response)
    }
}

#[cfg(test)]
mod tests;
