use std::io::{self, Read, Write};

use proptest::prelude::*;
use tungstenite::WebSocket;
use tungstenite::protocol::{Role, WebSocketConfig};

use super::*;
use crate::line::frame::Frame;

/// A socket in memory, which records writes and reads from a buffer.
#[derive(Default)]
struct Memory {
    read: io::Cursor<Vec<u8>>,
    written: Vec<u8>,
}

impl Read for Memory {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.read.read(into)
    }
}

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.written.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn foreign(role: Role, read: Vec<u8>) -> WebSocket<Memory> {
    let memory = Memory {
        read: io::Cursor::new(read),
        written: Vec::new(),
    };
    WebSocket::from_raw_socket(memory, role, Some(WebSocketConfig::default()))
}

/// The messages parsed from `bytes`, received in pieces.
fn heard(bytes: &[u8], cuts: &[usize]) -> Result<Vec<Result<String, Vec<u8>>>, Violation> {
    let (mut input, mut heard) = (Input::new(1 << 20), Vec::new());
    let mut rest = bytes.to_vec();
    let mut pieces = Vec::new();
    for cut in cuts {
        let tail = rest.split_off((*cut).min(rest.len()));
        pieces.push(std::mem::replace(&mut rest, tail));
    }
    pieces.push(rest);
    for mut piece in pieces {
        input.take(&mut piece, |message| {
            match message {
                Message::Text(text) => heard.push(Ok(text.to_owned())),
                Message::Binary(bytes) => heard.push(Err(bytes.to_vec())),
                _ => {}
            }
            Next::GoOn
        })?;
    }
    Ok(heard)
}

proptest! {
    #[test]
    fn what_another_implementation_sends_is_heard_however_it_is_cut(
        messages in prop::collection::vec(prop_oneof![
            ".{0,200}".prop_map(Ok),
            prop::collection::vec(any::<u8>(), 0..70_000).prop_map(Err),
        ], 0..6),
        cuts in prop::collection::vec(0usize..200, 0..12),
    ) {
        let mut client = foreign(Role::Client, Vec::new());
        for message in &messages {
            let message = match message {
                Ok(text) => tungstenite::Message::text(text.clone()),
                Err(bytes) => tungstenite::Message::binary(bytes.clone()),
            };
            client.send(message).unwrap();
        }
        let sent = std::mem::take(&mut client.get_mut().written);
        prop_assert_eq!(heard(&sent, &cuts), Ok(messages));
    }

    #[test]
    fn what_we_send_is_heard_by_another_implementation(text in ".{0,300}", many in 0usize..80_000) {
        let long = "x".repeat(many);
        let mut bytes = Frame::text(&text).bytes().to_vec();
        bytes.extend_from_slice(Frame::text(&long).bytes());
        let mut client = foreign(Role::Client, bytes);
        for text in [text, long] {
            let message = client.read().unwrap();
            prop_assert_eq!(message, tungstenite::Message::text(text));
        }
    }

    #[test]
    fn any_bytes_are_heard_or_refused_without_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        cuts in prop::collection::vec(0usize..50, 0..6),
    ) {
        let _ = heard(&bytes, &cuts);
    }
}

#[test]
fn what_a_client_must_not_send_is_refused() {
    let refused: [(&[u8], Violation); 6] = [
        (&[0x81, 0x02, b'h', b'i'], Violation::Protocol), // no mask
        (&[0xC1, 0x80, 0, 0, 0, 0], Violation::Protocol), // a reserved bit
        (&[0x80, 0x80, 0, 0, 0, 0], Violation::Protocol), // a continuation without a first fragment
        (&[0x89, 0xFE, 0, 126], Violation::Protocol),     // a ping of more than 125 bytes
        (&[0x81, 0x81, 0, 0, 0, 0, 0xFF], Violation::NotText),
        (
            &[0x82, 0xFF, 0, 0, 0, 0, 0, 0xFF, 0, 0, 0, 0, 0, 0],
            Violation::TooLarge,
        ),
    ];
    for (bytes, violation) in refused {
        assert_eq!(heard(bytes, &[]), Err(violation), "{bytes:?}");
    }
}

#[test]
fn no_length_is_too_large_to_be_refused_in_the_first_frame_or_a_later_one() {
    let fragment: &[u8] = &[0x01, 0x84, 0, 0, 0, 0, b'h', b'a', b'l', b'f'];
    let lengths = [
        (u64::MAX, Violation::Protocol), // the highest bit must be 0
        (u64::MAX - 3, Violation::Protocol),
        (1 << 63, Violation::Protocol),
        ((1 << 63) - 1, Violation::TooLarge),
        ((1 << 20) + 1, Violation::TooLarge),
    ];
    for (length, violation) in lengths {
        for (opcode, before) in [(0x82, &[][..]), (0x80, fragment)] {
            let mut bytes = before.to_vec();
            bytes.extend([opcode, 0xFF]);
            bytes.extend(length.to_be_bytes());
            bytes.extend([0; 4]);
            assert_eq!(heard(&bytes, &[]), Err(violation), "{length}");
        }
    }
    // The frame would fit alone, but not after the fragment.
    let mut bytes = fragment.to_vec();
    bytes.extend([0x80, 0xFF]);
    bytes.extend(((1u64 << 20) - 3).to_be_bytes());
    bytes.extend([0; 4]);
    assert_eq!(heard(&bytes, &[]), Err(Violation::TooLarge));
}

#[test]
fn a_ping_between_the_pieces_of_the_largest_message_is_none_of_them() {
    let mut bytes = vec![0x02, 0xFF];
    bytes.extend((1u64 << 20).to_be_bytes());
    bytes.extend([0; 4]);
    bytes.resize(bytes.len() + (1 << 20), 0);
    bytes.extend([0x89, 0x84, 0, 0, 0, 0, b'p', b'i', b'n', b'g']);
    bytes.extend([0x80, 0x80, 0, 0, 0, 0]);
    assert_eq!(heard(&bytes, &[]), Ok(vec![Err(vec![0; 1 << 20])]));
}

#[test]
fn after_a_pause_the_remaining_messages_follow_in_order() {
    let mut bytes = Vec::new();
    for number in 0..100 {
        let text = format!("message {number}");
        bytes.extend([0x81, 0x80 | u8::try_from(text.len()).unwrap(), 0, 0, 0, 0]);
        bytes.extend(text.as_bytes());
    }
    let begun = bytes.split_off(500);
    let (mut input, mut heard) = (Input::new(1 << 20), Vec::new());
    for mut piece in [bytes, begun] {
        let mut before = usize::MAX;
        while before != heard.len() {
            before = heard.len();
            let taken = input.take(&mut std::mem::take(&mut piece), |message| {
                heard.push(format!("{message:?}"));
                Next::Pause
            });
            assert_eq!(taken, Ok(()));
            assert!(heard.len() <= before + 1);
        }
    }
    let expected: Vec<_> = (0..100)
        .map(|number| format!("Text(\"message {number}\")"))
        .collect();
    assert_eq!(heard, expected);
}
