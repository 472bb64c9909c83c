use std::str;

use super::breach::Breach;
use super::frame::{FrameHead, Opcode, parse_head};

/// Default maximum size of a message, in bytes.
pub const MESSAGE_LIMIT: usize = 64 * 1024 * 1024;

/// An event from the server, borrowed from the read buffer.
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
    /// A ping. A [`super::Connection`] replies to it with a pong of the same payload.
    Ping(&'a [u8]),
    /// The reply to a ping, or an unsolicited pong.
    Pong(&'a [u8]),
    /// The server's last frame. Data after it is ignored.
    Close {
        /// Absent from an empty close frame.
        code: Option<u16>,
        /// The reason; often empty.
        reason: &'a str,
    },
}

/// Parses frames from a stream of bytes, without I/O. It copies only frames that a read split and messages that the
/// server fragmented, and frees that memory when they are complete.
#[derive(Debug)]
pub struct FrameParser {
    /// The beginning of a frame that is not complete yet.
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
    /// A message above `limit` bytes is a fault as soon as a frame header announces its size.
    pub fn new(limit: usize) -> Self {
        Self {
            held: Vec::new(),
            fragments: None,
            limit,
            closed: false,
        }
    }

    /// Whether a frame or a message has begun and is not complete.
    pub fn holds_a_part(&self) -> bool {
        !self.held.is_empty() || self.fragments.is_some()
    }

    /// Calls `sink` for each message and control frame that `bytes` completes, in order. After a breach, the parser
    /// cannot be used again.
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

    /// Adds the missing bytes to the split frame, and no more. Returns the number of bytes used when the frame is
    /// complete and delivered.
    fn complete_held(
        &mut self,
        bytes: &[u8],
        sink: &mut impl FnMut(Event<'_>),
    ) -> Result<Option<usize>, Breach> {
        let mut used = 0;
        // Adds byte by byte, because the size of the header is unknown until its first two bytes have arrived.
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
                    return Err(Breach::protocol(
                        "a new message begins inside a fragmented message",
                    ));
                }
                if head.last {
                    return message(text, payload, sink);
                }
                let bytes = payload.to_vec();
                self.fragments = Some(Box::new(Fragments { text, bytes }));
            }
            Opcode::Continuation => {
                let Some(mut whole) = self.fragments.take() else {
                    return Err(Breach::protocol("a continuation frame without a message"));
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
        &[_] => Err(Breach::protocol("a close frame with a one-byte code")),
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

/// Whether a close code may occur in a frame (RFC 6455 §7.4 and the IANA registry of close codes).
fn may_be_sent(code: u16) -> bool {
    matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999)
}

#[cfg(test)]
mod tests;
