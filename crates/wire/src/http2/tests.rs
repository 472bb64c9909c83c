use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use url::Url;

use super::{Content, Session};
use crate::http::Request;

/// An empty SETTINGS frame: the peer allows any number of streams.
const GREETING: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
const BODY_LIMIT: usize = 10_000;

fn request() -> Request {
    Request::new("GET", Arc::new(Url::parse("http://a.test/").unwrap()))
}

fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
    let size = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let head = [size[1], size[2], size[3], kind, flags, 0, 0, 0, stream];
    [&head[..], payload].concat()
}

/// Nearly valid frames, on streams that exist or not, with a valid HPACK block or other bytes.
fn frames() -> impl Strategy<Value = Vec<u8>> {
    let payload = prop_oneof![
        Just(vec![0x88]),
        Just(vec![0x88, 0x5c, 0x01, b'3']), // content-length: 3
        vec(any::<u8>(), 0..20),
        vec(any::<u8>(), 4..5),
        vec(0..9_u8, 8..9),
    ];
    let one = (0..12_u8, any::<u8>(), 0..8_u8, payload)
        .prop_map(|(kind, flags, stream, payload)| frame(kind, flags, stream, &payload));
    vec(one, 1..20).prop_map(|frames| frames.concat())
}

/// Sends three requests, receives `pieces` and the end of data. Every request must finish exactly
/// once.
fn check(pieces: &[&[u8]]) {
    let mut session = Session::new(BODY_LIMIT).unwrap();
    session.on_bytes(&GREETING).unwrap();
    let mut open: BTreeSet<_> = (0..3)
        .map(|_| session.send(&request(), None).unwrap())
        .collect();
    let in_parts = *open.first().unwrap();
    session.pass_parts(in_parts);
    for piece in pieces {
        if session.on_bytes(piece).is_err() {
            break;
        }
    }
    session.on_close();
    let mut heads = 0;
    while let Some(part) = session.next_part() {
        assert_eq!(part.stream, in_parts);
        heads += u32::from(matches!(part.content, Content::Head { .. }));
        assert_eq!(heads, 1, "the head comes once, and first");
    }
    while let Some(end) = session.next_finished() {
        assert!(open.remove(&end.stream), "{end:?} a second time");
        if end.stream == in_parts {
            assert!(end.outcome.is_err() || heads == 1);
        } else if let Ok(response) = end.outcome {
            assert!(response.body.len() <= BODY_LIMIT && response.status >= 200);
        }
    }
    assert!(open.is_empty(), "{open:?} never ended");
    assert!(!session.is_usable() && session.may_send() == 0);
}

proptest! {
    #[test]
    fn whatever_bytes_come_every_request_ends_once(
        bytes in vec(any::<u8>(), 0..300),
        cut in 1..300_usize,
    ) {
        check(&bytes.chunks(cut).collect::<Vec<_>>());
    }

    #[test]
    fn whatever_frames_come_every_request_ends_once(bytes in frames(), cut in 1..100_usize) {
        check(&bytes.chunks(cut).collect::<Vec<_>>());
    }

    #[test]
    fn a_first_byte_of_anything_never_panics(bytes in vec(any::<u8>(), 0..50)) {
        let mut session = Session::new(BODY_LIMIT).unwrap();
        for byte in bytes {
            let _ = session.on_bytes(&[byte]);
        }
    }
}

#[test]
fn the_preface_leaves_with_the_first_request_and_no_byte_before() {
    let mut session = Session::new(BODY_LIMIT).unwrap();
    let stream = session.send(&request(), None).unwrap();
    assert!(!session.has_begun(stream));
    let mut sent = Vec::new();
    let count = session.take_output(|bytes| {
        sent.extend_from_slice(bytes);
        Ok(())
    });
    assert!(sent.starts_with(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
    assert_eq!(count.unwrap(), sent.len() as u64);
    assert_eq!(
        session.take_output(|_| panic!("nothing is left")).unwrap(),
        0
    );
}

#[test]
fn what_http_2_cannot_carry_is_the_scripts_fault_and_costs_nothing() {
    let mut session = Session::new(BODY_LIMIT).unwrap();
    for (name, value) in [
        ("a b", "c"),
        ("a", "b\nc"),
        ("a", "\u{1}"),
        ("Transfer-Encoding", "chunked"),
    ] {
        let mut asked = request();
        asked.headers.push((name.into(), value.into()));
        let fault = session.send(&asked, None).unwrap_err();
        assert_eq!(fault.side, model::Side::Script, "{fault}");
    }
    assert!(session.is_usable() && session.may_send() == 1 && session.in_flight() == 0);
    session.send(&request(), None).unwrap();
}
