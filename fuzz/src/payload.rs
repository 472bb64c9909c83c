use delivery::{Pointer, STAMP_LENGTH, Stamp, find_stamp, stamps_in};
use model::{GroupId, Nanos};
use serde_json::Value;

use crate::{Target, bytes_of, text_of, two_of};

/// Finds stamps anywhere in a payload. Encoding and decoding of stamps is covered by the crate's property tests.
pub(crate) const STAMPS: Target = Target {
    name: "stamps",
    run: stamps,
    seeds: || {
        let stamp = Stamp {
            run: 7,
            group: GroupId(3),
            channel: 1,
            sender: 4,
            sequence: 99,
            made: Nanos::from_secs(2),
        };
        let stamp = stamp.encode();
        bytes_of(&[
            &stamp,
            &format!("{{\"text\":\"{stamp} hello {stamp}\"}}"),
            &stamp[..stamp.len() - 3],
            "nothing here",
        ])
    },
    words: &["\"", " ", "{", "@", "="],
    memory: 1 << 20,
};

fn stamps(data: &[u8]) {
    let found: Vec<_> = stamps_in(data).collect();
    assert_eq!(find_stamp(data).is_some(), !found.is_empty());
    let whole: Vec<&Stamp> = found.iter().flatten().collect();
    for stamp in &whole {
        let text = stamp.encode();
        assert_eq!(text.len(), STAMP_LENGTH);
        let there = data
            .windows(STAMP_LENGTH)
            .any(|window| window == text.as_bytes());
        assert!(there, "{text} is not in the payload");
    }
    // The same stamps must be found if the payload is inside other text.
    let around = [b"{\"a\":\"", data, b"\"}"].concat();
    let again: Vec<_> = stamps_in(&around).flatten().collect();
    assert!(whole.iter().all(|stamp| again.contains(stamp)));
}

/// Resolves a JSON pointer in JSON. The pointer is in the first line, and the JSON follows.
pub(crate) const POINTER: Target = Target {
    name: "pointer",
    run: pointer,
    seeds: || {
        bytes_of(&[
            "/a/b/0\n{\"a\":{\"b\":[1,\"x\\\"y\"],\"c\":null}}",
            "/x~1y\n { \"x\" : [ {} ] , \"x/y\" : -1.5e3 }",
            "/1/k\n[[],{\"k\":\"\\u0041\\\\\"}]",
            "\n\"text\"",
        ])
    },
    words: &[
        "\"", "\\\"", "\\u0041", "\\", "{", "}", "[", "]", ":", ",", "null", "/", "~0", "~1", "0",
    ],
    memory: 1 << 20,
};

fn pointer(data: &[u8]) {
    let (at, json) = two_of(data);
    let at = text_of(at);
    let Some(pointer) = Pointer::parse(&at) else {
        assert!(!at.is_empty() && !at.starts_with('/'));
        return;
    };
    let found = pointer.find(json);
    let Ok(whole) = serde_json::from_slice::<Value>(json) else {
        return;
    };
    if has_doubled_names(json, &whole) {
        return; // for a duplicate name, either member is a valid result
    }
    // Array indices have no leading zeros (RFC 6901), and `Pointer` does not decode escapes in names.
    let expected = whole.pointer(&at);
    let found = found.map(|slice| {
        serde_json::from_slice::<Value>(slice).unwrap_or_else(|why| {
            panic!(
                "{at} of valid JSON is {:?}: {why}",
                String::from_utf8_lossy(slice)
            )
        })
    });
    if let Some(found) = &found {
        assert_eq!(Some(found), expected, "{at}");
    } else if !json.contains(&b'\\') && !at.contains('~') {
        assert_eq!(expected, None, "{at}");
    }
}

/// Whether a name occurs twice in an object. The parsed value then has fewer members than the JSON has colons outside
/// strings.
fn has_doubled_names(json: &[u8], value: &Value) -> bool {
    fn members(value: &Value) -> usize {
        match value {
            Value::Array(all) => all.iter().map(members).sum(),
            Value::Object(all) => all.len() + all.values().map(members).sum::<usize>(),
            _ => 0,
        }
    }
    let mut in_text = false;
    let mut escaped = false;
    let colons = json.iter().filter(|&&byte| {
        let colon = byte == b':' && !in_text;
        if byte == b'"' && !escaped {
            in_text = !in_text;
        }
        escaped = byte == b'\\' && !escaped;
        colon
    });
    colons.count() != members(value)
}
