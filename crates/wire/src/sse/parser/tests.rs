use model::{FaultKind, Side};
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::cuts::split;

const LIMIT: usize = 1000;

/// An [`Event`] that outlives the buffer.
#[derive(Clone, Debug, PartialEq)]
enum Seen {
    Message(String, String, String),
    Retry(u64),
    Comment(String),
    Ignored(Ignored, String),
}

fn keep(event: Event<'_>) -> Seen {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    match event {
        Event::Message(Message { name, data, id }) => {
            Seen::Message(name.into(), data.into(), id.into())
        }
        Event::Retry(ms) => Seen::Retry(ms),
        Event::Comment(bytes) => Seen::Comment(text(bytes)),
        Event::Ignored {
            reason,
            text: bytes,
        } => Seen::Ignored(reason, text(bytes)),
    }
}

fn message(name: &str, data: &str, id: &str) -> Seen {
    Seen::Message(name.into(), data.into(), id.into())
}

fn feed<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Seen>, Result<(), Fault>, Parser) {
    let mut parser = Parser::new(LIMIT, "");
    let mut seen = Vec::new();
    for piece in pieces {
        let outcome = parser.on_bytes(piece, &mut |event| seen.push(keep(event)));
        if outcome.is_err() {
            return (seen, outcome, parser);
        }
    }
    (seen, Ok(()), parser)
}

#[test]
fn the_examples_of_the_standard() {
    let check = |stream: &str, expected: &[Seen]| {
        let every_byte = stream.as_bytes().chunks(1);
        for (seen, outcome, _) in [feed([stream.as_bytes()]), feed(every_byte)] {
            assert_eq!((seen.as_slice(), outcome), (expected, Ok(())), "{stream:?}");
        }
    };
    check(
        "data: This is the first message.\n\ndata: This is the second message, it\ndata: has two lines.\n\n\
         data: This is the third message.\n\n",
        &[
            message("message", "This is the first message.", ""),
            message(
                "message",
                "This is the second message, it\nhas two lines.",
                "",
            ),
            message("message", "This is the third message.", ""),
        ],
    );
    check(
        "event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\n",
        &[
            message("add", "73857293", ""),
            message("remove", "2153", ""),
        ],
    );
    check(
        "data: YHOO\ndata: +2\ndata: 10\n\n",
        &[message("message", "YHOO\n+2\n10", "")],
    );
    // The third block has a space more, and the last event has no end.
    check(
        ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\ndata: cut",
        &[
            Seen::Comment(" test stream".into()),
            message("message", "first event", "1"),
            message("message", "second event", ""),
            message("message", " third event", ""),
        ],
    );
    check(
        "data\n\ndata\ndata\n\ndata:",
        &[message("message", "", ""), message("message", "\n", "")],
    );
    check(
        "data:test\n\ndata: test\n\n",
        &[
            message("message", "test", ""),
            message("message", "test", ""),
        ],
    );
}

#[test]
fn what_has_no_effect_is_reported_with_its_reason() {
    let stream = "event: alone\nid: 5\n\nfoo: bar\nDATA: x\nretry: 1s\nretry:\nretry: 99999999999999999999\nid: a\0b\ndata: x\n\n";
    let (seen, outcome, parser) = feed([stream.as_bytes()]);
    assert_eq!(outcome, Ok(()));
    let ignored = |reason, line: &str| Seen::Ignored(reason, line.into());
    assert_eq!(
        seen,
        [
            ignored(Ignored::NoData, "alone"),
            ignored(Ignored::UnknownField, "foo: bar"),
            ignored(Ignored::UnknownField, "DATA: x"),
            ignored(Ignored::InvalidRetry, "retry: 1s"),
            ignored(Ignored::InvalidRetry, "retry:"),
            Seen::Retry(u64::MAX),
            ignored(Ignored::InvalidId, "id: a\0b"),
            message("message", "x", "5"),
        ]
    );
    assert_eq!(parser.last_event_id(), "5");
}

#[test]
fn an_id_counts_when_its_event_is_complete() {
    let mut parser = Parser::new(LIMIT, "3");
    let mut feed = |bytes: &[u8]| {
        parser.on_bytes(bytes, &mut |_| {}).unwrap();
        (parser.last_event_id().to_owned(), parser.holds_a_part())
    };
    assert_eq!(feed(b"data: x\n\n"), ("3".into(), false));
    assert_eq!(feed(b"id: 4\ndata: y\n"), ("3".into(), true));
    assert_eq!(feed(b"\n"), ("4".into(), false));
    assert_eq!(feed(b"id: 5\n\n"), ("5".into(), false));
    assert_eq!(feed(b"id:\n\n"), (String::new(), false));
}

#[test]
fn comments_are_reported_before_their_block_ends() {
    let (seen, _, parser) = feed([b":\n:".as_slice(), b"\r\n: b\n".as_slice()]);
    let comment = |text: &str| Seen::Comment(text.into());
    assert_eq!(seen, [comment(""), comment(""), comment(" b")]);
    assert!(!parser.holds_a_part());
}

#[test]
fn lines_and_events_above_the_limit_are_faults_of_the_limit() {
    let check = |stream: &str, passes: bool| {
        for pieces in [
            vec![stream.as_bytes()],
            stream.as_bytes().chunks(7).collect(),
        ] {
            let outcome = feed(pieces).1;
            assert_eq!(
                outcome.is_ok(),
                passes,
                "{outcome:?} of {} bytes",
                stream.len()
            );
            if let Err(fault) = outcome {
                assert_eq!(
                    (fault.side, fault.kind),
                    (Side::Generator, FaultKind::TooLarge)
                );
            }
        }
    };
    for end in ["", "\n", "\n\n"] {
        check(&format!("data:{}{end}", "x".repeat(LIMIT - 5)), true);
        check(&format!("data:{}{end}", "x".repeat(LIMIT - 4)), false);
        check(&format!(":{}{end}", "x".repeat(LIMIT)), false);
        check(&format!("\u{feff}:{}{end}", "x".repeat(LIMIT - 1)), true);
    }
    let half = "x".repeat(LIMIT / 2);
    check(&format!("data:{half}\ndata:{}\n\n", &half[1..]), true);
    check(&format!("data:{half}\ndata:{half}\n\n"), false);
}

#[test]
fn an_idle_stream_holds_no_buffer() {
    let large = "x".repeat(LIMIT / 3);
    let stream = format!("event: a\ndata:{large}\ndata:{large}\n\n");
    let (seen, _, parser) = feed(stream.as_bytes().chunks(100));
    assert_eq!(seen, [message("a", &format!("{large}\n{large}"), "")]);
    assert_eq!(parser.line.capacity(), 0);
    assert!(parser.pending.is_none());
}

/// The standard's algorithm, step by step on the decoded text, without care for speed.
fn by_the_book(bytes: &[u8]) -> Vec<Seen> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let (mut data, mut name, mut id) = (String::new(), String::new(), String::new());
    let mut seen = Vec::new();
    for line in text.split_inclusive('\n') {
        let Some(line) = line.strip_suffix('\n') else {
            break;
        };
        if line.is_empty() {
            if let Some(data) = data.strip_suffix('\n') {
                let name = if name.is_empty() { "message" } else { &name };
                seen.push(message(name, data, &id));
            }
            (data, name) = (String::new(), String::new());
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => data = data + value + "\n",
            "event" => name = value.into(),
            "id" if !value.contains('\0') => id = value.into(),
            "retry" if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) => {
                seen.push(Seen::Retry(value.parse().unwrap_or(u64::MAX)));
            }
            _ => {}
        }
    }
    seen
}

fn nearly_a_stream() -> impl Strategy<Value = Vec<u8>> {
    let words = [
        "data",
        "event",
        "id",
        "retry",
        ":",
        ": ",
        " ",
        "\n",
        "\n\n",
        "\r",
        "\r\n",
        "\u{feff}",
        "x",
        "12",
        "ü",
        "\0",
        "data: a\n",
        "event: b\r\n",
        "id: c\n",
    ];
    let word = prop::sample::select(words.to_vec()).prop_map(|word| word.as_bytes().to_vec());
    let piece = prop_oneof![9 => word, 1 => vec(any::<u8>(), 1..3)];
    vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn agrees_with_the_standards_algorithm(bytes in nearly_a_stream()) {
        let (seen, outcome, _) = feed([bytes.as_slice()]);
        let effects: Vec<Seen> = seen
            .into_iter()
            .filter(|seen| matches!(seen, Seen::Message(..) | Seen::Retry(_)))
            .collect();
        prop_assert_eq!((effects, outcome), (by_the_book(&bytes), Ok(())));
    }

    #[test]
    fn cuts_do_not_matter(bytes in nearly_a_stream(), cuts in vec(any::<usize>(), 0..10)) {
        let (whole, _, at_once) = feed([bytes.as_slice()]);
        for pieces in [split(&bytes, &cuts), bytes.chunks(1).collect()] {
            let (seen, outcome, parser) = feed(pieces);
            prop_assert_eq!((&seen, outcome), (&whole, Ok(())));
            prop_assert_eq!(parser.last_event_id(), at_once.last_event_id());
            prop_assert_eq!(parser.holds_a_part(), at_once.holds_a_part());
        }
    }
}
