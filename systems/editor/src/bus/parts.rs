//! Splits messages that exceed NATS's maximum payload into parts. A part consists of the node's number, the kind
//! [`PART`], the message's number at this node, the part's index, the number of parts, and the part's bytes. All
//! numbers are little-endian.

use std::collections::HashMap;

use bytes::{Buf, BufMut, Bytes, BytesMut};

use super::letter::Letter;

/// The kind that marks a part. As in every message, the kind follows the node's number.
const PART: u8 = 255;
/// Size of a part's header, in bytes: node, kind, message number, index and number of parts.
const HEAD: usize = 8 + 1 + 8 + 4 + 4;

/// Splits a message into parts of at most `most` bytes. A message that fits stays unchanged.
pub(super) fn split(letter: &Letter, node: u64, number: u64, most: usize) -> Vec<Letter> {
    if letter.len() <= most {
        return vec![letter.clone()];
    }
    let room = most.saturating_sub(HEAD).max(1);
    let of = letter.len().div_ceil(room);
    let part = |(at, bytes): (usize, &[u8])| {
        let mut part = BytesMut::with_capacity(HEAD + bytes.len());
        part.put_u64_le(node);
        part.put_u8(PART);
        part.put_u64_le(number);
        part.put_u32_le(u32::try_from(at).unwrap_or(u32::MAX));
        part.put_u32_le(u32::try_from(of).unwrap_or(u32::MAX));
        part.put_slice(bytes);
        part.freeze()
    };
    letter.chunks(room).enumerate().map(part).collect()
}

/// What a received NATS message contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Came {
    Letter(Letter),
    /// A part of a message that is still incomplete.
    Part,
    /// A part of a message was lost.
    Broken,
}

/// Incomplete messages of a room, keyed by node. Each node sends its messages one after the other, so there is at most
/// one per node.
#[derive(Debug, Default)]
pub(super) struct Parts(HashMap<u64, Open>);

#[derive(Debug)]
struct Open {
    number: u64,
    next: u32,
    bytes: BytesMut,
}

impl Parts {
    pub(super) fn take(&mut self, mut message: Bytes) -> Came {
        if message.get(8) != Some(&PART) || message.len() < HEAD {
            return Came::Letter(message);
        }
        let node = message.get_u64_le();
        message.advance(1);
        let (number, at, of) = (
            message.get_u64_le(),
            message.get_u32_le(),
            message.get_u32_le(),
        );
        let open = match self.0.remove(&node) {
            // Parts arrive in order. Anything but the next part of the same message means that a part was lost.
            Some(open) if open.number == number && open.next == at => Some(open),
            _ if at == 0 => Some(Open {
                number,
                next: 0,
                bytes: BytesMut::new(),
            }),
            _ => None,
        };
        let Some(mut open) = open else {
            return Came::Broken;
        };
        open.bytes.put_slice(&message);
        open.next += 1;
        if open.next == of {
            return Came::Letter(open.bytes.freeze());
        }
        self.0.insert(node, open);
        Came::Part
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_letter_of_which_a_part_is_lost_is_broken_and_the_next_is_not() {
        let letters = [7, 8].map(|byte| Letter::from(vec![byte; 100]));
        let [first, second] = [0, 1].map(|n| split(&letters[n], 1, n as u64, 60));
        for lost in 0..first.len() {
            let mut parts = Parts::default();
            let rest = first.iter().enumerate().filter(|(at, _)| *at != lost);
            let came: Vec<_> = rest.map(|(_, part)| parts.take(part.clone())).collect();
            assert!(!came.iter().any(|came| matches!(came, Came::Letter(_))));
            let came = second.iter().map(|part| parts.take(part.clone())).last();
            assert_eq!(came, Some(Came::Letter(letters[1].clone())), "part {lost}");
        }
    }

    #[test]
    fn a_part_behind_a_gap_says_so() {
        let parts = split(&Letter::from(vec![7; 100]), 1, 0, 60);
        let mut taken = Parts::default();
        assert_eq!(taken.take(parts[0].clone()), Came::Part);
        assert_eq!(taken.take(parts[2].clone()), Came::Broken);
    }

    proptest! {
        #[test]
        fn letters_of_two_nodes_come_whole_however_small_the_parts(
            all in prop::collection::vec(prop::collection::vec(any::<u8>(), 9..200), 2),
            most in HEAD + 1..250,
        ) {
            // The messages must not look like parts.
            let letters: Vec<Letter> = all.into_iter().map(|mut bytes| { bytes[8] = 0; bytes.into() }).collect();
            let sent = [0, 1].map(|node| split(&letters[node], node as u64, 9, most));
            prop_assert!(sent.iter().flatten().all(|part| part.len() <= most));
            let (mut parts, mut came) = (Parts::default(), Vec::new());
            for at in 0..sent[0].len().max(sent[1].len()) {
                for message in sent.iter().filter_map(|sent| sent.get(at)) {
                    if let Came::Letter(letter) = parts.take(message.clone()) {
                        came.push(letter);
                    }
                }
            }
            prop_assert_eq!(came.len(), 2);
            prop_assert!(letters.iter().all(|letter| came.contains(letter)));
        }

        #[test]
        fn any_bytes_are_taken_without_panic(message in prop::collection::vec(any::<u8>(), 0..64)) {
            let mut message = message;
            if let Some(kind) = message.get_mut(8) { *kind = PART; }
            Parts::default().take(message.into());
        }
    }
}
