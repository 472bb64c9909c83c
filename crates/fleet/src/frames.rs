//! Messages of any size in frames that NATS accepts, numbered so that a missing one is noticed.

use std::cmp::Ordering;

use bytes::{BufMut as _, Bytes, BytesMut};

/// Maximum size of a frame's content. NATS refuses payloads above 1 MiB, and on a slow connection a large frame would delay
/// the signs of life.
const CONTENT: usize = 128 << 10;
/// The number of the frame, and whether it is the last one of its message.
const HEADER: usize = 9;

/// Splits messages into frames.
#[derive(Debug, Default)]
pub(crate) struct Splitter {
    next: u64,
}

impl Splitter {
    /// The frames of a message. An empty message, which only shows that the sender is alive, has one frame.
    pub(crate) fn frames(&mut self, message: &[u8]) -> Vec<Bytes> {
        let count = message.len().div_ceil(CONTENT).max(1);
        let frame = |part: usize| {
            let content = &message[part * CONTENT..message.len().min((part + 1) * CONTENT)];
            let mut frame = BytesMut::with_capacity(HEADER + content.len());
            frame.put_u64_le(self.next);
            frame.put_u8(u8::from(part + 1 == count));
            frame.put_slice(content);
            self.next += 1;
            frame.freeze()
        };
        (0..count).map(frame).collect()
    }
}

/// Joins frames to messages.
#[derive(Debug, Default)]
pub(crate) struct Joiner {
    next: u64,
    message: Vec<u8>,
}

/// A frame is missing, or is none of ours.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Gap;

impl Joiner {
    /// Adds a frame. Returns the message if it is complete. A frame that came before is ignored: the sender repeats what was
    /// not confirmed.
    pub(crate) fn add(&mut self, frame: &[u8]) -> Result<Option<Vec<u8>>, Gap> {
        let (number, rest) = frame.split_first_chunk::<8>().ok_or(Gap)?;
        let (&is_last, content) = rest.split_first().ok_or(Gap)?;
        match u64::from_le_bytes(*number).cmp(&self.next) {
            Ordering::Less => return Ok(None),
            Ordering::Greater => return Err(Gap),
            Ordering::Equal => {}
        }
        self.next += 1;
        self.message.extend_from_slice(content);
        Ok((is_last == 1).then(|| std::mem::take(&mut self.message)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_any_size_arrive_whole_and_in_order() {
        let (mut splitter, mut joiner) = (Splitter::default(), Joiner::default());
        for size in [0, 1, CONTENT - 1, CONTENT, CONTENT + 1, 3 * CONTENT + 7] {
            let message: Vec<u8> = (0..size)
                .map(|at| u8::try_from(at % 251).unwrap())
                .collect();
            let frames = splitter.frames(&message);
            let (last, first) = frames.split_last().unwrap();
            for frame in first {
                assert_eq!(joiner.add(frame), Ok(None));
            }
            assert_eq!(joiner.add(last), Ok(Some(message)), "{size} bytes");
        }
    }

    #[test]
    fn a_missing_or_short_frame_is_noticed_and_a_repeated_one_is_ignored() {
        let mut splitter = Splitter::default();
        let frames: Vec<_> = (0..3).flat_map(|_| splitter.frames(b"x")).collect();
        let mut joiner = Joiner::default();
        assert_eq!(joiner.add(&frames[0]), Ok(Some(b"x".to_vec())));
        assert_eq!(joiner.add(&frames[0]), Ok(None));
        assert_eq!(joiner.add(&frames[2]), Err(Gap));
        assert_eq!(joiner.add(b"short"), Err(Gap));
        assert_eq!(joiner.add(&frames[1]), Ok(Some(b"x".to_vec())));
    }
}
