use std::collections::VecDeque;
use std::{io, mem};

use tokio::net::tcp::OwnedWriteHalf;

use super::frame::Frame;

/// Frames handed to the system in one call.
const GATHERED: usize = 16;
/// Room for so many frames is kept when nothing waits.
const KEPT: usize = 8;
/// So many waiting frames are looked at for an older caret of the same sender.
const LOOKED_AT: usize = 64;

/// What may wait for one receiver.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    pub(crate) frames: usize,
    pub(crate) bytes: usize,
}

/// What waits for one receiver, in order; a caret with the number of who moved it.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    frames: VecDeque<(Frame, Option<u64>)>,
    /// Bytes of the first frame that were written already.
    written: usize,
    bytes: usize,
}

impl Waiting {
    pub(crate) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Whether a frame of this length may wait too. One alone always may.
    pub(crate) fn fits(&self, length: usize, bound: Bound) -> bool {
        self.frames.len() < bound.frames
            && (self.frames.is_empty() || self.bytes + length <= bound.bytes)
    }

    pub(crate) fn push(&mut self, frame: &Frame, caret: Option<u64>) {
        self.bytes += frame.bytes().len();
        self.frames.push_back((frame.clone(), caret));
    }

    /// Puts the newer caret in the place of the older one, if that still waits.
    pub(crate) fn renew(&mut self, sender: u64, frame: &Frame) -> bool {
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

    /// Takes everything out. Nothing of it was written in part: it goes another way.
    pub(crate) fn take(&mut self) -> VecDeque<(Frame, Option<u64>)> {
        mem::take(self).frames
    }

    /// Forgets everything but a frame of which a part is out: what comes next would be part of it.
    pub(crate) fn forget(&mut self) {
        self.frames.truncate(usize::from(self.written > 0));
        self.frames.shrink_to(KEPT);
        self.bytes = self
            .frames
            .front()
            .map_or(0, |(frame, _)| frame.bytes().len());
    }

    /// Hands to the system what it takes in one call.
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
        // A user who waits costs little here.
        if self.frames.capacity() > KEPT {
            self.frames = VecDeque::new();
        }
    }
}
