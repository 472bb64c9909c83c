use std::collections::VecDeque;
use std::{io, mem};

use tokio::net::tcp::OwnedWriteHalf;

use super::frame::Frame;

/// Maximum number of frames per system call.
const GATHERED: usize = 16;
/// Maximum capacity that an empty queue keeps, in frames.
const KEPT: usize = 8;
/// Maximum number of queued frames that are searched for an older caret of the same sender.
const LOOKED_AT: usize = 64;

/// Limits of the queue for one recipient.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    pub(crate) frames: usize,
    pub(crate) bytes: usize,
}

/// The frames queued for one recipient, in order. A caret frame is stored with the number of its sender.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    frames: VecDeque<(Frame, Option<u64>)>,
    /// Number of bytes of the first frame that have been written.
    written: usize,
    bytes: usize,
}

impl Waiting {
    pub(crate) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Whether a frame of this length fits into the queue. An empty queue accepts any frame.
    pub(crate) fn fits(&self, length: usize, bound: Bound) -> bool {
        self.frames.len() < bound.frames
            && (self.frames.is_empty() || self.bytes + length <= bound.bytes)
    }

    pub(crate) fn push(&mut self, frame: &Frame, caret: Option<u64>) {
        self.bytes += frame.bytes().len();
        self.frames.push_back((frame.clone(), caret));
    }

    /// Replaces a queued caret of the same sender with this newer one. Returns `false` if no caret was found.
    pub(crate) fn renew(&mut self, sender: u64, frame: &Frame) -> bool {
        // A partly written frame must not be replaced.
        let unwritten = usize::from(self.written > 0);
        let waiting = self.frames.iter_mut().skip(unwritten).rev().take(LOOKED_AT);
        for (older, caret) in waiting {
            if *caret == Some(sender) {
                self.bytes = self.bytes - older.bytes().len() + frame.bytes().len();
                *older = frame.clone();
                return true;
            }
        }
        false
    }

    /// Removes and returns all frames, to send them on another connection. None may be partly written.
    pub(crate) fn take(&mut self) -> VecDeque<(Frame, Option<u64>)> {
        mem::take(self).frames
    }

    /// Discards all frames except a partly written frame, which must be completed on the wire.
    pub(crate) fn forget(&mut self) {
        self.frames.truncate(usize::from(self.written > 0));
        self.frames.shrink_to(KEPT);
        self.bytes = self
            .frames
            .front()
            .map_or(0, |(frame, _)| frame.bytes().len());
    }

    /// Writes as much as the socket accepts in one call.
    pub(super) fn write(&mut self, stream: &OwnedWriteHalf) -> io::Result<()> {
        let written = match self.frames.front() {
            None => return Ok(()),
            Some((first, _)) if self.frames.len() == 1 => {
                stream.try_write(&first.bytes()[self.written..])?
            }
            Some(_) => {
                let mut slices = [io::IoSlice::new(&[]); GATHERED];
                let mut count = 0;
                for ((frame, _), slice) in self.frames.iter().zip(&mut slices) {
                    let from = if count == 0 { self.written } else { 0 };
                    *slice = io::IoSlice::new(&frame.bytes()[from..]);
                    count += 1;
                }
                stream.try_write_vectored(&slices[..count])?
            }
        };
        self.drop_written(written);
        Ok(())
    }

    fn drop_written(&mut self, mut written: usize) {
        written += self.written;
        self.written = 0;
        while let Some((frame, _)) = self.frames.front() {
            let length = frame.bytes().len();
            if written < length {
                self.written = written;
                return;
            }
            written -= length;
            self.bytes -= length;
            self.frames.pop_front();
        }
        // Free the memory, so that idle clients need little of it.
        if self.frames.capacity() > KEPT {
            self.frames = VecDeque::new();
        }
    }
}
