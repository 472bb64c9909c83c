use model::{FaultKind, Side};
use proptest::collection::vec;
use proptest::prelude::*;
use tree::{Tree, keep, tree, write};

use super::*;
use crate::cuts::{self, split};

mod tree;

const LIMIT: usize = 2000;
/// Maximum length of a line, as the parser promises.
const LINE: usize = 64 * 1024;

fn feed<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Tree>, Result<(), Fault>, Parser) {
    let mut parser = Parser::new(LIMIT);
    let (seen, outcome) = cuts::feed(pieces, |piece, seen| {
        parser.on_bytes(piece, &mut |reply: Reply<'_>| {
            seen.push(keep(reply));
            Ok(())
        })
    });
    (seen, outcome, parser)
}

fn blob(text: &str) -> Tree {
    Tree::Blob(text.into())
}

fn simple(text: &str) -> Tree {
    Tree::Simple(text.into())
}

/// Checks that the bytes of each row give its value, alone and together, whatever the cuts.
fn check(table: Vec<(&str, Tree)>) {
    for (bytes, expected) in &table {
        for (seen, outcome, _) in [feed([bytes.as_bytes()]), feed(bytes.as_bytes().chunks(1))] {
            let expected = std::slice::from_ref(expected);
            assert_eq!((seen.as_slice(), outcome), (expected, Ok(())), "{bytes:?}");
        }
    }
    let all: String = table.iter().map(|(bytes, _)| *bytes).collect();
    let expected: Vec<Tree> = table.into_iter().map(|(_, tree)| tree).collect();
    assert_eq!(feed([all.as_bytes()]).0, expected);
    assert_eq!(feed(all.as_bytes().chunks(3)).0, expected);
}

fn numbers(numbers: &[i64]) -> Vec<Tree> {
    numbers
        .iter()
        .map(|&number| Tree::Integer(number))
        .collect()
}

#[test]
fn the_scalars_of_the_specification() {
    use Tree::{BigNumber, Boolean, Double, Error, Integer, Null, Verbatim};
    check(vec![
        ("$11\r\nhello world\r\n", blob("hello world")),
        ("$0\r\n\r\n", blob("")),
        ("+hello world\r\n", simple("hello world")),
        (
            "-ERR this is the error description\r\n",
            Error("ERR this is the error description".into()),
        ),
        (":1234\r\n", Integer(1234)),
        (":-9223372036854775808\r\n", Integer(i64::MIN)),
        (":+5\r\n", Integer(5)),
        ("_\r\n", Null),
        ("$-1\r\n", Null),
        ("*-1\r\n", Null),
        (",1.23\r\n", Double("1.23".into())),
        (",10\r\n", Double("10".into())),
        (",-1.5e3\r\n", Double("-1500".into())),
        (",inf\r\n", Double("inf".into())),
        (",-inf\r\n", Double("-inf".into())),
        (",nan\r\n", Double("NaN".into())),
        ("#t\r\n", Boolean(true)),
        ("#f\r\n", Boolean(false)),
        (
            "!21\r\nSYNTAX invalid syntax\r\n",
            Error("SYNTAX invalid syntax".into()),
        ),
        (
            "=15\r\ntxt:Some string\r\n",
            Verbatim("txt:Some string".into()),
        ),
        (
            "(3492890328409238509324850943850943825024385\r\n",
            BigNumber("3492890328409238509324850943850943825024385".into()),
        ),
        ("(-1\r\n", BigNumber("-1".into())),
    ]);
}

#[test]
fn the_aggregates_of_the_specification() {
    use Tree::{Array, Boolean, Integer, Map, Set};
    check(vec![
        ("*3\r\n:1\r\n:2\r\n:3\r\n", Array(numbers(&[1, 2, 3]))),
        (
            "*2\r\n*3\r\n:1\r\n$5\r\nhello\r\n:2\r\n#f\r\n",
            Array(vec![
                Array(vec![Integer(1), blob("hello"), Integer(2)]),
                Boolean(false),
            ]),
        ),
        ("*0\r\n", Array(vec![])),
        (
            "%2\r\n+first\r\n:1\r\n+second\r\n:2\r\n",
            Map(vec![
                simple("first"),
                Integer(1),
                simple("second"),
                Integer(2),
            ]),
        ),
        (
            "~5\r\n+orange\r\n+apple\r\n#t\r\n:100\r\n:999\r\n",
            Set(vec![
                simple("orange"),
                simple("apple"),
                Boolean(true),
                Integer(100),
                Integer(999),
            ]),
        ),
    ]);
}

#[test]
fn the_attributes_pushes_and_streams_of_the_specification() {
    use Tree::{Array, Chunked, Double, Integer, Map, Null, Push, Set, With};
    check(vec![
        (
            "|1\r\n+key-popularity\r\n%2\r\n$1\r\na\r\n,0.1923\r\n$1\r\nb\r\n,0.0012\r\n*2\r\n:2039123\r\n:9543892\r\n",
            With(
                vec![
                    simple("key-popularity"),
                    Map(vec![
                        blob("a"),
                        Double("0.1923".into()),
                        blob("b"),
                        Double("0.0012".into()),
                    ]),
                ],
                Box::new(Array(numbers(&[2_039_123, 9_543_892]))),
            ),
        ),
        (
            "*3\r\n:1\r\n:2\r\n|1\r\n+ttl\r\n:3600\r\n:3\r\n",
            Array(vec![
                Integer(1),
                Integer(2),
                With(vec![simple("ttl"), Integer(3600)], Box::new(Integer(3))),
            ]),
        ),
        (
            ">4\r\n+pubsub\r\n+message\r\n+somechannel\r\n+this is the message\r\n",
            Push(vec![
                simple("pubsub"),
                simple("message"),
                simple("somechannel"),
                simple("this is the message"),
            ]),
        ),
        (
            "$?\r\n;4\r\nHell\r\n;5\r\no wor\r\n;1\r\nd\r\n;0\r\n",
            Chunked(vec![b"Hell".into(), b"o wor".into(), b"d".into()]),
        ),
        ("*?\r\n:1\r\n:2\r\n:3\r\n.\r\n", Array(numbers(&[1, 2, 3]))),
        (
            "%?\r\n+a\r\n:1\r\n+b\r\n:2\r\n.\r\n",
            Map(vec![simple("a"), Integer(1), simple("b"), Integer(2)]),
        ),
        (
            "*?\r\n*2\r\n~?\r\n.\r\n%?\r\n:1\r\n*?\r\n.\r\n.\r\n$?\r\n;0\r\n|0\r\n_\r\n.\r\n",
            Array(vec![
                Array(vec![Set(vec![]), Map(vec![Integer(1), Array(vec![])])]),
                Chunked(vec![]),
                With(vec![], Box::new(Null)),
            ]),
        ),
    ]);
}

#[test]
fn what_the_specification_does_not_allow_is_a_fault_of_the_target() {
    for bytes in [
        "\r\n",
        "OK\r\n",
        "HTTP/1.1 400 Bad Request\r\n",
        "+a\n",
        "+a\rb\r\n",
        "-a\rb\r\n",
        ":\r\n",
        ":1.0\r\n",
        ":x\r\n",
        ":9223372036854775808\r\n",
        ",\r\n",
        ",infinity\r\n",
        ",1x\r\n",
        ",NaN\r\n",
        "(\r\n",
        "(-\r\n",
        "(1.5\r\n",
        "#\r\n",
        "#true\r\n",
        "_x\r\n",
        "$-2\r\n",
        "$x\r\n",
        "$\r\n",
        "$1\r\nab\r\n",
        "$2\r\na\r\n\r\n",
        "=3\r\ntxt\r\n",
        "=4\r\ntxtx\r\n",
        "=0\r\n\r\n",
        "!-1\r\n",
        "*-2\r\n",
        "*x\r\n",
        "%-1\r\n",
        "~-1\r\n",
        ">-1\r\n",
        ">0\r\n",
        ">?\r\n",
        "|?\r\n",
        ".\r\n",
        ";1\r\na\r\n",
        ";0\r\n",
        "*1\r\n.\r\n",
        "*1\r\n>1\r\n+a\r\n",
        "|1\r\n+a\r\n+b\r\n|1\r\n+a\r\n+b\r\n:1\r\n",
        "%?\r\n:1\r\n.\r\n",
        "*?\r\n|1\r\n+a\r\n+b\r\n.\r\n",
        "$?\r\n:1\r\n",
        "$?\r\n;1\r\na\r\n$1\r\na\r\n",
        "*?\r\n;0\r\n",
        "|0\r\n|0\r\n:1\r\n",
        "|1\r\n+a\r\n.\r\n",
    ] {
        for (seen, outcome, _) in [feed([bytes.as_bytes()]), feed(bytes.as_bytes().chunks(1))] {
            let fault = outcome.expect_err(bytes);
            assert_eq!(
                (fault.side, fault.kind),
                (Side::Target, FaultKind::Protocol),
                "{bytes:?}: {fault}"
            );
            assert_eq!(seen, [], "{bytes:?}");
        }
    }
}

#[test]
fn a_reply_above_the_limit_is_refused_as_soon_as_it_is_announced() {
    let check = |bytes: String, passes: bool| {
        for outcome in [
            feed([bytes.as_bytes()]).1,
            feed(bytes.as_bytes().chunks(5)).1,
        ] {
            let shown = &bytes[..bytes.len().min(30)];
            assert_eq!(outcome.is_ok(), passes, "{shown:?}: {outcome:?}");
            if let Err(fault) = outcome {
                assert_eq!(
                    (fault.side, fault.kind),
                    (Side::Generator, FaultKind::TooLarge),
                    "{shown:?}"
                );
            }
        }
    };
    // The line of the size has seven bytes, and the line end two.
    check(format!("${}\r\n", LIMIT - 9), true);
    check(format!("${}\r\n", LIMIT - 8), false);
    check("$18446744073709551615\r\n".into(), false);
    check(format!("*{}\r\n", (LIMIT - 6) / 3), true);
    check(format!("*{}\r\n", (LIMIT - 6) / 3 + 1), false);
    check(format!("%{}\r\n", LIMIT / 6 + 1), false);
    check(format!("|{}\r\n", LIMIT / 6 + 1), false);
    check("*18446744073709551615\r\n".into(), false);
    check("%4294967295\r\n".into(), false);
    check("*2\r\n".to_owned() + &format!("${}\r\n", LIMIT - 20), true);
    check("*2\r\n".to_owned() + &format!("${}\r\n", LIMIT - 12), false);
    check("*?\r\n".to_owned() + &":1\r\n".repeat(LIMIT / 4 - 1), true);
    check("*?\r\n".to_owned() + &":1\r\n".repeat(LIMIT / 4), false);
    check("$?\r\n".to_owned() + &";1\r\nx\r\n".repeat(LIMIT / 7), true);
    check(
        "$?\r\n".to_owned() + &";1\r\nx\r\n".repeat(LIMIT / 7 + 1),
        false,
    );
    check(format!("+{}\r\n", "x".repeat(LIMIT - 3)), true);
    check(format!("+{}\r\n", "x".repeat(LIMIT - 2)), false);
}

#[test]
fn nesting_and_lines_have_limits_of_their_own() {
    let nested = |depth| "*1\r\n".repeat(depth) + ":1\r\n";
    assert_eq!(feed([nested(32).as_bytes()]).1, Ok(()));
    for open in ["*1\r\n", "*?\r\n", "%?\r\n", "|1\r\n", "~9\r\n"] {
        let fault = feed([open.repeat(33).as_bytes()]).1.unwrap_err();
        assert_eq!(
            (fault.side, fault.kind),
            (Side::Target, FaultKind::TooLarge),
            "{open:?}"
        );
    }
    let line = "+".to_owned() + &"x".repeat(LINE - 2);
    let outcome = |text: &str| {
        let mut parser = Parser::new(1 << 20);
        let mut pieces = text.as_bytes().chunks(1000);
        pieces.try_for_each(|piece| parser.on_bytes(piece, &mut |_| Ok(())))
    };
    assert_eq!(outcome(&format!("{line}\r\n")), Ok(()));
    for longer in [format!("{line}xx"), format!("{line}x\r\n")] {
        assert_eq!(outcome(&longer).unwrap_err().kind, FaultKind::TooLarge);
    }
}

#[test]
fn elements_are_found_by_key() {
    let mut found = Vec::new();
    let mut sink = |reply: Reply<'_>| {
        let map = reply.value.items().unwrap();
        assert_eq!(map.count_left(), Some(4));
        for key in ["a", "b", "c"] {
            found.push(map.get(key).and_then(|value| value.integer()));
        }
        Ok(())
    };
    let mut parser = Parser::new(LIMIT);
    parser
        .on_bytes(b"%2\r\n+a\r\n:1\r\n$1\r\nb\r\n:2\r\n", &mut sink)
        .unwrap();
    assert_eq!(found, [Some(1), Some(2), None]);
}

proptest! {
    #[test]
    fn what_is_written_is_parsed_again_whatever_the_cuts(
        trees in vec(prop_oneof![
            4 => tree(),
            1 => vec(tree(), 1..4).prop_map(Tree::Push),
        ], 0..5),
        cuts in vec(any::<usize>(), 0..12),
    ) {
        let mut bytes = Vec::new();
        for tree in &trees {
            write(tree, &mut bytes);
        }
        for pieces in [vec![bytes.as_slice()], split(&bytes, &cuts), bytes.chunks(1).collect()] {
            let (seen, outcome, parser) = feed(pieces);
            prop_assert_eq!(outcome, Ok(()));
            prop_assert_eq!(&seen, &trees);
            prop_assert!(!parser.holds_a_part());
        }
    }

    #[test]
    fn random_bytes_never_panic_and_cuts_do_not_matter(
        pieces in vec(prop_oneof![
            6 => prop::sample::select(vec![
                "*1\r\n", "*2\r\n", "*?\r\n", "%1\r\n", "%?\r\n", "~2\r\n", "|1\r\n", "|0\r\n", ">1\r\n", ".\r\n", "$?\r\n",
                ";1\r\nx\r\n", ";0\r\n", "$2\r\nab\r\n", ":1\r\n", "+a\r\n", "_\r\n", "$", "1", "\r\n", "=5\r\ntxt:a\r\n", ",1\r\n",
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
