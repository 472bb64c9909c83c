use wire::sse::{Event, Parser};

use super::FRAMES;
use super::operation::Operation;

pub(crate) fn operations() -> Vec<Operation> {
    vec![Operation::new(
        "parse a server-sent event, 20 in one read",
        FRAMES,
        || {
            let event = "event: message\nid: 4711\n\
            data: {\"type\":\"message\",\"from\":4711,\"text\":\"hc1_AAAAAQAAAAUAAAAAAAMAAATSAAAt5UKAcdBj\"}\n\n";
            let bytes = event.repeat(FRAMES as usize);
            let mut parser = Parser::new(1 << 20, "");
            move || {
                let mut heard = 0;
                let parsed = parser.on_bytes(bytes.as_bytes(), &mut |event| {
                    heard += u32::from(matches!(event, Event::Message(_)));
                });
                assert_eq!((parsed, heard), (Ok(()), FRAMES));
            }
        },
    )]
}
