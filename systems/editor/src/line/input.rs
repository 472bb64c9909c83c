use std::mem;

use super::frame::{Head, Violation, opcode, unmask};

/// What a client sent, whole and unmasked.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Message<'a> {
    Text(&'a str),
    Binary(&'a [u8]),
    Ping(&'a [u8]),
    Pong,
    Close(Option<u16>),
}

/// Puts messages together. It keeps bytes of its own only while something is incomplete, so that a
/// user who waits costs nothing here.
#[derive(Debug)]
pub(crate) struct Input {
    limit: usize,
    /// The beginning of a frame whose rest has not come.
    rest: Vec<u8>,
    /// The pieces of a fragmented message, and its opcode.
    pieces: Vec<u8>,
    opcode: Option<u8>,
}

impl Input {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            rest: Vec::new(),
            pieces: Vec::new(),
            opcode: None,
        }
    }

    /// Takes what was read, and hands over every message that is whole now. `hear` says whether to
    /// go on. The bytes are unmasked in place.
    pub(crate) fn take(
        &mut self,
        read: &mut [u8],
        mut hear: impl FnMut(Message<'_>) -> bool,
    ) -> Result<(), Violation> {
        if self.rest.is_empty() {
            let used = self.frames(read, &mut hear)?;
            if let Some(rest @ [_, ..]) = read.get(used..) {
                self.rest = Vec::with_capacity(rest.len().max(self.awaited(rest)));
                self.rest.extend_from_slice(rest);
            }
            return Ok(());
        }
        let mut all = mem::take(&mut self.rest);
        all.extend_from_slice(read);
        let used = self.frames(&mut all, &mut hear)?;
        if used < all.len() {
            all.drain(..used);
            self.rest = all;
        }
        Ok(())
    }

    /// Bytes of the whole frame that begins here, as far as is known.
    fn awaited(&self, rest: &[u8]) -> usize {
        let head = Head::parse(rest).ok().flatten();
        head.map_or(0, |head| (head.size + head.length).min(self.limit + 14))
    }

    /// Goes through the whole frames; says how many bytes they were.
    fn frames(
        &mut self,
        bytes: &mut [u8],
        hear: &mut impl FnMut(Message<'_>) -> bool,
    ) -> Result<usize, Violation> {
        let mut used = 0;
        while let Some(head) = Head::parse(&bytes[used..])? {
            // What is added further down is small: no length above the limit gets there.
            let pieces = if head.is_control() {
                0
            } else {
                self.pieces.len()
            };
            if head.length > self.limit.saturating_sub(pieces) {
                return Err(Violation::TooLarge);
            }
            let begin = used + head.size;
            let Some(payload) = bytes.get_mut(begin..begin + head.length) else {
                break;
            };
            unmask(payload, head.mask);
            used = begin + head.length;
            if !self.frame(head, payload, hear)? {
                return Ok(bytes.len());
            }
        }
        Ok(used)
    }

    fn frame(
        &mut self,
        head: Head,
        payload: &[u8],
        hear: &mut impl FnMut(Message<'_>) -> bool,
    ) -> Result<bool, Violation> {
        let message = match (head.opcode, self.opcode) {
            (opcode::PING, _) => Message::Ping(payload),
            (opcode::PONG, _) => Message::Pong,
            (opcode::CLOSE, _) => {
                Message::Close(payload.first_chunk().map(|b| u16::from_be_bytes(*b)))
            }
            (opcode::CONTINUATION, None) | (opcode::TEXT | opcode::BINARY, Some(_)) => {
                return Err(Violation::Protocol);
            }
            (opcode::CONTINUATION, Some(opcode)) => {
                self.pieces.extend_from_slice(payload);
                if !head.last {
                    return Ok(true);
                }
                self.opcode = None;
                let whole = mem::take(&mut self.pieces);
                return Ok(hear(data(opcode, &whole)?));
            }
            (opcode, None) if !head.last => {
                self.opcode = Some(opcode);
                self.pieces.extend_from_slice(payload);
                return Ok(true);
            }
            (opcode, _) => data(opcode, payload)?,
        };
        Ok(hear(message))
    }
}

fn data(opcode: u8, payload: &[u8]) -> Result<Message<'_>, Violation> {
    if opcode == opcode::BINARY {
        return Ok(Message::Binary(payload));
    }
    match str::from_utf8(payload) {
        Ok(text) => Ok(Message::Text(text)),
        Err(_) => Err(Violation::NotText),
    }
}

#[cfg(test)]
mod tests;
