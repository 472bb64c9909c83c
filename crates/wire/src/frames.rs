//! Frames of text protocols, which a read may split anywhere.

use std::mem;

use memchr::memchr;
use model::Fault;

/// Finds the end of a frame.
pub(crate) trait Scanner {
    /// What the scanner has learned about the frame.
    type Head;

    /// Scans the frame at the start of `bytes`. After [`Scan::Lacks`], the next call gets the same bytes and more.
    fn scan(&mut self, bytes: &[u8]) -> Result<Scan<Self::Head>, Fault>;
}

/// The result of a scan.
#[derive(Debug)]
pub(crate) enum Scan<H> {
    /// The frame is complete and has this number of bytes.
    Whole(H, usize),
    Lacks(Missing),
}

/// What is missing from an incomplete frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// The rest of a line.
    Line,
    /// At least this many bytes, which is not 0.
    Bytes(usize),
}

impl Missing {
    /// Returns how many of the next `bytes` belong to the frame for certain.
    fn portion(self, bytes: &[u8]) -> usize {
        match self {
            Self::Line => memchr(b'\n', bytes).map_or(bytes.len(), |at| at + 1),
            Self::Bytes(missing) => missing.min(bytes.len()),
        }
    }
}

/// Finds frames in a stream of bytes. It copies only frames that a read split, and frees that memory when they are
/// complete.
#[derive(Debug)]
pub(crate) struct Frames<S> {
    /// The beginning of a frame that is not complete yet.
    held: Vec<u8>,
    scanner: S,
}

impl<S: Scanner> Frames<S> {
    pub(crate) fn new(scanner: S) -> Self {
        Self {
            held: Vec::new(),
            scanner,
        }
    }

    /// Whether a frame has begun and is not complete.
    pub(crate) fn holds_a_part(&self) -> bool {
        !self.held.is_empty()
    }

    /// Calls `sink` for each frame that `bytes` completes, in order. After a fault, also one of `sink`, the stream
    /// cannot be used again.
    pub(crate) fn on_bytes(
        &mut self,
        bytes: &[u8],
        sink: &mut impl FnMut(S::Head, &[u8]) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut rest = self.complete_held(bytes, sink)?;
        while !rest.is_empty() {
            let Scan::Whole(head, size) = self.scanner.scan(rest)? else {
                self.held = rest.to_vec();
                break;
            };
            let (frame, behind) = rest.split_at(size);
            sink(head, frame)?;
            rest = behind;
        }
        Ok(())
    }

    /// Adds the missing bytes to the split frame, and no more. Returns the bytes after the frame, and none if it is
    /// still not complete.
    fn complete_held<'a>(
        &mut self,
        bytes: &'a [u8],
        sink: &mut impl FnMut(S::Head, &[u8]) -> Result<(), Fault>,
    ) -> Result<&'a [u8], Fault> {
        let mut rest = bytes;
        // Several steps, because the size of a frame is unknown until its first line has arrived.
        while !self.held.is_empty() {
            match self.scanner.scan(&self.held)? {
                Scan::Whole(head, _) => sink(head, &mem::take(&mut self.held))?,
                Scan::Lacks(_) if rest.is_empty() => break,
                Scan::Lacks(missing) => {
                    let (portion, behind) = rest.split_at(missing.portion(rest));
                    self.held.extend_from_slice(portion);
                    rest = behind;
                }
            }
        }
        Ok(rest)
    }
}
