//! What the protocols of Engine.IO and Socket.IO ask of every server.

use serde_json::Value;

use crate::client::Client;
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
fn by_long_polling_no_ping_comes_before_its_time() {
    let editor = Served::start(&["--ping-interval", "60s"]);
    let opened = editor.ask("GET", "/socket.io/?EIO=4&transport=polling");
    let (_, opened) = opened.split_once("\r\n\r\n0").unwrap();
    let opened: Value = serde_json::from_str(opened).unwrap();
    let sid = opened["sid"].as_str().unwrap();
    let session = format!("/socket.io/?EIO=4&transport=polling&sid={sid}");
    assert!(editor.tell("POST", &session, "40").ends_with("ok"));
    // A ping that came at once would stand before it.
    let heard = editor.ask("GET", &session);
    let (_, heard) = heard.split_once("\r\n\r\n").unwrap();
    assert!(heard.starts_with("40{\"sid\":"), "{heard}");
}
