//! Requirements that the Engine.IO and Socket.IO protocols make of every server.

use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use crate::client::{Client, body};
use crate::served::Served;

#[test]
fn one_who_left_the_namespace_is_gone_for_the_others_and_may_enter_again_on_the_same_connection() {
    let editor = Served::start(&[]);
    let mut ada = Client::join(&editor.url, "room", "ada");
    let mut bob = Client::join(&editor.url, "room", "bob");
    assert!(bob.send("41"));
    assert!(ada.next().unwrap().contains("\"bob\""));
    assert!(ada.next().unwrap().starts_with("42[\"disconnected\""));
    assert!(bob.send("40{\"token\":\"any\"}"));
    assert!(bob.next().unwrap().starts_with("40{\"sid\":"));
    assert!(bob.edit("room", "again", None));
    assert_eq!(ada.text(), "again");
}

#[test]
fn a_packet_that_is_none_ends_the_connection() {
    let editor = Served::start(&[]);
    let strangers = ["4abc", "40[1]", "40{", "42[\"join\",{}]", "41", "430[]"];
    let visitors = [
        "7",
        "4abc",
        "42{}",
        "42abc[\"join\",{}]",
        "43{}",
        "41{}",
        "40",
        "41/other,",
    ];
    for packet in strangers {
        let mut client = Client::connect(&editor.url);
        assert!(client.send(packet));
        assert!(client.is_closed(), "{packet} before it entered");
    }
    for packet in visitors {
        let mut client = Client::open(&editor.url);
        assert!(client.send(packet));
        assert!(client.is_closed(), "{packet}");
    }
    let mut client = Client::open(&editor.url);
    assert!(client.send("451-[\"join\",{\"_placeholder\":true,\"num\":0}]"));
    assert!(client.send("42[\"join\",{}]"));
    assert!(client.is_closed(), "an event where a part was announced");
}

#[test]
fn an_event_is_read_to_its_end_and_its_name_as_json() {
    let editor = Served::start(&[]);
    let mut ada = Client::join(&editor.url, "room", "ada");
    // JSON strings may contain escapes, and so may the name of an event.
    assert!(ada.send(r#"420["code-\u0063hange",{"roomId":"room","code":"text"},null,[1]]"#));
    assert_eq!(ada.next().unwrap(), "430[{\"ok\":true}]");
    assert!(ada.send(r#"42["no \"event\"",{}]"#));
    assert_eq!(
        ada.next().unwrap(),
        r#"42["error",{"event":"no \"event\"","message":"there is no such event"}]"#
    );
    for garbage in ["] garbage", "", "]]", ",]", ",1", "}]"] {
        let event = format!("42[\"code-change\",{{\"roomId\":\"room\",\"code\":\"x\"}}{garbage}");
        assert!(ada.send(&event));
        let refused = ada.next().unwrap();
        assert!(
            refused.contains("the payload is not understood"),
            "{event}: {refused}"
        );
    }
}

#[test]
fn one_who_went_over_to_a_websocket_is_reached_there_alone() {
    let editor = Served::start(&[]);
    let mut ada = Client::join(&editor.url, "room", "ada");
    let session = Client::poll(&editor, "room", "bob");
    while !ada.next().unwrap().contains("\"bob\"") {}
    ada.edit("room", "before", Some(1));
    assert_eq!(ada.next().unwrap(), "431[{\"ok\":true}]");
    // Packets that waited for the next poll arrive over the WebSocket.
    let mut bob = Client::upgrade(&editor.url, &session);
    assert_eq!(bob.text(), "before");
    for (method, path) in [
        ("GET", session.clone()),
        ("POST", session.clone()),
        ("GET", session.replace("=polling", "=websocket")),
    ] {
        let refused = editor.ask(method, &path);
        assert!(refused.starts_with("HTTP/1.1 400"), "{method} {refused}");
    }
    // As on the official server, a second WebSocket is accepted and closed at once.
    let mut second = Client::to(&editor.url, &session.replace("=polling", "=websocket"));
    assert_eq!(second.close_code(), Some(1008));
    bob.edit("room", "after", None);
    assert_eq!(ada.text(), "after");
    drop(bob);
    assert!(ada.next().unwrap().starts_with("42[\"disconnected\""));
}

#[test]
fn a_poll_that_is_open_ends_when_somebody_wants_to_go_over_and_with_the_editor() {
    let mut editor = Served::start(&["--stop-limit", "60s"]);
    let session = Client::poll(&editor, "room", "ada");
    assert!(body(&editor.ask("GET", &session)).starts_with("42[\"joined\""));
    let mut probe = Client::to(&editor.url, &session.replace("=polling", "=websocket"));
    assert!(probe.send("2probe"));
    assert_eq!(probe.next().unwrap(), "3probe");
    assert_eq!(body(&editor.ask("GET", &session)), "6");
    drop(probe);

    let asked = editor.begin("GET", &session, "");
    // The two connections are the open poll and the request for this metric.
    assert!((0..500).any(|_| editor.metric("http_connections") == 2));
    let begin = Instant::now();
    editor.ask_to_stop();
    assert_eq!(body(&asked.answer()), "1");
    editor.ends_well();
    assert!(
        begin.elapsed() < Duration::from_secs(30),
        "it waited for the poll"
    );
}

#[test]
fn a_request_that_cannot_be_served_is_told_why_as_by_the_official_server() {
    let editor = Served::start(&[]);
    for (method, query, code) in [
        ("GET", "", 5),
        ("GET", "EIO=3&transport=polling", 5),
        ("GET", "EIO=4", 0),
        ("GET", "EIO=4&transport=pigeon", 0),
        ("GET", "EIO=4&transport=polling&sid=nobody", 1),
        ("POST", "EIO=4&transport=polling&sid=nobody", 1),
        ("POST", "EIO=4&transport=polling", 2),
        ("PUT", "EIO=4&transport=polling", 2),
        ("GET", "EIO=4&transport=websocket", 3),
    ] {
        let answer = editor.ask(method, &format!("/socket.io/?{query}"));
        assert!(answer.starts_with("HTTP/1.1 400"), "{query}: {answer}");
        let why: Value = serde_json::from_str(&body(&answer)).unwrap();
        assert_eq!(why["code"], code, "{method} {query}: {why}");
    }
}

#[test]
fn by_long_polling_no_ping_comes_before_its_time() {
    let editor = Served::start(&["--ping-interval", "60s"]);
    let opened = editor.ask("GET", "/socket.io/?EIO=4&transport=polling");
    let (_, opened) = opened.split_once("\r\n\r\n0").unwrap();
    let opened: Value = serde_json::from_str(opened).unwrap();
    let sid = opened["sid"].as_str().unwrap();
    let session = format!("/socket.io/?EIO=4&transport=polling&sid={sid}");
    assert!(editor.tell("POST", &session, "40").ends_with("ok"));
    // An immediate ping would precede the response.
    let heard = editor.ask("GET", &session);
    let (_, heard) = heard.split_once("\r\n\r\n").unwrap();
    assert!(heard.starts_with("40{\"sid\":"), "{heard}");
}
