use model::{FaultKind, Side};
use proptest::collection::vec;
use proptest::prelude::*;

use super::super::encode;
use super::*;
use crate::cuts::{self, split};

const LIMIT: usize = 2000;

/// A [`Frame`] that outlives the buffer.
#[derive(Clone, Debug, PartialEq)]
enum Seen {
    Info(String),
    Message(Published),
    Ping,
    Pong,
    Ok,
    Err(String),
}

#[derive(Clone, Debug, PartialEq)]
struct Published {
    subject: String,
    sid: u64,
    reply: Option<String>,
    headers: Vec<(String, String)>,
    payload: Vec<u8>,
}

fn keep(frame: Frame<'_>) -> Seen {
    match frame {
        Frame::Info(json) => Seen::Info(json.into()),
        Frame::Message(message) => Seen::Message(Published {
            subject: message.subject.into(),
            sid: message.sid,
            reply: message.reply.map(str::to_owned),
            headers: message
                .headers
                .iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            payload: message.payload.into(),
        }),
        Frame::Ping => Seen::Ping,
        Frame::Pong => Seen::Pong,
        Frame::Ok => Seen::Ok,
        Frame::Err(text) => Seen::Err(text.into()),
    }
}

fn feed<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Seen>, Result<(), Fault>, Parser) {
    let mut parser = Parser::new(LIMIT);
    let (seen, outcome) = cuts::feed(pieces, |piece, seen| {
        parser.on_bytes(piece, &mut |frame: Frame<'_>| {
            seen.push(keep(frame));
            Ok(())
        })
    });
    (seen, outcome, parser)
}

fn message(subject: &str, sid: u64, reply: Option<&str>, payload: &[u8]) -> Published {
    Published {
        subject: subject.into(),
        sid,
        reply: reply.map(str::to_owned),
        headers: Vec::new(),
        payload: payload.into(),
    }
}

#[test]
fn the_examples_of_the_documentation() {
    let check = |bytes: &str, expected: &[Seen]| {
        for (seen, outcome, _) in [feed([bytes.as_bytes()]), feed(bytes.as_bytes().chunks(1))] {
            assert_eq!((seen.as_slice(), outcome), (expected, Ok(())), "{bytes:?}");
        }
    };
    let plain = |reply| Seen::Message(message("FOO.BAR", 9, reply, b"Hello World"));
    check("MSG FOO.BAR 9 11\r\nHello World\r\n", &[plain(None)]);
    check(
        "msg\tFOO.BAR  9\tGREETING.34 11 \r\nHello World\r\n",
        &[plain(Some("GREETING.34"))],
    );
    check(
        "MSG NOTIFY 1 0\r\n\r\n",
        &[Seen::Message(message("NOTIFY", 1, None, b""))],
    );
    let with_headers = |reply: Option<&str>, headers: &[(&str, &str)], payload: &str| {
        let headers = headers
            .iter()
            .map(|&(name, value)| (name.into(), value.into()));
        Seen::Message(Published {
            headers: headers.collect(),
            ..message("FOO.BAR", 9, reply, payload.as_bytes())
        })
    };
    check(
        "HMSG FOO.BAR 9 34 45\r\nNATS/1.0\r\nFoodGroup: vegetable\r\n\r\nHello World\r\n",
        &[with_headers(
            None,
            &[("FoodGroup", "vegetable")],
            "Hello World",
        )],
    );
    check(
        "HMSG FOO.BAR 9 BAZ.69 34 45\r\nNATS/1.0\r\nFoodGroup: vegetable\r\n\r\nHello World\r\n",
        &[with_headers(
            Some("BAZ.69"),
            &[("FoodGroup", "vegetable")],
            "Hello World",
        )],
    );
    check(
        "HMSG FOO.BAR 9 45 45\r\nNATS/1.0\r\nBREAKFAST: donut\r\nLUNCH: burger\r\n\r\n\r\n",
        &[with_headers(
            None,
            &[("BREAKFAST", "donut"), ("LUNCH", "burger")],
            "",
        )],
    );
    check(
        "INFO {\"server_id\":\"a\"} \r\nPING\r\npong\r\n+OK\r\n-ERR 'Unknown Protocol Operation'\r\n-err bare\r\n",
        &[
            Seen::Info(r#"{"server_id":"a"}"#.into()),
            Seen::Ping,
            Seen::Pong,
            Seen::Ok,
            Seen::Err("Unknown Protocol Operation".into()),
            Seen::Err("bare".into()),
        ],
    );
}

#[test]
fn lines_that_no_server_sends_are_faults_of_the_target() {
    let check = |bytes: &str, kind: FaultKind, words: &str| {
        for (seen, outcome, _) in [feed([bytes.as_bytes()]), feed(bytes.as_bytes().chunks(1))] {
            let fault = outcome.expect_err(bytes);
            assert_eq!((fault.kind, seen), (kind, vec![]), "{bytes:?}: {fault}");
            assert!(fault.detail.contains(words), "{fault}");
        }
    };
    for line in [
        "",
        "HTTP/1.1 400 Bad Request",
        "MSG",
        "MSG a 1",
        "MSG a b c d e",
        "MSG a x 1",
        "MSG a 1 x",
        "MSG a 1 -1",
        "MSG a 1 r 1 1",
        "HMSG a 1 5",
        "HMSG a 1 6 5",
        "HMSG a 1 r x 5",
        "HMSG a 1 r 1 5 5",
        "PING 1",
        "PINGS",
        "PUB a 1",
        "MSG a 1 99999999999999999999",
        "MSG a 1 18446744073709551615",
        "+OKAY",
        "INF {}",
    ] {
        check(
            &format!("{line}\r\n"),
            FaultKind::Protocol,
            "is not a line of a NATS server",
        );
    }
    check("PING\n", FaultKind::Protocol, "is not a line");
    check("MSG a 1 1\r\nxy\r\n", FaultKind::Protocol, "longer than");
    check("MSG a 1 1\r\nx\n\r\n", FaultKind::Protocol, "longer than");
    check("HMSG a 1 4 4\r\nabcd\r\n", FaultKind::Protocol, "headers");
    for (bytes, words) in [
        (b"MSG \xff 1 0\r\n\r\n".as_slice(), "subject"),
        (b"INFO \xff\r\n", "INFO"),
    ] {
        assert!(feed([bytes]).1.unwrap_err().detail.contains(words));
    }
}

#[test]
fn a_message_above_the_limit_is_refused_before_it_arrives() {
    let announced = |size: usize| feed([format!("MSG a 1 {size}\r\n").as_bytes()]).1;
    assert_eq!(announced(LIMIT), Ok(()));
    let fault = announced(LIMIT + 1).unwrap_err();
    assert_eq!(
        (fault.side, fault.kind),
        (Side::Generator, FaultKind::TooLarge)
    );
}

#[test]
fn a_line_without_end_is_refused() {
    const LINE: usize = 256 * 1024;
    for (size, passes) in [(LINE - 5, true), (LINE - 4, false)] {
        let line = format!("INFO {}", "x".repeat(size));
        for bytes in [line.clone(), line + "\n"] {
            let outcomes = [
                feed([bytes.as_bytes()]).1,
                feed(bytes.as_bytes().chunks(9999)).1,
            ];
            for outcome in outcomes {
                // The shorter line is refused too when it ends, because it ends without a CR.
                let is_too_large = outcome.is_err_and(|fault| fault.kind == FaultKind::TooLarge);
                assert_eq!(is_too_large, !passes, "{size}");
            }
        }
    }
}

#[test]
fn a_fault_of_the_sink_ends_the_parser() {
    let mut parser = Parser::new(LIMIT);
    let mut count = 0;
    let outcome = parser.on_bytes(b"PING\r\nPING\r\nPING\r\n", &mut |_| {
        count += 1;
        if count == 2 {
            Err(protocol("enough"))
        } else {
            Ok(())
        }
    });
    assert_eq!((outcome, count), (Err(protocol("enough")), 2));
}

fn word() -> impl Strategy<Value = String> {
    "[a-zA-Zé0-9_$]{1,6}(\\.[a-z0-9-]{1,6}){0,2}"
}

fn published() -> impl Strategy<Value = Published> {
    let header = ("[A-Za-z-]{1,8}", "([!-~]([ -~]{0,8}[!-~])?)?");
    (
        word(),
        any::<u64>(),
        prop::option::of(word()),
        vec(header, 0..4),
        vec(any::<u8>(), 0..300),
    )
        .prop_map(|(subject, sid, reply, headers, payload)| Published {
            subject,
            sid,
            reply,
            headers,
            payload,
        })
}

/// Our own encoding of a message, as the server passes it on: with another first word, and the subscription's id.
fn passed_on(message: &Published) -> Vec<u8> {
    let headers: Vec<(&str, &str)> = message
        .headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let mut ours = Vec::new();
    let reply = message.reply.as_deref();
    encode::encode_publish(
        &mut ours,
        &message.subject,
        reply,
        &headers,
        &message.payload,
    )
    .unwrap();
    let subject = format!(" {} ", message.subject);
    let (operation, rest): (&str, _) = match ours.strip_prefix(b"HPUB") {
        Some(rest) => ("HMSG", rest),
        None => ("MSG", ours.strip_prefix(b"PUB").unwrap()),
    };
    let rest = rest.strip_prefix(subject.as_bytes()).unwrap();
    let line = format!("{operation}{subject}{} ", message.sid);
    [line.as_bytes(), rest].concat()
}

proptest! {
    #[test]
    fn what_is_encoded_is_parsed_again_whatever_the_cuts(
        messages in vec(prop_oneof![
            4 => published().prop_map(Seen::Message),
            1 => Just(Seen::Ping),
            1 => "[a-zA-Z]{1,9}".prop_map(Seen::Err),
        ], 0..6),
        cuts in vec(any::<usize>(), 0..12),
    ) {
        let bytes: Vec<u8> = messages
            .iter()
            .flat_map(|seen| match seen {
                Seen::Message(message) => passed_on(message),
                Seen::Err(text) => format!("-ERR '{text}'\r\n").into_bytes(),
                _ => b"PING\r\n".to_vec(),
            })
            .collect();
        for pieces in [vec![bytes.as_slice()], split(&bytes, &cuts), bytes.chunks(1).collect()] {
            let (seen, outcome, parser) = feed(pieces);
            prop_assert_eq!(outcome, Ok(()));
            prop_assert_eq!(&seen, &messages);
            prop_assert!(!parser.holds_a_part());
        }
    }

    #[test]
    fn random_bytes_never_panic_and_cuts_do_not_matter(
        pieces in vec(prop_oneof![
            4 => prop::sample::select(vec![
                "MSG ", "HMSG ", "a ", "1 ", "5", "12", "\r\n", "\n", "hello", "NATS/1.0\r\n", "A: b\r\n", "\t", "PING\r\n",
                "MSG a 1 2\r\nhi\r\n",
            ]).prop_map(|word| word.as_bytes().to_vec()),
            1 => vec(any::<u8>(), 1..3),
        ], 0..30),
        cuts in vec(any::<usize>(), 0..8),
    ) {
        let bytes = pieces.concat();
        let (seen, outcome, _) = feed([bytes.as_slice()]);
        let (seen_cut, outcome_cut, _) = feed(split(&bytes, &cuts));
        prop_assert_eq!(seen, seen_cut);
        prop_assert_eq!(outcome, outcome_cut);
    }
}
