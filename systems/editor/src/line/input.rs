use std::mem;

use super::frame::{Head, Violation, opcode, unmask};

/// A complete, unmasked message from a client.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Message<'a> {
    Text(&'a str),
    Binary(&'a [u8]),
    Ping(&'a [u8]),
    Pong,
    Close(Option<u16>),
}

/// What to do after a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Process the next message.
    GoOn,
    /// Keep the remaining bytes for a later call.
    Pause,
    /// Discard the remaining bytes.
    Stop,
}

/// Assembles messages from frames. Owns memory only while a frame or message is incomplete, so that idle clients need
/// none.
#[derive(Debug)]
pub(crate) struct Input {
    limit: usize,
    /// The beginning of an incomplete frame.
    rest: Vec<u8>,
    /// The fragments received so far of an incomplete message.
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

    /// Processes received bytes and unmasks them in place. Passes each complete message to `hear`. Without received
    /// bytes, this continues after a pause.
    pub(crate) fn take(
        &mut self,
        read: &mut [u8],
        mut hear: impl FnMut(Message<'_>) -> Next,
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

    /// Stores received bytes for a later call of [`Input::take`].
    pub(crate) fn hold(&mut self, read: &[u8]) {
        self.rest.extend_from_slice(read);
    }

    /// Size in bytes of the incomplete frame `rest`, for which memory is reserved. 0 while the header is incomplete.
    fn awaited(&self, rest: &[u8]) -> usize {
        let head = Head::parse(rest).ok().flatten();
        head.map_or(0, |head| (head.size + head.length).min(self.limit + 14))
    }

    /// Processes the complete frames. Returns the number of bytes consumed.
    fn frames(
        &mut self,
        bytes: &mut [u8],
        hear: &mut impl FnMut(Message<'_>) -> Next,
    ) -> Result<usize, Violation> {
        let mut used = 0;
        while let Some(head) = Head::parse(&bytes[used..])? {
            // Checking the length here also prevents overflow in the sums below.
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
            match self.frame(head, payload, hear)? {
                Next::GoOn => {}
                Next::Pause => break,
                Next::Stop => return Ok(bytes.len()),
            }
        }
        Ok(used)
    }

    fn frame(
        &mut self,
        head: Head,
        payload: &[u8],
        hear: &mut impl FnMut(Message<'_>) -> Next,
    ) -> Result<Next, Violation> {
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
                    return Ok(Next::GoOn);
                }
                self.opcode = None;
                let whole = mem::take(&mut self.pieces);
                return Ok(hear(data(opcode, &whole)?));
            }
            (opcode, None) if !head.last => {
                self.opcode = Some(opcode);
                self.pieces.extend_from_slice(payload);
                return Ok(Next::GoOn);
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
