use model::Fault;

use super::frame::Frame;
use super::line::{self, Head};
use crate::fault::protocol;
use crate::frames::{Frames, Missing, Scan, Scanner};

/// Parses frames from a stream of bytes, without I/O. It copies only frames that a read split, and frees that memory
/// when they are complete.
#[derive(Debug)]
pub struct Parser {
    frames: Frames<Lines>,
}

#[derive(Debug)]
struct Lines {
    limit: usize,
}

impl Parser {
    /// A message whose headers and payload are above `limit` bytes is a fault as soon as its line announces the size.
    pub fn new(limit: usize) -> Self {
        Self {
            frames: Frames::new(Lines { limit }),
        }
    }

    /// Whether a frame has begun and is not complete.
    pub fn holds_a_part(&self) -> bool {
        self.frames.holds_a_part()
    }

    /// Calls `sink` for each frame that `bytes` completes, in order. After a fault, also one of `sink`, the parser
    /// cannot be used again.
    pub fn on_bytes(
        &mut self,
        bytes: &[u8],
        sink: &mut impl FnMut(Frame<'_>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.frames
            .on_bytes(bytes, &mut |head, bytes| sink(Frame::of(head, bytes)?))
    }
}

impl Scanner for Lines {
    type Head = Head;

    #[inline]
    fn scan(&mut self, bytes: &[u8]) -> Result<Scan<Head>, Fault> {
        let Some((head, line)) = line::parse(bytes, self.limit)? else {
            return Ok(Scan::Lacks(Missing::Line));
        };
        let Head::Message(message) = &head else {
            return Ok(Scan::Whole(head, line));
        };
        let end = message.payload.end;
        let Some(&[cr, lf]) = bytes.get(end..).and_then(|rest| rest.first_chunk()) else {
            return Ok(Scan::Lacks(Missing::Bytes(end + 2 - bytes.len())));
        };
        if [cr, lf] != *b"\r\n" {
            return Err(protocol("a message is longer than its line announces"));
        }
        Ok(Scan::Whole(head, end + 2))
    }
}

#[cfg(test)]
mod tests;
