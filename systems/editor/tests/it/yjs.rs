//! The connection of a Yjs client stays open while it is idle, and is reopened after it exceeded a limit.

use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, connect};

use crate::client::PATIENCE;
use crate::served::Served;

/// An awareness message (1) of one byte, with no clients, as `y-protocols` encodes it.
const NOBODY: [u8; 3] = [1, 1, 0];

#[test]
fn a_client_of_yjs_that_is_alone_hears_something_with_every_ping() {
    let editor = Served::start(&["--ping-interval", "100ms"]);
    let url = format!("{}/yjs/alone", editor.url.replace("http", "ws"));
    let (mut socket, _) = connect(url).unwrap();
    let MaybeTlsStream::Plain(stream) = socket.get_ref() else {
        unreachable!("loopback is plain")
    };
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let (mut pings, mut messages) = (0, 0);
    while pings < 3 || messages < 3 {
        match socket.read().unwrap() {
            Message::Ping(_) => pings += 1,
            Message::Binary(bytes) if *bytes == NOBODY => messages += 1,
            // The request for the client's updates, which is the first message.
            Message::Binary(bytes) => assert_eq!(bytes[..2], [0, 0]),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn one_who_was_too_fast_comes_again_and_nothing_of_it_is_lost() {
    Served::start(&["--rate-limit", "20"]).script("too-fast.mjs", &[]);
}
