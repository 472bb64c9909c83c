use model::Fault;

use super::items;
use super::scan::Replies;
use super::value::Reply;
use crate::fault::protocol;
use crate::frames::Frames;

/// Parses replies and pushes from a stream of bytes, without I/O. It copies only replies that a read split, and frees
/// that memory when they are complete.
#[derive(Debug)]
pub struct Parser {
    frames: Frames<Replies>,
}

impl Parser {
    /// A reply above `limit` bytes is a fault as soon as a length or a count announces its size.
    pub fn new(limit: usize) -> Self {
        Self {
            frames: Frames::new(Replies::new(limit)),
        }
    }

    /// Whether a reply has begun and is not complete.
    pub fn holds_a_part(&self) -> bool {
        self.frames.holds_a_part()
    }

    /// Calls `sink` for each reply and push that `bytes` completes, in order. After a fault, also one of `sink`, the
    /// parser cannot be used again.
    pub fn on_bytes(
        &mut self,
        bytes: &[u8],
        sink: &mut impl FnMut(Reply<'_>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.frames.on_bytes(bytes, &mut |(), bytes| {
            let reply = items::whole(bytes);
            sink(reply.ok_or_else(|| protocol("a Redis reply is malformed"))?)
        })
    }
}

#[cfg(test)]
mod tests;
