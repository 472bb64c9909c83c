use url::Url;
use wire::websocket::{Event, FrameParser, Handshake};

use crate::cuts::pieces;
use crate::{Target, bytes_of};

const MESSAGE_LIMIT: usize = 100_000;

/// Parses WebSocket frames. The first byte chooses the cuts.
pub(crate) const FRAMES: Target = Target {
    name: "frames",
    run: frames,
    seeds: || {
        [
            &b"\x05\x81\x05hello\x82\x03\x00\x01\x02"[..],
            b"\x70\x01\x03abc\x89\x02hi\x00\x02de\x80\x01f\x8a\x00",
            b"\x20\x81\x7e\x00\x80",
            b"\x20\x82\x7f\x00\x00\x00\x00\x00\x01\x00\x00",
            b"\x01\x88\x05\x03\xe8bye",
            "\u{1}\u{1}\u{2}\u{d}\u{c3}".as_bytes(),
        ]
        .iter()
        .map(|seed| seed.to_vec())
        .collect()
    },
    words: &[
        "\u{0}",
        "\u{1}",
        "\u{2}",
        "\u{7e}",
        "\u{7f}",
        "ä",
        "€",
        "\u{10348}",
    ],
    memory: 4 << 20,
};

#[derive(Debug, PartialEq)]
enum Seen {
    Text(String),
    Binary(Vec<u8>),
    Ping(Vec<u8>),
    Pong(Vec<u8>),
    Close(Option<u16>, String),
}

fn frames(data: &[u8]) {
    let [cut, bytes @ ..] = data else { return };
    let at_once = feed(&[bytes]);
    assert_eq!(
        at_once,
        feed(&pieces(*cut, bytes)),
        "the cuts changed the outcome"
    );
    let (seen, _) = at_once;
    let carried: usize = seen.iter().map(size).sum();
    assert!(carried <= bytes.len(), "more was handed out than came");
    let closes = seen
        .iter()
        .filter(|event| matches!(event, Seen::Close(..)))
        .count();
    assert!(closes <= 1, "nothing comes behind a close");
}

fn feed(pieces: &[&[u8]]) -> (Vec<Seen>, Option<u16>) {
    let mut parser = FrameParser::new(MESSAGE_LIMIT);
    let mut seen = Vec::new();
    for piece in pieces {
        let outcome = parser.on_bytes(piece, &mut |event| {
            seen.extend(match event {
                Event::Open { .. } => None,
                Event::Text(text) => Some(Seen::Text(text.into())),
                Event::Binary(bytes) => Some(Seen::Binary(bytes.into())),
                Event::Ping(bytes) => Some(Seen::Ping(bytes.into())),
                Event::Pong(bytes) => Some(Seen::Pong(bytes.into())),
                Event::Close { code, reason } => Some(Seen::Close(code, reason.into())),
            });
        });
        if let Err(breach) = outcome {
            return (seen, Some(breach.code));
        }
    }
    (seen, None)
}

fn size(event: &Seen) -> usize {
    match event {
        Seen::Text(text) | Seen::Close(_, text) => text.len(),
        Seen::Binary(bytes) | Seen::Ping(bytes) | Seen::Pong(bytes) => bytes.len(),
    }
}

/// Checks the server's response to the opening request.
pub(crate) const HANDSHAKE: Target = Target {
    name: "handshake",
    run: handshake,
    seeds: || {
        bytes_of(&[
            // The expected response to a key of sixteen zero bytes, computed with another program.
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                Sec-WebSocket-Accept: ICX+Yqv66kxgM0FcWaLWlFLwTAI=\r\nSec-WebSocket-Protocol: chat\r\n\r\n\u{1}",
            "HTTP/1.1 403 Forbidden\r\nContent-Length: 4\r\n\r\nno!\n",
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c, websocket\r\nConnection: keep-alive, upgrade\r\n\r\n",
        ])
    },
    words: &[
        "\r\n",
        "\r\n\r\n",
        "Upgrade: websocket\r\n",
        "Sec-WebSocket-Extensions: x\r\n",
        "101",
        "chat",
        ", ",
        "Sec-WebSocket-Protocol: ",
    ],
    memory: 1 << 20,
};

fn handshake(data: &[u8]) {
    let Ok(url) = Url::parse("ws://a.test/chat") else {
        return;
    };
    let Ok(handshake) = Handshake::new(&url, &["chat".to_owned()], &[], [0; 16]) else {
        return;
    };
    let whole = handshake.check(data);
    if let Ok(Some((size, protocol))) = &whole {
        assert!(*size <= data.len());
        assert!(protocol.is_none_or(|name| name == "chat"));
    }
    // A decision about a prefix must not change when more data arrives, and no prefix of an invalid response is
    // accepted.
    for end in (0..data.len()).step_by(1 + data.len() / 16) {
        match (handshake.check(&data[..end]), &whole) {
            (Ok(Some(part)), Ok(Some(whole))) => assert_eq!(part, *whole),
            (Ok(None), _) | (Err(_), Err(_)) => {}
            (part, whole) => panic!("{part:?} of {end} bytes, but {whole:?} of all"),
        }
    }
}
