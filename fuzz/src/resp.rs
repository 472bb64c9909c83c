use model::FaultKind;
use wire::resp::{Items, Login, Parser, Reply, Session, SlotMap, Value, encode_command, slot};

use crate::Target;
use crate::cuts::pieces;

const LIMIT: usize = 2000;
/// Maximum depth of a reply, as the parser promises.
const DEPTH: usize = 32;

fn seeds() -> Vec<Vec<u8>> {
    [
        "\u{5}+OK\r\n-ERR no\r\n:-12\r\n$5\r\nhello\r\n_\r\n,1.5\r\n#t\r\n(123\r\n=7\r\ntxt:abc\r\n!5\r\nERR x\r\n",
        "\u{70}%2\r\n+server\r\n+redis\r\n+proto\r\n:3\r\n+OK\r\n>3\r\n+subscribe\r\n+a\r\n:1\r\n>3\r\n+message\r\n+a\r\n+hi\r\n",
        "\u{20}*?\r\n*2\r\n~?\r\n.\r\n%?\r\n:1\r\n*?\r\n.\r\n.\r\n$?\r\n;4\r\nHell\r\n;0\r\n|1\r\n+ttl\r\n:3\r\n_\r\n.\r\n",
        "\u{1}*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$1\r\na\r\n:7000\r\n-MOVED 1 a:1\r\n*-1\r\n$-1\r\n",
    ]
    .map(|seed| seed.as_bytes().to_vec())
    .into()
}

const WORDS: &[&str] = &[
    "*1\r\n",
    "*?\r\n",
    "%1\r\n",
    "%?\r\n",
    "~2\r\n",
    "|1\r\n",
    "|0\r\n",
    ">1\r\n",
    ".\r\n",
    "$?\r\n",
    ";1\r\nx\r\n",
    ";0\r\n",
    "$2\r\nab\r\n",
    ":1\r\n",
    "+a\r\n",
    "_\r\n",
    "\r\n",
    "-ASK 1 a:2\r\n",
    "*2000000000\r\n",
];

/// Parses replies of a Redis server. The first byte chooses the cuts.
pub(crate) const REPLIES: Target = Target {
    name: "replies",
    run: replies,
    seeds,
    words: WORDS,
    memory: 2 << 20,
};

fn replies(data: &[u8]) {
    let [cut, bytes @ ..] = data else { return };
    let at_once = feed(&[bytes]);
    assert_eq!(
        at_once,
        feed(&pieces(*cut, bytes)),
        "the cuts changed the outcome"
    );
    assert!(slot(bytes) < 16384);
    echoed(bytes);
}

/// Returns the replies as text, and the kind of the fault that ended them.
fn feed(pieces: &[&[u8]]) -> (Vec<String>, Option<FaultKind>) {
    let mut parser = Parser::new(LIMIT);
    let mut seen = Vec::new();
    for piece in pieces {
        let parsed = parser.on_bytes(piece, &mut |reply| {
            let mut text = String::new();
            walk(&reply, 0, &mut text);
            seen.push(text);
            if let Ok(map) = SlotMap::parse(&reply.value) {
                let _ = map.node(0);
            }
            Ok(())
        });
        if let Err(fault) = parsed {
            return (seen, Some(fault.kind));
        }
    }
    (seen, None)
}

/// Reads all elements, and appends those that have none.
fn walk(reply: &Reply<'_>, depth: usize, text: &mut String) {
    assert!(depth <= DEPTH, "nested deeper than promised");
    if let Some(attributes) = reply.attributes {
        all(attributes, depth, text);
    }
    match reply.value {
        Value::Array(items) | Value::Set(items) | Value::Push(items) => {
            all(items, depth, text);
        }
        Value::Map(items) => {
            let count = all(items, depth, text);
            assert_eq!(
                (count % 2, items.pairs().count()),
                (0, count / 2),
                "a key without a value"
            );
        }
        Value::Chunked(chunks) => text.extend(chunks.parts().map(|chunk| format!("{chunk:?};"))),
        Value::Error(error) => {
            text.extend([format!("{:?} {:?};", error.text(), error.redirect())]);
        }
        scalar => text.extend([format!("{scalar:?};")]),
    }
}

fn all(items: Items<'_>, depth: usize, text: &mut String) -> usize {
    text.push('[');
    let count = items
        .elements()
        .map(|reply| walk(&reply, depth + 1, text))
        .count();
    assert!(
        items
            .count_left()
            .is_none_or(|announced| announced == count),
        "an element is missing"
    );
    text.push(']');
    count
}

/// A command is an array of blobs, and so it can be parsed like a reply.
fn echoed(bytes: &[u8]) {
    let arguments: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
    let mut out = Vec::new();
    encode_command(&mut out, arguments.iter().copied());
    let mut count = 0;
    let parsed = Parser::new(1 << 20).on_bytes(&out, &mut |reply| {
        let again = reply
            .value
            .items()
            .map(|items| items.values().filter_map(|value| value.bytes()).collect());
        assert_eq!(again.as_ref(), Some(&arguments));
        count += 1;
        Ok(())
    });
    assert_eq!((parsed, count), (Ok(()), 1));
}

/// Matches replies to commands. The first byte chooses the cuts and the commands.
pub(crate) const COMMANDS: Target = Target {
    name: "commands",
    run: commands,
    seeds,
    words: WORDS,
    memory: 1 << 20,
};

fn commands(data: &[u8]) {
    let [cut, bytes @ ..] = data else { return };
    let at_once = converse(*cut, &[bytes]);
    assert_eq!(
        at_once,
        converse(*cut, &pieces(*cut, bytes)),
        "the cuts changed the outcome"
    );
}

/// Returns the signals as text, and whether the session goes on.
fn converse(choice: u8, pieces: &[&[u8]]) -> (Vec<String>, bool) {
    let login = Login {
        database: u32::from(choice % 2),
        ..Login::default()
    };
    let mut out = Vec::new();
    let mut session = Session::begin(&login, LIMIT, &mut out);
    for token in 0..u64::from(choice % 8) {
        let name: &[u8] = if token % 3 == 1 { b"SUBSCRIBE" } else { b"GET" };
        assert_eq!(session.send(&mut out, token, &[name, b"a"]), Ok(()));
    }
    let mut seen = Vec::new();
    for piece in pieces {
        let parsed = session.on_bytes(piece, &mut |signal| seen.push(format!("{signal:?}")));
        if parsed.is_err() {
            return (seen, false);
        }
    }
    (seen, true)
}
