//! Tests that whole messages are handed out without allocating memory.

#![allow(
    clippy::unwrap_used,
    reason = "in a test a failed step is the test's failure"
)]

use wire::{nats, resp, sse};

const LIMIT: usize = 1 << 20;
const COUNT: u64 = 1000;

/// Calls `parse` twice with a read of many copies of `message`, and counts the allocations of the second call. `parse`
/// returns the number of messages.
fn check(message: &str, mut parse: impl FnMut(&[u8]) -> u64) {
    let bytes = message.repeat(usize::try_from(COUNT).unwrap());
    assert_eq!(parse(bytes.as_bytes()), COUNT);
    let mut seen = 0;
    let counted = allocation_counter::measure(|| seen = parse(bytes.as_bytes()));
    assert_eq!((seen, counted.count_total), (COUNT, 0), "{message:?}");
}

#[test]
fn allocations_are_counted() {
    let counted = allocation_counter::measure(|| drop(vec![0_u8; 100]));
    assert_eq!(counted.count_total, 1);
}

#[test]
fn a_server_sent_event_allocates_nothing() {
    let mut parser = sse::Parser::new(LIMIT, "");
    let event = "event: said\nid: 4711\nretry: 10\ndata: {\"text\":\"größe\"}\n\n";
    check(event, |bytes| {
        let mut seen = 0;
        let mut sink = |event: sse::Event<'_>| {
            if let sse::Event::Message(message) = event {
                seen += u64::from(message.name == "said" && message.id == "4711");
            }
        };
        parser.on_bytes(bytes, &mut sink).unwrap();
        seen
    });
}

#[test]
fn a_message_of_nats_allocates_nothing() {
    let login = nats::Login::default();
    let mut session = nats::Session::new(login, false, LIMIT);
    let mut out = Vec::new();
    let info = "INFO {\"server_id\":\"a\",\"max_payload\":1000,\"headers\":true}\r\nPONG\r\n";
    session
        .on_bytes(info.as_bytes(), &mut out, &mut |_| {})
        .unwrap();
    assert!(session.is_connected());
    let message = "HMSG a.b 7 r.1 24 26\r\nNATS/1.0\r\nOwn: value\r\n\r\nhi\r\n";
    check(message, |bytes| {
        let mut seen = 0;
        let mut sink = |signal: nats::Signal<'_>| {
            if let nats::Signal::Message(message) = signal {
                seen += u64::from(message.headers.get("Own") == Some("value"));
            }
        };
        session.on_bytes(bytes, &mut out, &mut sink).unwrap();
        seen
    });
    out.reserve(1000);
    let counted = allocation_counter::measure(|| {
        out.clear();
        let sent = session.publish(&mut out, "a.b", Some("r.1"), &[("Own", "value")], b"hi");
        assert_eq!(sent, Ok(()));
    });
    assert_eq!(counted.count_total, 0);
}

#[test]
fn a_push_of_redis_allocates_nothing() {
    let mut session = resp::Session::begin(&resp::Login::default(), LIMIT, &mut Vec::new());
    let push = ">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$2\r\nhi\r\n";
    check(push, |bytes| {
        let mut seen = 0;
        let mut sink = |signal: resp::Signal<'_>| {
            if let resp::Signal::Push { kind, items, .. } = signal {
                let payload = items.values().nth(1).and_then(|payload| payload.bytes());
                seen += u64::from(kind == "message" && payload == Some(b"hi"));
            }
        };
        session.on_bytes(bytes, &mut sink).unwrap();
        seen
    });
}
