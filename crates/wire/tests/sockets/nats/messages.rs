use model::{FaultKind, Side};
use wire::nats::encode_unsubscribe;

use super::*;

#[test]
fn messages_reach_the_subscriptions_that_match() {
    let server = Server::start("");
    let (mut ada, mut bob) = (server.client(), server.client());
    ada.subscribe("rooms.*.text", None, 1);
    ada.subscribe("rooms.>", None, 2);
    ada.settle();
    for subject in ["rooms.7.text", "rooms.7.caret", "rooms", "other.7.text"] {
        bob.publish(subject, None, subject.as_bytes());
    }
    bob.settle();
    ada.settle();
    let mut seen: Vec<(u64, &str)> = ada
        .heard
        .iter()
        .map(|heard| (heard.sid, heard.text()))
        .collect();
    seen.sort_unstable();
    assert_eq!(
        seen,
        [
            (1, "rooms.7.text"),
            (2, "rooms.7.caret"),
            (2, "rooms.7.text")
        ]
    );
    for (pattern, subject) in [
        ("rooms.*.text", "rooms.7.text"),
        ("rooms.>", "rooms.7.caret"),
    ] {
        assert!(wire::nats::matches(pattern, subject));
    }
    assert!(!wire::nats::matches("rooms.>", "rooms"));
}

#[test]
fn a_queue_group_shares_messages_and_an_unsubscribed_sid_gets_none() {
    let server = Server::start("");
    let mut client = server.client();
    client.subscribe("jobs", Some("workers"), 1);
    client.subscribe("jobs", Some("workers"), 2);
    client.subscribe("jobs", None, 3);
    encode_unsubscribe(&mut client.out, 3, Some(2));
    for number in 0..50_u32 {
        client.publish("jobs", None, number.to_string().as_bytes());
    }
    client.settle();
    let of = |sids: &[u64]| {
        let all = client
            .heard
            .iter()
            .filter(|heard| sids.contains(&heard.sid));
        let mut numbers: Vec<u32> = all.map(|heard| heard.text().parse().unwrap()).collect();
        numbers.sort_unstable();
        numbers
    };
    assert_eq!(of(&[1, 2]), (0..50).collect::<Vec<_>>());
    assert_eq!(of(&[3]), [0, 1]);
    client.heard.clear();
    for sid in [1, 2] {
        encode_unsubscribe(&mut client.out, sid, None);
    }
    client.publish("jobs", None, b"x");
    client.settle();
    assert_eq!(client.heard, []);
}

#[test]
fn a_request_gets_its_reply_or_learns_that_nobody_listens() {
    let server = Server::start("");
    let (mut ada, mut bob) = (server.client(), server.client());
    let nobody = ada.request("echo", b"?");
    assert_eq!(
        (nobody.status, nobody.payload.as_slice()),
        (Some(503), b"".as_slice())
    );
    bob.subscribe("echo", None, 1);
    bob.settle();
    ada.subscribe("_INBOX.1", None, 5);
    ada.publish("echo", Some("_INBOX.1"), b"hello");
    ada.settle();
    let asked = bob.take(1).remove(0);
    bob.publish(asked.reply.as_deref().unwrap(), None, b"hello to you");
    bob.settle();
    assert_eq!(ada.take(1)[0].text(), "hello to you");
}

#[test]
fn headers_and_any_bytes_arrive_as_they_were_sent() {
    let server = Server::start("");
    let mut client = server.client();
    client.subscribe("a", None, 1);
    let payload: Vec<u8> = (0..=255).cycle().take(1_000_000).collect();
    let headers = [("Own", "Grüße: x"), ("own", "b"), ("Own", "")];
    client
        .connection
        .publish(&mut client.out, ("a", None), &headers, &payload)
        .unwrap();
    client.publish("a", None, b"\r\nPING\r\n");
    let heard = client.take(2);
    let expected = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(heard[0].headers, expected);
    assert!(heard[0].payload == payload);
    assert_eq!(heard[1].payload, b"\r\nPING\r\n");
}

#[test]
fn one_connection_holds_thousands_of_subscriptions() {
    const COUNT: u64 = 5000;
    let server = Server::start("");
    let mut client = server.client();
    for sid in 1..=COUNT {
        client.subscribe(&format!("rooms.{sid}"), None, sid);
    }
    for sid in 1..=COUNT {
        client.publish(&format!("rooms.{sid}"), None, b"x");
    }
    let heard = client.take(usize::try_from(COUNT).unwrap());
    assert!(
        heard
            .iter()
            .zip(1..)
            .all(|(heard, sid)| heard.sid == sid && heard.subject == format!("rooms.{sid}"))
    );
}

#[test]
fn the_servers_limit_of_a_message_is_known_before_it_is_sent() {
    let server = Server::start("max_payload: 100");
    let mut client = server.client();
    assert_eq!(client.connection.info().max_payload, 100);
    let fault = client
        .connection
        .publish(&mut client.out, ("a", None), &[], &[0; 101])
        .unwrap_err();
    assert_eq!(
        (fault.side, fault.kind),
        (Side::Script, FaultKind::TooLarge)
    );
    client.publish("a", None, &[0; 100]);
    client.settle();
    // The server's own opinion, without our check.
    wire::nats::encode_publish(&mut client.out, "a", None, &[], &[0; 101]).unwrap();
    let fault = loop {
        if let Err(fault) = client.receive() {
            break fault;
        }
    };
    assert!(
        fault.detail.contains("Maximum Payload Violation"),
        "{fault}"
    );
}
