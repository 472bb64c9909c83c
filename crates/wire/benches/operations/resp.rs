use wire::resp::{Login, Parser, Session, Signal, Value, encode_command};

use super::FRAMES;
use super::operation::Operation;

const TEXT: &str =
    r#"{"type":"message","from":4711,"text":"hc1_AAAAAQAAAAUAAAAAAAMAAATSAAAt5UKAcdBj"}"#;

fn blob(text: &str) -> String {
    format!("${}\r\n{text}\r\n", text.len())
}

pub(crate) fn operations() -> Vec<Operation> {
    vec![
        Operation::new("parse a string of Redis, 20 in one read", FRAMES, || {
            let bytes = blob(TEXT).repeat(FRAMES as usize);
            let mut parser = Parser::new(1 << 20);
            move || {
                let mut heard = 0;
                let parsed = parser.on_bytes(bytes.as_bytes(), &mut |reply| {
                    heard += u32::from(matches!(reply.value, Value::Blob(_)));
                    Ok(())
                });
                assert_eq!((parsed, heard), (Ok(()), FRAMES));
            }
        }),
        Operation::new(
            "recognise a published message of Redis, 20 in one read",
            FRAMES,
            || {
                let push = [">3\r\n", &blob("message"), &blob("rooms:17"), &blob(TEXT)].concat();
                let bytes = push.repeat(FRAMES as usize);
                let mut session = Session::begin(&Login::default(), 1 << 20, &mut Vec::new());
                move || {
                    let mut heard = 0;
                    let parsed = session.on_bytes(bytes.as_bytes(), &mut |signal| {
                        if let Signal::Push {
                            kind: "message",
                            items,
                            ..
                        } = signal
                        {
                            heard += u32::from(items.values().nth(1).is_some());
                        }
                    });
                    assert_eq!((parsed, heard), (Ok(()), FRAMES));
                }
            },
        ),
        Operation::new("encode a command of Redis", 1, || {
            let mut out = Vec::new();
            move || {
                out.clear();
                encode_command(
                    &mut out,
                    [b"SET".as_slice(), b"rooms:17:last", TEXT.as_bytes()],
                );
                out.len()
            }
        }),
    ]
}
