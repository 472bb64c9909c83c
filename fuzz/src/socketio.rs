use serde_json::Value;
use wire::socketio::{Event, Packet, Part, Session, Signal, encode_part, header, parts};

use crate::{Target, bytes_of, text_of};

/// Handles the packets of a session, one per line. A line that begins with `!` is a binary message.
pub(crate) const SESSION: Target = Target {
    name: "session",
    run: session,
    seeds: || {
        let open = r#"0{"sid":"a","upgrades":["websocket"],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}"#;
        let texts = [
            "\n40{\"sid\":\"b\"}\n42[\"said\",{\"a\":[1]}]\n2\n42/x,[\"a\"]\n430[1]\n41",
            "\n40\n452-7[\"b\",{\"_placeholder\":true,\"num\":0},{\"_placeholder\":true,\"num\":1}]\n!abc\n!\n42[\"c\"]",
            "\n44{\"message\":\"no\"}",
            "\n40\n3probe\n6\n461-3[{\"_placeholder\":true,\"num\":0}]\n!x\n1",
        ];
        bytes_of(
            &texts
                .map(|rest| format!("{open}{rest}"))
                .each_ref()
                .map(String::as_str),
        )
    },
    words: &[
        "\n", "!", "0", "1", "2", "3", "4", "5", "40", "42", "43", "451-", "/", ",", "[", "]", "{",
        "}", "\"", "\\",
    ],
    memory: 1 << 20,
};

const LIMIT: usize = 4096;

fn session(data: &[u8]) {
    let mut session = Session::new("/".to_owned(), None, LIMIT);
    let mut connected = false;
    for line in data.split(|&byte| byte == b'\n') {
        let mut sink = |signal: Signal<'_>| match signal {
            Signal::Connected(_) => {
                assert!(!connected, "connected twice");
                connected = true;
            }
            Signal::Event {
                event, attachments, ..
            } => {
                assert!(connected, "an event before the namespace was granted");
                assert!(
                    event.is(&event.name()),
                    "an event does not know its own name"
                );
                assert!(attachments.iter().map(Vec::len).sum::<usize>() <= LIMIT);
            }
            Signal::Ack { .. } => assert!(connected),
            _ => {}
        };
        let taken = match line.strip_prefix(b"!") {
            Some(bytes) => session.on_binary(bytes, &mut sink),
            None => session.on_text(&text_of(line), &mut sink),
        };
        if taken.is_err() {
            return;
        }
    }
}

/// Parses a packet or a polling payload. Encoding the parsed value must give the same packet again.
pub(crate) const PACKETS: Target = Target {
    name: "packets",
    run: packets,
    seeds: || {
        bytes_of(&[
            "2[\"said\",{\"a\":\"\\\"\"}]",
            "51-/admin,7[\"b\",{\"_placeholder\":true,\"num\":0}]",
            "4hello\x1ebAQIDBA==\x1e2",
            "0/admin?a=1,{}",
        ])
    },
    words: &[
        "\x1e",
        "b",
        "=",
        "2",
        "5",
        "6",
        "-",
        "/",
        ",",
        "[",
        "]",
        "\"",
        "\\\"",
        "0",
        "18446744073709551616",
    ],
    memory: 1 << 20,
};

fn packets(data: &[u8]) {
    let text = text_of(data);
    if let Ok(packet) = Packet::parse(&text) {
        let again =
            header(packet.kind, packet.attachments, packet.namespace, packet.id) + packet.data;
        assert_eq!(Packet::parse(&again[1..]), Ok(packet));
        let whole = serde_json::from_str::<Vec<Value>>(packet.data);
        if let (Ok(event), Ok(whole)) = (Event::parse(packet.data), whole) {
            assert_eq!(whole[0], event.name(), "{}", packet.data);
            let rest: Vec<Value> =
                serde_json::from_str(&format!("[{}]", event.arguments)).unwrap_or_default();
            assert_eq!(whole[1..], rest[..], "{}", packet.data);
        }
    }
    let read: Result<Vec<Part<'_>>, _> = parts(data).collect();
    let Ok(read) = read else { return };
    if read.contains(&Part::Text("")) {
        return; // a packet is never empty, so encoding cannot reproduce it
    }
    let mut written = Vec::new();
    for part in &read {
        encode_part(&mut written, part);
    }
    let again: Result<Vec<Part<'_>>, _> = parts(&written).collect();
    assert_eq!(again, Ok(read));
}
