use wire::nats::{Frame, Parser, encode_publish};

use super::FRAMES;
use super::operation::Operation;

const PAYLOAD: &str =
    r#"{"type":"message","from":4711,"text":"hc1_AAAAAQAAAAUAAAAAAAMAAATSAAAt5UKAcdBj"}"#;
const HEADERS: &str = "NATS/1.0\r\nNats-Msg-Id: 4711\r\nTraceparent: 00-4bf92f3577b34da6\r\n\r\n";

fn parsed(name: &'static str, headers: &'static str) -> Operation {
    Operation::new(name, FRAMES, move || {
        let size = headers.len() + PAYLOAD.len();
        let line = match headers.len() {
            0 => format!("MSG rooms.17.messages 42 {size}\r\n"),
            headers => format!("HMSG rooms.17.messages 42 {headers} {size}\r\n"),
        };
        let bytes = [&line, headers, PAYLOAD, "\r\n"]
            .concat()
            .repeat(FRAMES as usize);
        let mut parser = Parser::new(1 << 20);
        move || {
            let mut heard = 0;
            let parsed = parser.on_bytes(bytes.as_bytes(), &mut |frame| {
                heard += u32::from(matches!(frame, Frame::Message(message) if message.sid == 42));
                Ok(())
            });
            assert_eq!((parsed, heard), (Ok(()), FRAMES));
        }
    })
}

pub(crate) fn operations() -> Vec<Operation> {
    vec![
        parsed("parse a message of NATS, 20 in one read", ""),
        parsed(
            "parse a message of NATS with two headers, 20 in one read",
            HEADERS,
        ),
        Operation::new("encode a message of NATS", 1, || {
            let mut out = Vec::new();
            move || {
                out.clear();
                let done =
                    encode_publish(&mut out, "rooms.17.messages", None, &[], PAYLOAD.as_bytes());
                assert_eq!(done, Ok(()));
            }
        }),
    ]
}
