use wire::nats::{Frame, Message, Parser};

use super::*;

/// Passes a received message to `handle`.
fn received<T>(bytes: &str, handle: impl Fn(&Message<'_>) -> T) -> T {
    let mut result = None;
    let mut sink = |frame: Frame<'_>| {
        if let Frame::Message(message) = frame {
            result = Some(handle(&message));
        }
        Ok(())
    };
    Parser::new(1000)
        .on_bytes(bytes.as_bytes(), &mut sink)
        .unwrap();
    result.unwrap()
}

/// A message of a consumer, or a status.
fn stored(number: u32) -> String {
    format!("MSG orders.new 7 $JS.ACK.S.c.1.{number}.{number}.0.0 1\r\nx\r\n")
}

fn status(line: &str) -> String {
    let size = line.len() + 4;
    format!("HMSG inbox 7 {size} {size}\r\n{line}\r\n\r\n\r\n")
}

/// What the subscription sends after a message, and whether it is over.
fn after(subscription: &mut NatsSubscription, bytes: &str) -> Result<(String, bool), Fault> {
    let subscription = std::cell::RefCell::new(subscription);
    received(bytes, |message| {
        let mut out = Vec::new();
        let over = subscription.borrow_mut().after(&mut out, message)?;
        Ok((String::from_utf8(out).unwrap(), over))
    })
}

fn consuming(batch: Option<u64>, acknowledges: bool) -> NatsSubscription {
    let pulls = Pulls::new("next".to_owned(), batch, acknowledges);
    NatsSubscription::new(1, "inbox".to_owned(), None, Some(pulls))
}

fn pull() -> String {
    let payload = "{\"batch\":2,\"expires\":30000000000}";
    format!("PUB next inbox {}\r\n{payload}\r\n", payload.len())
}

#[test]
fn each_message_is_acknowledged_and_a_request_follows_the_last_one() {
    let mut subscription = consuming(Some(2), true);
    let mut out = Vec::new();
    let pulls = subscription.pulls.as_mut().unwrap();
    pulls.next(&mut out, "inbox").unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), pull());
    let ack = |number| format!("PUB $JS.ACK.S.c.1.{number}.{number}.0.0 4\r\n+ACK\r\n");
    let first = after(&mut subscription, &stored(1)).unwrap();
    assert_eq!(first, (ack(1), false));
    let second = after(&mut subscription, &stored(2)).unwrap();
    assert_eq!(second, (ack(2) + &pull(), false));
}

#[test]
fn a_request_that_expired_is_repeated_and_other_ends_are_faults() {
    let mut subscription = consuming(Some(2), false);
    let pulls = subscription.pulls.as_mut().unwrap();
    pulls.next(&mut Vec::new(), "inbox").unwrap();
    let silent = after(&mut subscription, &stored(1)).unwrap();
    assert_eq!(silent, (String::new(), false));
    let heartbeat = after(&mut subscription, &status("NATS/1.0 100 Idle Heartbeat"));
    assert_eq!(heartbeat.unwrap().0, "");
    for expired in ["NATS/1.0 408 Request Timeout", "NATS/1.0 404 No Messages"] {
        let again = after(&mut subscription, &status(expired)).unwrap();
        assert_eq!(again.0, pull());
    }
    let gone = after(&mut subscription, &status("NATS/1.0 503")).unwrap_err();
    assert_eq!(gone.kind, FaultKind::Refused);
    let deleted = after(&mut subscription, &status("NATS/1.0 409 Consumer Deleted"));
    let deleted = deleted.unwrap_err();
    assert_eq!(deleted.kind, FaultKind::Denied);
    assert!(deleted.detail.contains("409 Consumer Deleted"), "{deleted}");
}

#[test]
fn messages_of_a_fetch_and_statuses_are_not_for_the_handlers() {
    let is_pulled = |subscription: &NatsSubscription, bytes: &str| {
        received(bytes, |message| subscription.is_pulled(message))
    };
    let (fetching, endless) = (consuming(None, false), consuming(Some(2), true));
    let plain = NatsSubscription::new(1, "a".to_owned(), None, None);
    let status = status("NATS/1.0 408 Request Timeout");
    for (subscription, of_message, of_status) in [
        (&fetching, true, true),
        (&endless, false, true),
        (&plain, false, false),
    ] {
        let found = (
            is_pulled(subscription, &stored(1)),
            is_pulled(subscription, &status),
        );
        assert_eq!(found, (of_message, of_status));
    }
}

#[test]
fn a_subscription_with_a_limit_is_over_after_its_last_message() {
    let mut subscription = NatsSubscription::new(1, "a".to_owned(), Some(2), None);
    let message = "MSG a 7 1\r\nx\r\n";
    let over: Vec<bool> = (0..2)
        .map(|_| after(&mut subscription, message).unwrap().1)
        .collect();
    assert_eq!(over, [false, true]);
}

#[test]
fn the_first_request_subscribes_and_each_has_its_own_subject() {
    let mut inbox = Inbox::new();
    let mut out = Vec::new();
    let (first, subject) = inbox.next_request(&mut out, 7).unwrap();
    let wildcard = subject.strip_suffix(".r.1").unwrap();
    let subscribed = format!("SUB {wildcard}.r.* 7\r\n");
    assert_eq!(String::from_utf8(out.clone()).unwrap(), subscribed);
    let (second, other) = inbox.next_request(&mut out, 7).unwrap();
    assert_eq!((first, second), (1, 2));
    assert_eq!(out.len(), subscribed.len(), "it is subscribed only once");
    assert_eq!(other, format!("{wildcard}.r.2"));
    assert_eq!(inbox.next_consumer(), format!("{wildcard}.c.1"));
    assert_ne!(Inbox::new().next_consumer(), inbox.next_consumer());
}
