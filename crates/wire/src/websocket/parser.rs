use std::str;

use model::Fault;

use super::frame::{FrameHead, Opcode, parse_head};
use crate::fault::{above_limit, protocol};

/// Messages may not be larger unless the caller says so, in bytes.
pub const MESSAGE_LIMIT: usize = 64 * 1024 * 1024;

/// Something that the server sent, borrowed from the read buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// The handshake is done.
    Open {
        /// The subprotocol that the server chose among those offered.
        protocol: Option<&'a str>,
    },
    /// A whole text message.
    Text(&'a str),
    /// A whole binary message.
    Binary(&'a [u8]),
    /// Asks for a pong with the same payload; a [`super::Connection`] answers by itself.
    Ping(&'a [u8]),
    /// Answers a ping, or comes unasked.
    Pong(&'a [u8]),
    /// The server's last frame. Whatever follows it is ignored.
    Close {
        /// Absent from an empty close frame.
        code: Option<u16>,
        /// Often empty.
        reason: &'a str,
    },
}

/// The server broke the protocol: what to record, and the close code to tell it (RFC 6455 §7.4.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// 1002, 1007 or 1009.
    pub code: u16,
    /// What happened.
    pub fault: Fault,
}

impl Breach {
    pub(super) fn protocol(detail: &str) -> Self {
        Self {
            code: 1002,
            fault: protocol(detail),
        }
    }

    fn not_utf8(what: &str) -> Self {
        Self {
            code: 1007,
            fault: protocol(format!("{what} is not UTF-8")),
        }
    }

    fn too_large(limit: usize) -> Self {
        Self {
            code: 1009,
            fault: above_limit("a message", limit),
        }
    }
}

/// Frames out of a stream of bytes; knows no socket. Only a frame that the read cut, or a message that
/// the server fragmented, is copied aside; the memory goes back once it is whole.
#[derive(Debug)]
pub struct FrameParser {
    /// The beginning of a frame whose rest has not come.
    held: Vec<u8>,
    fragments: Option<Box<Fragments>>,
    limit: usize,
    closed: bool,
}

#[derive(Debug)]
struct Fragments {
    text: bool,
    bytes: Vec<u8>,
}

impl Default for FrameParser {
    fn default() -> Self {
        Self::new(MESSAGE_LIMIT)
    }
}

impl FrameParser {
    /// Refuses messages above `limit` bytes as soon as a frame's head announces them.
    pub fn new(limit: usize) -> Self {
        Self {
            held: Vec::new(),
            fragments: None,
            limit,
            closed: false,
        }
    }

    /// A frame, or a message, has begun and is not complete.
    pub fn holds_a_part(&self) -> bool {
        !self.held.is_empty() || self.fragments.is_some()
    }

    /// Calls `sink` for each message and control frame that `bytes` completes, in order.
    /// After a breach the parser is of no further use.
    pub fn on_bytes(
        &mut self,
        bytes: &[u8],
        sink: &mut impl FnMut(Event<'_>),
    ) -> Result<(), Breach> {
        let mut rest = bytes;
        if !self.held.is_empty() {
            let Some(used) = self.complete_held(rest, sink)? else {
                return Ok(());
            };
            rest = &rest[used..];
        }
        while !self.closed {
            let Some(head) = self.head(rest)? else { break };
            let Some(payload) = rest.get(head.size..head.total()) else {
                break;
            };
            self.deliver(head, payload, sink)?;
            rest = &rest[head.total()..];
        }
        if !self.closed && !rest.is_empty() {
            self.held = rest.to_vec();
        }
        Ok(())
    }

    /// Adds to the cut frame no more than it lacks; `Some(used)` when it is whole and delivered.
    fn complete_held(
        &mut self,
        bytes: &[u8],
        sink: &mut impl FnMut(Event<'_>),
    ) -> Result<Option<usize>, Breach> {
        let mut used = 0;
        let head = loop {
            if let Some(head) = self.head(&self.held)? {
                break head;
            }
            let Some(&next) = bytes.get(used) else {
                return Ok(None);
            };
            self.held.push(next);
            used += 1;
        };
        let lacks = head.total() - self.held.len();
        let count = lacks.min(bytes.len() - used);
        self.held.extend_from_slice(&bytes[used..used + count]);
        if count < lacks {
            return Ok(None);
        }
        let frame = std::mem::take(&mut self.held);
        self.deliver(head, &frame[head.size..], sink)?;
        Ok(Some(used + count))
    }

    #[inline]
    fn head(&self, bytes: &[u8]) -> Result<Option<FrameHead>, Breach> {
        let Some(head) = parse_head(bytes)? else {
            return Ok(None);
        };
        if !head.opcode.is_control() {
            let before = self
                .fragments
                .as_ref()
                .map_or(0, |message| message.bytes.len());
            if head.payload > self.limit.saturating_sub(before) {
                return Err(Breach::too_large(self.limit));
            }
        }
        Ok(Some(head))
    }

    #[inline]
    fn deliver(
        &mut self,
        head: FrameHead,
        payload: &[u8],
        sink: &mut impl FnMut(Event<'_>),
    ) -> Result<(), Breach> {
        match head.opcode {
            Opcode::Text | Opcode::Binary => {
                let text = head.opcode == Opcode::Text;
                if self.fragments.is_some() {
                    return Err(Breach::protocol("a new message inside a fragmented one"));
                }
                if head.last {
                    return message(text, payload, sink);
                }
                let bytes = payload.to_vec();
                self.fragments = Some(Box::new(Fragments { text, bytes }));
            }
            Opcode::Continuation => {
                let Some(mut whole) = self.fragments.take() else {
                    return Err(Breach::protocol("a continuation of nothing"));
                };
                whole.bytes.extend_from_slice(payload);
                if head.last {
                    return message(whole.text, &whole.bytes, sink);
                }
                self.fragments = Some(whole);
            }
            Opcode::Ping => sink(Event::Ping(payload)),
            Opcode::Pong => sink(Event::Pong(payload)),
            Opcode::Close => {
                sink(close(payload)?);
                self.closed = true;
            }
        }
        Ok(())
    }
}

#[inline]
fn message(text: bool, payload: &[u8], sink: &mut impl FnMut(Event<'_>)) -> Result<(), Breach> {
    if text {
        let text = str::from_utf8(payload).map_err(|_| Breach::not_utf8("a text message"))?;
        sink(Event::Text(text));
    } else {
        sink(Event::Binary(payload));
    }
    Ok(())
}

fn close(payload: &[u8]) -> Result<Event<'_>, Breach> {
    match payload {
        [] => Ok(Event::Close {
            code: None,
            reason: "",
        }),
        &[_] => Err(Breach::protocol("a close frame with half a code")),
        &[high, low, ref reason @ ..] => {
            let code = u16::from_be_bytes([high, low]);
            if !may_be_sent(code) {
                return Err(Breach::protocol(&format!(
                    "close code {code} may not be sent"
                )));
            }
            let reason = str::from_utf8(reason).map_err(|_| Breach::not_utf8("a close reason"))?;
            Ok(Event::Close {
                code: Some(code),
                reason,
            })
        }
    }
}

/// RFC 6455 §7.4 and the IANA registry of close codes.
fn may_be_sent(code: u16) -> bool {
    matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999)
}

#[cfg(test)]
mod tests;
