use std::net::{SocketAddr, TcpStream};

use model::{Fault, FaultKind};
use tungstenite::protocol::CloseFrame;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::{Message, WebSocket};
use url::Url;
use wire::websocket::{Connection, Event, Handshake};
use wire::{Read, Stream};

use crate::drive::{open, peer, read};

fn connect(address: SocketAddr) -> Connection {
    let url = Url::parse(&format!("ws://{address}/chat")).unwrap();
    let handshake = Handshake::new(&url, &[], &[], *b"sixteen bytes...").unwrap();
    let stream = Stream::connect(address, None, None).unwrap();
    let mut connection = Connection::open(stream, handshake, 7).unwrap();
    open(connection.stream_mut()).unwrap();
    connection
}

fn accepted(socket: TcpStream) -> WebSocket<TcpStream> {
    tungstenite::accept(socket).unwrap()
}

/// One line per event. Returns after the first read with a line that starts with `stop`.
fn events_until(connection: &mut Connection, stop: &str) -> Result<Vec<String>, Fault> {
    let mut lines = Vec::new();
    let mut buf = vec![0; 70_000];
    loop {
        match read(connection.stream_mut(), &mut buf) {
            Read::Bytes(count) => {
                connection.on_bytes(&buf[..count], &mut |event| lines.push(line(event)))?;
            }
            Read::Closed => connection.on_close()?,
            Read::Failed(fault) => return Err(fault),
            Read::Empty => unreachable!("`read` waits"),
        }
        if lines.iter().any(|line| line.starts_with(stop)) {
            return Ok(lines);
        }
    }
}

fn line(event: Event<'_>) -> String {
    match event {
        Event::Open { protocol } => format!("open {protocol:?}"),
        Event::Text(text) => format!("text {text}"),
        Event::Binary(bytes) => format!("binary {}", bytes.len()),
        Event::Ping(bytes) => format!("ping {bytes:?}"),
        Event::Pong(bytes) => format!("pong {bytes:?}"),
        Event::Close { code, reason } => format!("close {code:?} {reason}"),
    }
}

#[test]
fn messages_go_both_ways_and_the_client_closes() {
    let (address, thread) = peer(|socket| {
        let mut socket = accepted(socket);
        loop {
            match socket.read() {
                Ok(message @ (Message::Text(_) | Message::Binary(_))) => {
                    socket.send(message).unwrap();
                }
                Ok(Message::Close(frame)) => {
                    let _ = socket.flush();
                    return frame.map(|frame| (u16::from(frame.code), frame.reason.to_string()));
                }
                Ok(_) => {}
                Err(error) => panic!("{error}"),
            }
        }
    });
    let mut connection = connect(address);
    assert!(connection.send_text("too early").is_err());
    assert_eq!(
        events_until(&mut connection, "open").unwrap(),
        ["open None"]
    );
    assert!(connection.is_open());
    connection.send_text("grüße").unwrap();
    connection.send_binary(&vec![1; 300_000]).unwrap();
    connection.send_ping(b"p").unwrap();
    let seen = events_until(&mut connection, "pong").unwrap();
    assert_eq!(seen, ["text grüße", "binary 300000", "pong [112]"]);
    connection.close(Some(1000), "enough").unwrap();
    assert!(connection.send_text("too late").is_err());
    let seen = events_until(&mut connection, "close").unwrap();
    assert_eq!(seen, ["close Some(1000) enough"]);
    assert!(connection.is_done());
    assert_eq!(thread.join().unwrap(), Some((1000, "enough".into())));
}

#[test]
fn pings_and_a_close_by_the_server_are_answered() {
    let (address, thread) = peer(|socket| {
        let mut socket = accepted(socket);
        socket.send(Message::Ping(vec![1, 2].into())).unwrap();
        let pong = socket.read().unwrap();
        let reason = CloseFrame {
            code: CloseCode::Away,
            reason: "night".into(),
        };
        socket.close(Some(reason)).unwrap();
        let echo = socket.read().unwrap();
        (pong, echo)
    });
    let mut connection = connect(address);
    let seen = events_until(&mut connection, "close").unwrap();
    assert_eq!(seen, ["open None", "ping [1, 2]", "close Some(1001) night"]);
    assert!(connection.is_done());
    assert_eq!(
        connection.send_text("x").unwrap_err().kind,
        FaultKind::Closed
    );
    let (pong, echo) = thread.join().unwrap();
    assert_eq!(pong, Message::Pong(vec![1, 2].into()));
    match echo {
        Message::Close(Some(frame)) => assert_eq!(u16::from(frame.code), 1001),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_breach_is_told_to_the_server_with_its_code() {
    use std::io::Write;
    let (address, thread) = peer(|socket| {
        let mut socket = accepted(socket);
        socket.get_mut().write_all(&[0x81, 1, 0xff]).unwrap();
        socket.read().unwrap()
    });
    let mut connection = connect(address);
    let fault = events_until(&mut connection, "close").unwrap_err();
    assert_eq!(fault.kind, FaultKind::Protocol);
    match thread.join().unwrap() {
        Message::Close(Some(frame)) => assert_eq!(u16::from(frame.code), 1007),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_server_that_just_goes_has_closed() {
    let (address, thread) = peer(|socket| drop(accepted(socket).into_inner()));
    let mut connection = connect(address);
    events_until(&mut connection, "open").unwrap();
    let fault = events_until(&mut connection, "close").unwrap_err();
    assert_eq!(fault.kind, FaultKind::Closed);
    thread.join().unwrap();
}

#[test]
fn an_idle_connection_is_small() {
    assert!(
        size_of::<Connection>() <= 200,
        "{}",
        size_of::<Connection>()
    );
    assert!(size_of::<wire::http::Connection>() <= 200);
}
