use model::FaultKind;
use proptest::collection::vec;
use proptest::prelude::*;
use tungstenite::protocol::frame::coding::{CloseCode, Data, OpCode};
use tungstenite::protocol::frame::{CloseFrame, Frame};

use super::super::encode;
use super::*;
use crate::cuts::split;

const LIMIT: usize = 200_000;

/// An [`Event`] that outlives the buffer.
#[derive(Clone, Debug, PartialEq)]
enum Seen {
    Text(String),
    Binary(Vec<u8>),
    Ping(Vec<u8>),
    Pong(Vec<u8>),
    Close(Option<u16>, String),
}

fn keep(event: Event<'_>) -> Seen {
    match event {
        Event::Open { .. } => unreachable!("frames open nothing"),
        Event::Text(text) => Seen::Text(text.into()),
        Event::Binary(bytes) => Seen::Binary(bytes.into()),
        Event::Ping(bytes) => Seen::Ping(bytes.into()),
        Event::Pong(bytes) => Seen::Pong(bytes.into()),
        Event::Close { code, reason } => Seen::Close(code, reason.into()),
    }
}

fn feed(pieces: &[&[u8]]) -> (Vec<Seen>, Result<(), Breach>, FrameParser) {
    let mut parser = FrameParser::new(LIMIT);
    let mut seen = Vec::new();
    for piece in pieces {
        let outcome = parser.on_bytes(piece, &mut |event| seen.push(keep(event)));
        if outcome.is_err() {
            return (seen, outcome, parser);
        }
    }
    (seen, Ok(()), parser)
}

/// A server's frames as tungstenite writes them.
fn frames_of(seen: &Seen, cuts: &[usize]) -> Vec<Frame> {
    let (data, bytes) = match seen {
        Seen::Text(text) => (Data::Text, text.as_bytes()),
        Seen::Binary(bytes) => (Data::Binary, bytes.as_slice()),
        Seen::Ping(bytes) => return vec![Frame::ping(bytes.clone())],
        Seen::Pong(bytes) => return vec![Frame::pong(bytes.clone())],
        Seen::Close(code, reason) => {
            let code = code.map(CloseCode::from);
            let frame = code.map(|code| CloseFrame {
                code,
                reason: reason.clone().into(),
            });
            return vec![Frame::close(frame)];
        }
    };
    let pieces = split(bytes, cuts);
    let last = pieces.len() - 1;
    let frame = |(at, piece): (usize, &&[u8])| {
        let opcode = if at == 0 { data } else { Data::Continue };
        Frame::message(piece.to_vec(), OpCode::Data(opcode), at == last)
    };
    pieces.iter().enumerate().map(frame).collect()
}

fn written(frames: Vec<Frame>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for frame in frames {
        frame.format(&mut bytes).unwrap();
    }
    bytes
}

#[test]
fn what_the_standard_forbids_is_answered_with_its_code() {
    let check = |bytes: &[u8], code: u16, words: &str| {
        for pieces in [vec![bytes], bytes.chunks(1).collect()] {
            let breach = feed(&pieces).1.unwrap_err();
            assert_eq!(breach.code, code, "{bytes:?}: {}", breach.fault);
            assert!(breach.fault.detail.contains(words), "{}", breach.fault);
        }
    };
    check(&[0xc1, 0], 1002, "reserved bit");
    check(&[0x83, 0], 1002, "unknown opcode 3");
    check(&[0x8b, 0], 1002, "unknown opcode 11");
    check(&[0x81, 0x80, 0, 0, 0, 0], 1002, "masked");
    check(&[0x89, 126, 0, 126], 1002, "longer than 125");
    check(&[0x09, 0], 1002, "fragmented");
    check(&[0x82, 126, 0, 125], 1002, "shortest form");
    check(
        &[0x82, 127, 0, 0, 0, 0, 0, 0, 0xff, 0xff],
        1002,
        "shortest form",
    );
    check(&[0x80, 0], 1002, "continuation frame without a message");
    check(&[0x01, 0, 0x81, 0], 1002, "inside a fragmented message");
    check(&[0x88, 1, 3], 1002, "one-byte code");
    for code in [0_u16, 999, 1004, 1005, 1006, 1015, 2999, 5000] {
        let [high, low] = code.to_be_bytes();
        check(&[0x88, 2, high, low], 1002, "may not be sent");
    }
    check(&[0x81, 1, 0xff], 1007, "not UTF-8");
    check(&[0x88, 3, 3, 0xe8, 0xff], 1007, "close reason");
    check(&[0x01, 1, 0xc3, 0x80, 1, 0x28], 1007, "not UTF-8");
    check(&[0x82, 127, 0, 0, 0, 0, 0, 4, 0, 0], 1009, "larger than");
    check(
        &[0x82, 127, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
        1009,
        "larger than",
    );
}

#[test]
fn a_message_may_not_grow_past_the_limit_by_fragments() {
    let piece = Frame::message(vec![0; LIMIT / 2 + 1], OpCode::Data(Data::Binary), false);
    let more = Frame::message(vec![0; LIMIT / 2 + 1], OpCode::Data(Data::Continue), true);
    let breach = feed(&[&written(vec![piece, more])]).1.unwrap_err();
    assert_eq!(
        (breach.code, breach.fault.kind),
        (1009, FaultKind::TooLarge)
    );
}

#[test]
fn a_character_may_be_cut_by_fragments() {
    let bytes = [0x01, 1, 0xc3, 0x89, 0, 0x80, 1, 0xbc];
    let (seen, outcome, _) = feed(&[&bytes]);
    assert_eq!(outcome, Ok(()));
    assert_eq!(seen, [Seen::Ping(vec![]), Seen::Text("ü".into())]);
}

#[test]
fn nothing_after_a_close_frame_is_read() {
    let bytes = [0x88, 2, 3, 0xe8, 0x81, 1, b'x', 0xff];
    let (seen, outcome, parser) = feed(&[&bytes, b"more"]);
    assert_eq!(outcome, Ok(()));
    assert_eq!(seen, [Seen::Close(Some(1000), String::new())]);
    assert!(parser.held.is_empty());
}

#[test]
fn memory_goes_back_after_a_large_message() {
    let large = Frame::message(vec![7; 100_000], OpCode::Data(Data::Binary), true);
    let bytes = written(vec![large]);
    let (seen, _, parser) = feed(&split(&bytes, &[1, 5, 70_000]));
    assert_eq!(seen, [Seen::Binary(vec![7; 100_000])]);
    assert_eq!(parser.held.capacity(), 0);
    assert!(parser.fragments.is_none());
}

#[test]
fn a_long_close_reason_is_cut_at_a_character() {
    let reason = "ü".repeat(100);
    let mut ours = Vec::new();
    encode::encode_close(&mut ours, Some(3000), &reason, [1, 2, 3, 4]);
    assert_eq!(unmasked(&ours), Seen::Close(Some(3000), "ü".repeat(61)));
}

/// A client's frame as tungstenite reads it.
fn unmasked(bytes: &[u8]) -> Seen {
    let mut socket = tungstenite::protocol::WebSocket::from_raw_socket(
        std::io::Cursor::new(bytes.to_vec()),
        tungstenite::protocol::Role::Server,
        None,
    );
    match socket.read().unwrap() {
        tungstenite::Message::Text(text) => Seen::Text(text.as_str().into()),
        tungstenite::Message::Binary(bytes) => Seen::Binary(bytes.to_vec()),
        tungstenite::Message::Ping(bytes) => Seen::Ping(bytes.to_vec()),
        tungstenite::Message::Pong(bytes) => Seen::Pong(bytes.to_vec()),
        tungstenite::Message::Close(frame) => {
            let code = frame.as_ref().map(|frame| u16::from(frame.code));
            let reason = frame.map(|frame| frame.reason.as_str().to_owned());
            Seen::Close(code, reason.unwrap_or_default())
        }
        tungstenite::Message::Frame(_) => unreachable!("raw frames are never read"),
    }
}

fn message() -> impl Strategy<Value = Seen> {
    let bytes = |most| vec(any::<u8>(), 0..most);
    prop_oneof![
        4 => "\\PC{0,80}".prop_map(Seen::Text),
        2 => bytes(400).prop_map(Seen::Binary),
        1 => (65_000_usize..66_000).prop_map(|size| Seen::Binary(vec![9; size])),
        1 => bytes(126).prop_map(Seen::Ping),
        1 => bytes(126).prop_map(Seen::Pong),
    ]
}

proptest! {
    #[test]
    fn any_cut_of_anothers_frames_gives_the_same_messages(
        sent in vec((message(), vec(any::<usize>(), 0..3)), 0..8),
        code in prop::option::of(3000_u16..5000),
        cuts in vec(any::<usize>(), 0..10),
    ) {
        let mut expected: Vec<Seen> = sent.iter().map(|(seen, _)| seen.clone()).collect();
        let mut frames: Vec<Frame> =
            sent.iter().flat_map(|(seen, cuts)| frames_of(seen, cuts)).collect();
        let close = Seen::Close(code, code.map_or(String::new(), |_| "bye".into()));
        frames.extend(frames_of(&close, &[]));
        expected.push(close);
        let bytes = written(frames);
        for pieces in [vec![bytes.as_slice()], split(&bytes, &cuts), bytes.chunks(7).collect()] {
            let (seen, outcome, parser) = feed(&pieces);
            prop_assert_eq!(outcome, Ok(()));
            prop_assert_eq!(&seen, &expected);
            prop_assert_eq!(parser.held.capacity(), 0);
        }
    }

    #[test]
    fn another_reads_what_we_write(seen in message(), mask in any::<[u8; 4]>()) {
        let mut ours = Vec::new();
        match &seen {
            Seen::Text(text) => encode::encode_text(&mut ours, text, mask),
            Seen::Binary(bytes) => encode::encode_binary(&mut ours, bytes, mask),
            Seen::Ping(bytes) => encode::encode_ping(&mut ours, bytes, mask),
            Seen::Pong(bytes) => encode::encode_pong(&mut ours, bytes, mask),
            Seen::Close(code, reason) => encode::encode_close(&mut ours, *code, reason, mask),
        }
        prop_assert_eq!(unmasked(&ours), seen);
    }

    #[test]
    fn random_bytes_never_panic_and_cuts_do_not_matter(
        bytes in vec(prop_oneof![3 => Just(0x81_u8), 2 => 0_u8..6, 1 => any::<u8>()], 0..100),
        cuts in vec(any::<usize>(), 0..8),
    ) {
        let (seen, outcome, _) = feed(&[&bytes]);
        let (seen_cut, outcome_cut, _) = feed(&split(&bytes, &cuts));
        prop_assert_eq!(seen, seen_cut);
        prop_assert_eq!(outcome, outcome_cut);
    }
}
