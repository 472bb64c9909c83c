use std::collections::BTreeMap;
use std::sync::Arc;

use model::FaultKind;
use url::Url;
use wire::http::Request;
use wire::http2::{Finished, Session};

use crate::Target;
use crate::cuts::pieces;

const BODY_LIMIT: usize = 100_000;
/// A settings frame without any settings, which allows any number of concurrent streams.
const GREETING: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];
const METHODS: [&str; 3] = ["GET", "POST", "HEAD"];

/// Parses a server's responses to three requests. The first byte chooses the cuts.
pub(crate) const ANSWERS: Target = Target {
    name: "answers",
    run: answers,
    seeds,
    words: &[
        "\x00\x00\x01\x01\x05\x00\x00\x00\x01",
        "\x00\x00\x01\x00\x01\x00\x00\x00\x01",
        "\x00\x00\x04\x03\x00\x00\x00\x00\x03\x00\x00\x00\x07",
        "\x00\x00\x08\x07\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00",
        "\x00\x00\x04\x08\x00\x00\x00\x00\x00\x7f\x7f\x7f\x7f",
        "\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x01",
        "\x0f\x0d\x011",
        "\x0f\x0b\x04gzip",
        "\x00\x00\x00\x03",
        "\x00\x00\x00\x05",
    ],
    memory: 40 << 20, // as for a response over HTTP/1.1
};

fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
    let [_, high, middle, low] = u32::try_from(payload.len()).unwrap_or(0).to_be_bytes();
    let head = [high, middle, low, kind, flags, 0, 0, 0, stream];
    [&head[..], payload].concat()
}

/// The headers use HPACK's static table (RFC 7541, Appendix A): 0x88 is `:status: 200`, 0x5c names `content-length`.
fn seeds() -> Vec<Vec<u8>> {
    let head = |stream, flags| frame(1, flags, stream, &[0x88]);
    let data = |stream, bytes: &[u8]| frame(0, 1, stream, bytes);
    let seeds = [
        vec![
            head(5, 5),
            head(3, 4),
            data(3, b"second"),
            head(1, 4),
            data(1, b"first"),
        ],
        vec![frame(1, 4, 1, &[0x88, 0x5c, 1, b'3']), data(1, b"abc")],
        vec![
            frame(1, 0, 1, &[0x88]),
            frame(9, 4, 1, &[0x5c, 1, b'0']),
            data(1, b""),
        ],
        vec![
            head(1, 4),
            frame(0, 0, 1, b"piece"),
            frame(1, 5, 1, b"\x00\x01a\x01b"),
        ],
        vec![frame(7, 0, 0, &[0, 0, 0, 1, 0, 0, 0, 0]), head(1, 5)],
        vec![
            frame(3, 0, 3, &[0, 0, 0, 7]),
            frame(6, 0, 0, b"12345678"),
            head(1, 5),
        ],
        vec![frame(4, 0, 0, &[0, 3, 0, 0, 0, 1]), head(1, 5), head(3, 5)],
        vec![
            frame(8, 0, 0, &[0, 1, 0, 0]),
            frame(1, 0x2d, 1, &[0, 0, 0, 0, 9, 0x88]),
        ],
    ];
    let cut = [0x00, 0x10, 0x7f];
    let whole = seeds.iter().map(|frames| frames.concat());
    whole
        .enumerate()
        .map(|(at, bytes)| [&[cut[at % cut.len()]], bytes.as_slice()].concat())
        .collect()
}

type Outcome = Result<(u16, Vec<u8>, Vec<u8>), FaultKind>;

fn answers(data: &[u8]) {
    let [cut, bytes @ ..] = data else {
        return;
    };
    let at_once = without_order(feed(&[bytes]));
    let in_pieces = without_order(feed(&pieces(*cut, bytes)));
    assert_eq!(at_once.len(), METHODS.len(), "each request ends");
    assert_eq!(at_once, in_pieces, "the cuts changed the outcome");
}

/// Treats a reset like a violation of the protocol. If a server sends both for one stream, the reads decide which one is
/// seen first.
fn without_order(outcomes: BTreeMap<usize, Outcome>) -> BTreeMap<usize, Outcome> {
    let kind = |kind| match kind {
        FaultKind::Reset => FaultKind::Protocol,
        other => other,
    };
    let outcomes = outcomes.into_iter();
    outcomes
        .map(|(at, outcome)| (at, outcome.map_err(kind)))
        .collect()
}

/// Returns the outcome of each request, keyed by the request's index.
fn feed(pieces: &[&[u8]]) -> BTreeMap<usize, Outcome> {
    let Ok(url) = Url::parse("http://a.test/") else {
        return BTreeMap::new();
    };
    let url = Arc::new(url);
    let Ok(mut session) = Session::new(BODY_LIMIT) else {
        return BTreeMap::new();
    };
    let mut broken = session.on_bytes(GREETING).is_err();
    let streams: Vec<_> = METHODS
        .iter()
        .filter_map(|&method| {
            session
                .send(&Request::new(method, Arc::clone(&url)), None)
                .ok()
        })
        .collect();
    for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
        broken = broken || session.on_bytes(piece).is_err();
    }
    session.on_close();
    assert!(!session.is_usable() && session.in_flight() == 0);
    let mut ends = BTreeMap::new();
    while let Some(end) = session.next_finished() {
        let place = streams.iter().position(|&stream| stream == end.stream);
        let place = place.unwrap_or(usize::MAX);
        assert!(ends.insert(place, outcome(end)).is_none(), "ended twice");
    }
    ends
}

fn outcome(end: Finished) -> Outcome {
    let whole = end.outcome.map_err(|fault| fault.kind)?;
    assert!((200..1000).contains(&whole.status));
    assert!(whole.body.len() <= BODY_LIMIT);
    Ok((whole.status, whole.headers.into_raw(), whole.body))
}
