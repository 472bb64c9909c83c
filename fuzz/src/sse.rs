use wire::sse::{Event, Parser};

use crate::Target;
use crate::cuts::pieces;

const LIMIT: usize = 1000;

/// Parses a stream of server-sent events. The first byte chooses the cuts.
pub(crate) const EVENTS: Target = Target {
    name: "events",
    run: events,
    seeds: || {
        [
            &b"\x05data: first\nid: 1\n\ndata:second\ndata: line\nid\n\n: comment\n\ndata: cut"[..],
            b"\x70\xef\xbb\xbfevent: add\r\ndata: 73857293\r\n\r\nevent: alone\r\n\r\nretry: 100\r\n",
            b"\x20data\r\rdata\r\ndata\n\nid: a\0b\nretry: x\nfoo\n:\n",
            b"\x01data: \xc3\n\ndata: \xff\xfe\n\n",
        ]
        .map(<[u8]>::to_vec)
        .into()
    },
    words: &[
        "data", "event", "id", "retry", ":", ": ", "\n", "\n\n", "\r", "\r\n", "\u{feff}", "\0",
    ],
    memory: 1 << 20,
};

fn events(data: &[u8]) {
    let [cut, bytes @ ..] = data else { return };
    let at_once = feed(&[bytes]);
    let in_pieces = feed(&pieces(*cut, bytes));
    assert_eq!(at_once, in_pieces, "the cuts changed the outcome");
}

/// Returns the events as text, the last id, and whether the stream is within the limit.
fn feed(pieces: &[&[u8]]) -> (Vec<String>, String, bool) {
    let mut parser = Parser::new(LIMIT, "");
    let mut seen = Vec::new();
    for piece in pieces {
        let parsed = parser.on_bytes(piece, &mut |event| {
            match event {
                Event::Message(message) => {
                    assert!(!message.name.is_empty() && !message.name.contains(['\r', '\n']));
                    // An invalid byte becomes a character of three.
                    assert!(message.data.len() <= 3 * LIMIT && !message.data.contains('\r'));
                    assert!(!message.id.contains(['\r', '\n', '\0']));
                }
                Event::Comment(text) | Event::Ignored { text, .. } => assert!(text.len() <= LIMIT),
                Event::Retry(_) => {}
            }
            seen.push(format!("{event:?}"));
        });
        if parsed.is_err() {
            return (seen, String::new(), false);
        }
    }
    (seen, parser.last_event_id().to_owned(), true)
}
