//! Cost of the codecs without a socket: HTTP/1.1 requests and responses, WebSocket frames in both directions,
//! server-sent events, and messages of NATS and Redis.

use std::sync::Arc;

use operation::Operation;
use wire::http::{Body, Parser, Request};
use wire::socketio::{Session, Signal};
use wire::websocket::{FrameParser, encode_binary, encode_text};

#[path = "operations/nats.rs"]
mod nats;
#[path = "../../../bench/operation.rs"]
mod operation;
#[path = "operations/resp.rs"]
mod resp;
#[path = "operations/sse.rs"]
mod sse;

const BODY_LIMIT: usize = 1024 * 1024;
/// Number of bytes per read when a large response arrives.
const READ: usize = 16 * 1024;
/// Frames in one read.
const FRAMES: u32 = 20;
const MASK: [u8; 4] = [0x9e, 0x37, 0x79, 0xb9];

/// A response with a body of this size, as nginx sends it.
fn answer(body: usize) -> Vec<u8> {
    let mut bytes = format!(
        "HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Sat, 21 Nov 2026 08:00:00 GMT\r\n\
         Content-Type: application/octet-stream\r\nContent-Length: {body}\r\nConnection: keep-alive\r\n\r\n"
    )
    .into_bytes();
    bytes.resize(bytes.len() + body, b'x');
    bytes
}

fn parsed(name: &'static str, body: usize, discards: bool) -> Operation {
    Operation::new(name, 1, move || {
        let bytes = answer(body);
        let mut parser = Parser::new(BODY_LIMIT);
        if discards {
            parser.discard();
        }
        move || {
            parser.expect(false);
            let mut answers = bytes.chunks(READ).map(|read| parser.on_bytes(read));
            let size = answers.find_map(|answer| answer.ok().flatten().map(|whole| whole.size));
            assert_eq!(size, Some(bytes.len()));
        }
    })
}

fn get() -> Option<Request> {
    let url = "http://127.0.0.1:8080/rooms/17/messages?after=42"
        .parse()
        .ok()?;
    Some(Request::new("GET", Arc::new(url)))
}

fn post() -> Option<Request> {
    let own = [
        ("Authorization", "Bearer 0123456789abcdef"),
        ("X-Trace", "7"),
    ];
    let json = r#"{"room":17,"text":"hello, is anybody here?"}"#;
    Some(Request {
        method: "POST".into(),
        headers: own.map(|(name, value)| (name.into(), value.into())).into(),
        body: Body::json(json),
        ..get()?
    })
}

fn encoded(name: &'static str, request: fn() -> Option<Request>) -> Operation {
    Operation::new(name, 1, move || {
        let request = request();
        let mut out = Vec::new();
        move || {
            out.clear();
            let done = request
                .as_ref()
                .map(|request| request.encode_into(None, &mut out));
            assert_eq!(done, Some(Ok(())));
        }
    })
}

/// Unmasked text frames of a server that arrive in one read.
fn frames() -> Vec<u8> {
    let text =
        r#"{"type":"message","from":4711,"text":"hc1_AAAAAQAAAAUAAAAAAAMAAATSAAAt5UKAcdBj"}"#;
    let length = u8::try_from(text.len()).unwrap_or(0);
    let frame = [&[0x81, length], text.as_bytes()].concat();
    frame.repeat(FRAMES as usize)
}

fn main() {
    let mut operations = vec![
        parsed("parse an answer of 2 bytes", 2, false),
        parsed("parse an answer of 2 bytes that nobody looks at", 2, true),
        parsed("parse an answer of 64 KB", 64 * 1024, false),
        parsed(
            "parse an answer of 64 KB that nobody looks at",
            64 * 1024,
            true,
        ),
        encoded("encode a GET", get),
        encoded("encode a POST with JSON and two headers", post),
        Operation::new("parse a frame, 20 in one read", FRAMES, || {
            let bytes = frames();
            let mut parser = FrameParser::default();
            move || {
                let mut heard = 0;
                let parsed = parser.on_bytes(&bytes, &mut |_| heard += 1);
                assert_eq!((parsed, heard), (Ok(()), FRAMES));
            }
        }),
        Operation::new("recognise an event of Socket.IO", 1, || {
            let open = r#"0{"sid":"a","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#;
            let event = r#"42["code-change",{"code":"hc1_AAAAAQAAAAUAAAAAAAMAAATSAAAt5UKAcdBj"}]"#;
            let mut session = Session::new("/".to_owned(), None, 1 << 20);
            for text in [open, "40"] {
                assert_eq!(session.on_text(text, &mut |_| {}), Ok(()));
            }
            move || {
                let mut heard = 0;
                let taken = session.on_text(event, &mut |signal| {
                    if let Signal::Event { event, .. } = signal
                        && event.is("code-change")
                    {
                        heard = event.arguments.len();
                    }
                });
                assert_eq!((taken, heard), (Ok(()), 51));
            }
        }),
        Operation::new("encode a masked frame of 82 bytes", 1, || {
            let text = "m".repeat(82);
            let mut out = Vec::new();
            move || {
                out.clear();
                encode_text(&mut out, &text, MASK);
                out.len()
            }
        }),
        Operation::new("encode a masked frame of 16 KB", 1, || {
            let bytes = vec![7; 16 * 1024];
            let mut out = Vec::new();
            move || {
                out.clear();
                encode_binary(&mut out, &bytes, MASK);
                out.len()
            }
        }),
    ];
    operations.extend(sse::operations());
    operations.extend(nats::operations());
    operations.extend(resp::operations());
    operation::run("wire", operations);
}
