//! The web pages that may open a connection.

use tungstenite::client::IntoClientRequest;
use tungstenite::http::HeaderValue;
use tungstenite::{Error, Message, connect};

use crate::served::Served;

const LINES: [&str; 2] = ["/socket.io/?EIO=4&transport=websocket", "/yjs/room"];

/// Returns the status of a handshake at this path by a page from this origin.
fn handshake(editor: &Served, path: &str, origin: Option<&str>) -> u16 {
    let url = format!("{}{path}", editor.url.replace("http", "ws"));
    let mut request = url.into_client_request().unwrap();
    if let Some(origin) = origin {
        let origin = HeaderValue::from_str(origin).unwrap();
        request.headers_mut().insert("Origin", origin);
    }
    match connect(request) {
        Ok((_, response)) => response.status().as_u16(),
        Err(Error::Http(response)) => response.status().as_u16(),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_page_of_another_site_opens_no_line_and_runs_nothing() {
    let editor = Served::start(&[]);
    let own = editor.url.clone();
    for path in LINES {
        assert_eq!(handshake(&editor, path, None), 101, "a program");
        assert_eq!(handshake(&editor, path, Some(&own)), 101, "its own page");
        for other in ["https://evil.example", "http://127.0.0.1:1", "null"] {
            assert_eq!(handshake(&editor, path, Some(other)), 403, "{path} {other}");
        }
    }
    let polling = "/socket.io/?EIO=4&transport=polling";
    let poll = |line: &str| editor.tell("GET", &format!("{polling} HTTP/1.1\r\n{line}X-Rest:"), "");
    assert!(poll("").starts_with("HTTP/1.1 200"));
    let refused = poll("Origin: https://evil.example\r\n");
    assert!(refused.starts_with("HTTP/1.1 403"), "{refused}");
}

#[test]
fn a_page_of_an_origin_that_is_allowed_opens_lines() {
    let editor = Served::start(&["--allow-origin", "http://localhost:3000,https://a.example"]);
    for path in LINES {
        for origin in ["http://localhost:3000", "https://a.example"] {
            assert_eq!(handshake(&editor, path, Some(origin)), 101, "{path}");
        }
        assert_eq!(handshake(&editor, path, Some("http://a.example")), 403);
    }
}

#[test]
fn a_rooms_name_is_all_that_stands_behind_the_first_yjs() {
    let editor = Served::start(&[]);
    let open = |room: &str| {
        let url = format!("{}/yjs/{room}", editor.url.replace("http", "ws"));
        let (mut socket, _) = connect(url).unwrap();
        // The room is open once the editor requests the client's updates.
        assert!(matches!(socket.read(), Ok(Message::Binary(_))));
        socket
    };
    let _lines = (open("x"), open("/yjs/x"));
    assert_eq!(editor.get("/healthz")["rooms"], 2);
}
