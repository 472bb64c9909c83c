use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use rustix::net::sockopt::set_socket_send_buffer_size;

use crate::client::{ask, header, receive, send, server};

#[test]
fn reset_resets_and_close_closes() {
    let server = server(&[]);
    let mut socket = server.connect();
    send(&mut socket, "GET", "/reset", b"");
    assert_eq!(
        socket.read(&mut [0]).unwrap_err().kind(),
        ErrorKind::ConnectionReset
    );
    let mut socket = server.connect();
    send(&mut socket, "GET", "/close", b"");
    assert_eq!(socket.read(&mut [0]).unwrap(), 0);
    let truth = server.truth();
    assert_eq!(truth["routes"]["/reset"]["reset"], 1);
    assert_eq!(truth["routes"]["/close"]["closed"], 1);
}

#[test]
fn a_limit_refuses_what_goes_beyond_and_says_when_to_come_again() {
    let server = server(&[]);
    let mut socket = server.connect();
    let path = "/limit/3/1m";
    for expected in [200, 200, 200, 429, 429] {
        let got = ask(&mut socket, "GET", path, b"");
        assert_eq!(got.status, expected);
        assert_eq!(header(&got.head, "retry-after").is_some(), expected == 429);
    }
    let truth = server.truth();
    let answers = &truth["routes"][path]["answers"];
    assert_eq!((&answers["200"], &answers["429"]), (&3.into(), &2.into()));
}

#[test]
fn every_nth_request_fails() {
    let server = server(&[]);
    let mut socket = server.connect();
    let statuses: Vec<u16> = (0..6)
        .map(|_| ask(&mut socket, "GET", "/error/3", b"").status)
        .collect();
    assert_eq!(statuses, [200, 200, 500, 200, 200, 500]);
}

#[test]
fn a_hanging_request_is_never_answered_and_hurts_nobody() {
    let server = server(&[]);
    let mut hanging = server.connect();
    send(&mut hanging, "GET", "/hang", b"");
    hanging
        .set_read_timeout(Some(Duration::from_millis(200)))
        .unwrap();
    assert_eq!(
        hanging.read(&mut [0]).unwrap_err().kind(),
        ErrorKind::WouldBlock
    );
    assert_eq!(server.get("/healthz").status, 200);
    assert_eq!(server.truth()["routes"]["/hang"]["hanging"], 1);
}

#[test]
fn what_is_unknown_malformed_or_too_large_is_refused() {
    let server = server(&["--max-body", "100"]);
    assert_eq!(server.get("/dealy/1ms").status, 404);
    assert_eq!(server.get("/delay/1").status, 400);
    assert_eq!(server.get("/room/a").status, 426);
    let mut socket = server.connect();
    send(&mut socket, "POST", "/delay/1ms", &[0; 101]);
    assert_eq!(receive(&mut socket).status, 413);
    let mut socket = server.connect();
    socket.write_all(b"nonsense\r\n\r\n").unwrap();
    let mut text = String::new();
    socket.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 400"), "{text}");
    assert_eq!(server.truth()["refused"], 5);
}

#[test]
fn several_requests_in_one_packet_are_served_in_turn() {
    let server = server(&[]);
    let mut socket = server.connect();
    let one = "GET /error/2 HTTP/1.1\r\nhost: x\r\n\r\n";
    socket.write_all(one.repeat(3).as_bytes()).unwrap();
    let statuses = [0; 3].map(|_| receive(&mut socket).status);
    assert_eq!(statuses, [200, 500, 200]);
}

#[test]
fn a_connection_too_many_is_closed_and_counted() {
    let server = server(&["--max-connections", "2"]);
    let mut open: Vec<TcpStream> = (0..2).map(|_| server.connect()).collect();
    ask(&mut open[1], "GET", "/healthz", b"");
    assert_eq!(server.connect().read(&mut [0]).unwrap_or(0), 0);
    let got = ask(&mut open[0], "GET", "/truth", b"");
    let truth: serde_json::Value = serde_json::from_slice(&got.body).unwrap();
    assert_eq!(truth["connections"]["refused"], 1);
}

#[test]
fn a_full_listen_queue_turns_connections_away_until_the_pause_ends() {
    let server = server(&["--backlog", "2"]);
    assert_eq!(server.get("/pause-accept/1s").status, 200);
    // The kernel accepts one connection more than the backlog.
    let waiting: Vec<TcpStream> = (0..3).map(|_| server.connect()).collect();
    let refused = TcpStream::connect_timeout(&server.address, Duration::from_millis(300));
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::TimedOut);
    for mut socket in waiting {
        assert_eq!(ask(&mut socket, "GET", "/healthz", b"").status, 200);
    }
}

#[test]
fn a_stop_answers_what_was_asked_first() {
    let server = server(&[]);
    let mut socket = server.connect();
    send(&mut socket, "GET", "/delay/300ms", b"");
    server.truth_once("/routes/~1delay~1300ms/requests", |n| *n == 1);
    drop(server);
    let got = receive(&mut socket);
    assert_eq!(
        (got.status, header(&got.head, "connection")),
        (200, Some("close"))
    );
}

#[test]
fn who_does_not_read_is_cut_off_and_counted() {
    let server = server(&["--queue", "65536"]);
    let mut speaker = server.websocket("/room/a");
    let slow = server.websocket("/room/a");
    let tungstenite::stream::MaybeTlsStream::Plain(plain) = speaker.get_ref() else {
        panic!()
    };
    set_socket_send_buffer_size(plain, 1 << 20).unwrap();
    let big = "x".repeat(60_000);
    let cut_off = (0..2000).any(|_| {
        crate::client::say(&mut speaker, &big);
        server.truth()["connections"]["cut_off"] == 1
    });
    assert!(cut_off, "{}", server.truth());
    drop(slow);
    assert_eq!(server.truth()["websocket"]["rooms"]["/room/a"]["unsent"], 1);
}
