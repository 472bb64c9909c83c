//! Each limit has its own error event. Exceeding a limit affects only the client that does so.

use serde_json::{Value, json};

use crate::client::{BEGIN, Client};
use crate::served::Served;

fn error(client: &mut Client) -> Value {
    loop {
        let packet = client.next().unwrap();
        let event: Value = serde_json::from_str(packet.trim_start_matches("42")).unwrap();
        if event[0] == "error" {
            return event[1].clone();
        }
    }
}

#[test]
fn a_full_room_says_so_and_has_a_place_again_when_somebody_leaves() {
    let editor = Served::start(&["--max-members", "2"]);
    let _ada = Client::join(&editor.url, "room", "ada");
    let mut bob = Client::join(&editor.url, "room", "bob");
    let mut eve = Client::open(&editor.url);
    let join = json!({ "roomId": "room", "username": "eve" });
    eve.emit("join", &join, None);
    assert_eq!(
        error(&mut eve),
        json!({ "event": "join", "message": "Room is full" })
    );
    // A guest, who would only write, is also refused.
    eve.edit("room", "unasked", None);
    assert_eq!(
        error(&mut eve),
        json!({ "event": "code-change", "message": "Room is full" })
    );
    bob.emit("leave", &json!({}), None);
    assert_eq!(error(&mut bob)["message"], "there is no such event");
    drop(bob);
    // The members are notified when bob has left, but eve is not a member. She retries until she is admitted.
    let inside = (0..500).any(|n| {
        eve.emit("join", &join, Some(n));
        loop {
            let packet = eve.next().unwrap();
            if let Some(answer) = packet.strip_prefix(&format!("43{n}")) {
                return answer.contains("\"ok\":true");
            }
        }
    });
    assert!(inside);
}

#[test]
fn rooms_messages_and_documents_have_limits() {
    let flags = [
        "--max-rooms",
        "1",
        "--max-document",
        "1000",
        "--max-message",
        "2000",
        "--rate-limit",
        "20",
    ];
    let editor = Served::start(&flags);
    let mut ada = Client::join(&editor.url, "room", "ada");
    ada.emit(
        "join",
        &json!({ "roomId": "other", "username": "ada" }),
        None,
    );
    assert_eq!(error(&mut ada)["message"], "There are too many rooms");
    ada.edit("room", &"x".repeat(1001), None);
    assert_eq!(
        error(&mut ada)["message"],
        "the document is too large: at most 1000 bytes"
    );
    for n in 0..40 {
        ada.edit("room", &n.to_string(), None);
    }
    assert_eq!(
        error(&mut ada)["message"],
        "too many messages: at most 20 per second"
    );
    // A message that is too large ends the connection, as in the original.
    let mut bob = Client::join(&editor.url, "room", "bob");
    bob.edit("room", &"x".repeat(3000), None);
    assert_eq!(bob.close_code(), Some(1009));
}

#[test]
fn a_frame_that_says_it_is_endless_takes_no_memory() {
    // A fragment, and then the header of the last fragment, without its length.
    let begin = [0x01, 0x84, 0, 0, 0, 0, b'4', b'2', b'[', b'"', 0x80, 0xFF];
    for (length, code) in [(u64::MAX, 1002), (u64::MAX >> 1, 1009)] {
        let editor = Served::start(&[]);
        let before = editor.memory();
        let mut eve = Client::open(&editor.url);
        eve.send_raw(&begin);
        eve.send_raw(&length.to_be_bytes());
        // Zeros, far more than the maximum message size. The first four are the mask. After a refusal, writing may
        // fail.
        let megabyte = vec![0; 1 << 20];
        let sent = (0..200).take_while(|_| eve.send_raw(&megabyte)).count();
        let grown = editor.memory().saturating_sub(before);
        assert!(grown < 30 << 20, "{sent} MB were sent, {grown} bytes kept");
        assert!(editor.get("/healthz")["status"] == "ok");

        let mut eve = Client::open(&editor.url);
        eve.send_raw(&begin);
        eve.send_raw(&length.to_be_bytes());
        eve.send_raw(&[0; 4]);
        assert_eq!(eve.close_code(), Some(code));
    }
}

/// The transport of a client that reads nothing.
#[derive(Clone, Copy, Debug)]
enum Deaf {
    WebSocket,
    Polling,
    Upgraded,
}

#[test]
fn one_who_does_not_read_is_cut_off_by_any_transport_and_the_others_miss_nothing() {
    for (deaf, faults) in [
        (Deaf::WebSocket, ""),
        (Deaf::WebSocket, "delay=1ms"),
        (Deaf::Polling, ""),
        (Deaf::Upgraded, ""),
    ] {
        let flags = ["--rate-limit", "0", "--queue-bytes", "1000000"];
        let editor = Served::start(&[&flags[..], &["--faults", faults]].concat());
        let mut ada = Client::join(&editor.url, "room", "ada");
        let mut bob = Client::join(&editor.url, "room", "bob");
        let _socket = match deaf {
            Deaf::WebSocket => Some(Client::join(&editor.url, "room", "deaf")),
            Deaf::Polling => {
                Client::poll(&editor, "room", "deaf");
                None
            }
            Deaf::Upgraded => {
                let session = Client::poll(&editor, "room", "deaf");
                Some(Client::upgrade(&editor.url, &session))
            }
        };
        // Far more than the kernel's buffers hold.
        let rest = "x".repeat(800_000);
        let mut before = 0;
        for n in 0..120 {
            let text = format!("{n} {rest}");
            assert!(ada.edit("room", &text, Some(n)));
            assert_eq!(bob.text(), text);
            if n == 2 {
                before = editor.memory();
            }
        }
        let grown = editor.memory().saturating_sub(before);
        assert!(grown < 40_000_000, "{deaf:?}: {grown} bytes of 96 MB kept");
        assert_eq!(editor.metric("editor_lines_too_slow_total"), 1, "{deaf:?}");
        assert_eq!(editor.metric("editor_visits"), 2, "{deaf:?} has left");
        let mut eve = Client::open(&editor.url);
        eve.emit(
            "join",
            &json!({ "roomId": "room", "username": "eve" }),
            None,
        );
        let joined = eve.next().unwrap();
        assert!(!joined.contains("deaf"), "{deaf:?}: {joined}");
    }
}

#[test]
fn who_is_closed_is_told_why() {
    let flags = [
        "--rate-limit",
        "0",
        "--max-members",
        "3",
        "--queue-bytes",
        "1000000",
    ];
    let editor = Served::start(&flags);
    let mut ada = Client::join(&editor.url, "room", "ada");
    let mut slow = Client::join(&editor.url, "room", "slow");
    let text = "x".repeat(800_000);
    let cut = (0..100).any(|n| {
        ada.edit("room", &format!("{n}{text}"), Some(n));
        while !ada.next().unwrap().starts_with(&format!("43{n}")) {}
        editor.metric("editor_lines_too_slow_total") > 0
    });
    assert!(cut);
    assert_eq!(slow.close_code(), Some(1008), "too slow");

    ada.edit("room", &"x".repeat(1_000_001), None);
    assert_eq!(ada.close_code(), Some(1009), "too large");
    let mut words = Client::listen(&editor.url, "yjs");
    assert!(words.send("words"));
    assert_eq!(
        words.close_code(),
        Some(1003),
        "a text where bytes are expected"
    );
    let mut garbage = Client::listen(&editor.url, "yjs");
    assert!(garbage.send_bytes(&[0, 2, 3, 255, 255, 255]));
    assert_eq!(garbage.close_code(), Some(1003), "an update that is none");
    let mut large = Client::listen(&editor.url, "yjs");
    assert!(large.send_bytes(&vec![0; 1_000_001]));
    assert_eq!(large.close_code(), Some(1009), "too large");
    let members: Vec<_> = (0..3)
        .map(|_| Client::listen(&editor.url, "full"))
        .collect();
    assert_eq!(
        Client::listen(&editor.url, "full").close_code(),
        Some(4403),
        "full"
    );
    // A separate room with the name `/yjs/full`.
    assert!(Client::to(&editor.url, "/yjs//yjs/full").greeted());
    drop(members);
}

#[test]
fn a_body_that_is_too_large_ends_the_session_of_one_who_polls() {
    let editor = Served::start(&["--max-document", "1000", "--max-message", "2000"]);
    let session = Client::poll(&editor, "room", "ada");
    let large = editor.tell("POST", &session, &format!("42{}", "x".repeat(3000)));
    assert!(large.starts_with("HTTP/1.1 413"), "{large}");
    let after = editor.tell("POST", &session, "3");
    assert!(after.starts_with("HTTP/1.1 400"), "{after}");
    assert_eq!(editor.metric("editor_visits"), 0);
}

#[test]
fn a_websocket_is_a_connection_like_another_and_only_so_many_may_be_open() {
    let editor = Served::start(&["--max-connections", "3"]);
    let mut open: Vec<_> = (0..2).map(|_| Client::open(&editor.url)).collect();
    assert_eq!(editor.metric("http_connections"), 3, "the question is one");
    open.push(Client::listen(&editor.url, "room"));
    assert!(Client::try_to(&editor.url, BEGIN).is_none());
    open.pop();
    // The editor may notice the disconnect with some delay.
    let again = (0..500).any(|_| Client::try_to(&editor.url, BEGIN).is_some());
    assert!(again);
}

#[test]
fn of_a_caret_only_the_newest_waits_for_one_who_is_behind() {
    let editor = Served::start(&[
        "--rate-limit",
        "0",
        "--queue",
        "64",
        "--queue-bytes",
        "20000000",
    ]);
    let mut ada = Client::join(&editor.url, "room", "ada");
    let mut slow = Client::join(&editor.url, "room", "slow");
    // The text fills the kernel's buffers. More carets follow than may be queued.
    let text = "x".repeat(800_000);
    for _ in 0..10 {
        ada.edit("room", &text, None);
    }
    for line in 0..5000 {
        let caret =
            json!({ "roomId": "room", "cursor": { "line": line, "ch": 0 }, "username": "ada" });
        ada.emit("cursor-change", &caret, (line == 4999).then_some(0));
    }
    while ada.next().unwrap() != "430[{\"ok\":true}]" {}
    let mut carets = 0;
    loop {
        let packet = slow.next().unwrap();
        carets += usize::from(packet.starts_with("42[\"cursor-change\""));
        if packet.contains("\"line\":4999") {
            break;
        }
    }
    assert!(carets < 5000, "{carets} carets came");
}
