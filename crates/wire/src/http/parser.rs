use model::{Fault, FaultKind};

use super::chunked::Chunked;
use super::decode::{Coding, decode};
use super::head::{self, HEAD_LIMIT, Head};
use super::headers::Headers;
use super::response::Response;
use crate::fault::{above_limit, printable, protocol, too_large};

/// Bodies may not be larger unless the caller says so, in bytes.
pub(crate) const BODY_LIMIT: usize = 64 * 1024 * 1024;

/// Interim responses before the real one: servers send one or two, and nobody has use for more.
const INTERIM_LIMIT: u32 = 100;

/// So much memory is set aside on the word of a content-length alone, in bytes.
const TRUSTED_LENGTH: usize = 1024 * 1024;

/// Responses out of a stream of bytes, one per request.
///
/// | state | meaning | leaves on |
/// |---|---|---|
/// | `Idle` | nothing was asked; every byte is unsolicited | [`Parser::expect`] |
/// | `Head` | waits for the head; interim 1xx heads are skipped | the empty line |
/// | `Body` | collects the body | its end, or the connection's |
#[derive(Debug)]
pub struct Parser {
    state: State,
    /// A head that is not whole yet.
    held: Vec<u8>,
    body_limit: usize,
    bodies: Bodies,
    bodiless: bool,
    keep_alive: bool,
    /// A byte has come since the request went out.
    touched: bool,
    /// Interim responses since the request went out.
    interim: u32,
    unasked: Option<Box<Fault>>,
}

/// What becomes of the bytes of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bodies {
    Kept,
    /// Nobody will look at them.
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
    /// So many bytes in all.
    Length(usize),
    Chunked(Chunked),
    UntilClose,
}

impl Parser {
    /// Refuses bodies, compressed or not, above `body_limit` bytes.
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

    /// From now on bodies are counted and not kept, nor the heads of answers below 400.
    pub fn discard(&mut self) {
        self.bodies = Bodies::Counted;
    }

    /// A request goes out; `bodiless` when its response has no body whatever the head says (HEAD).
    pub fn expect(&mut self, bodiless: bool) {
        self.state = State::Head;
        self.held.clear();
        self.bodiless = bodiless;
        self.touched = false;
        self.interim = 0;
    }

    /// No answer is waited for.
    pub fn is_idle(&self) -> bool {
        matches!(self.state, State::Idle)
    }

    /// Not one byte of the answer has come.
    pub fn is_untouched(&self) -> bool {
        matches!(self.state, State::Head) && !self.touched
    }

    /// Nothing in the last response, nor after it, speaks against another request.
    pub fn keeps_alive(&self) -> bool {
        self.keep_alive
    }

    /// Bytes came. Returns the response when it is whole; what is behind it nobody asked for.
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
                "nothing was asked, but got \"{}\"",
                printable(rest)
            ));
            if response.is_none() {
                return Err(unasked);
            }
            // Some servers end a body with one line end more.
            self.unasked = (!rest.trim_ascii().is_empty()).then(|| Box::new(unasked));
        }
        Ok(response)
    }

    /// What came behind the last response, in the same read, and belongs to none.
    pub fn take_unasked(&mut self) -> Option<Fault> {
        self.unasked.take().map(|fault| *fault)
    }

    /// Returns a response, if whole, and how many bytes were used.
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
                101 => return Err(protocol("101 Switching Protocols, which nobody asked for")),
                _ => {
                    let (response, taken) = self.begin(&head, rest)?;
                    return Ok((response, used + taken));
                }
            }
        }
    }

    /// The slow path: the head came in pieces. It is parsed again only when a line ended.
    fn read_held_head(&mut self, bytes: &[u8]) -> Result<(Option<Response>, usize), Fault> {
        let before = self.held.len();
        self.held.extend_from_slice(bytes);
        if before > HEAD_LIMIT {
            return Err(too_large("the response's head", HEAD_LIMIT));
        }
        if before > 16 && !bytes.contains(&b'\n') {
            return Ok((None, bytes.len()));
        }
        let held = std::mem::take(&mut self.held);
        let (response, used) = self.read_head(&held)?;
        Ok((response, used - before))
    }

    /// The head is whole: `rest` begins with it.
    fn begin(&mut self, head: &Head, rest: &[u8]) -> Result<(Option<Response>, usize), Fault> {
        self.keep_alive = head.keep_alive;
        let headers = if self.bodies == Bodies::Counted && head.status < 400 {
            Headers::default()
        } else {
            Headers::new(&rest[..head.size], head.sets_cookies)
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
            bodies: self.bodies,
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

    /// RFC 9112 §6.3.
    fn framing(&mut self, head: &Head) -> Result<Framing, Fault> {
        if self.bodiless || matches!(head.status, 204 | 304) {
            return Ok(Framing::Length(0));
        }
        if head.chunked {
            return Ok(Framing::Chunked(Chunked::default()));
        }
        let Some(length) = head.length else {
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

    /// The peer sent its last byte: that ends some bodies well and the others badly.
    pub fn on_close(&mut self) -> Result<Option<Response>, Fault> {
        self.keep_alive = false;
        let closed = |detail: String| Err(Fault::target(FaultKind::Closed, detail));
        match &self.state {
            State::Idle => Ok(None),
            State::Head if self.held.is_empty() => closed("closed before the answer".into()),
            State::Head => {
                head::parse(&self.held)?; // a cut line was not looked at until now
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
    /// Takes what belongs to the body; returns how many bytes that were and whether it is whole.
    fn take(&mut self, bytes: &[u8], limit: usize) -> Result<(usize, bool), Fault> {
        let body = &mut self.response.body;
        let before = body.len();
        let (used, done) = match &mut self.framing {
            Framing::Length(all) => {
                let count = (*all - self.received).min(bytes.len());
                if self.bodies == Bodies::Counted {
                    self.received += count;
                } else {
                    if body.is_empty() && count > 0 {
                        body.reserve_exact((*all).min(TRUSTED_LENGTH));
                    }
                    body.extend_from_slice(&bytes[..count]);
                }
                let received = self.received + body.len() - before;
                (count, received == *all)
            }
            Framing::Chunked(chunked) => chunked.decode(bytes, body, limit)?,
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
