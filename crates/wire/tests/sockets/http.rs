use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use model::{Fault, FaultKind};
use wire::http::{Connection, Response};
use wire::{Read, Stream};

use crate::drive::{open, peer, read};

const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";

/// Reads one request's head.
fn take_request(socket: &mut BufReader<TcpStream>) {
    let mut line = String::new();
    while socket.read_line(&mut line).unwrap() > 2 {
        line.clear();
    }
}

fn answer(connection: &mut Connection) -> Result<Option<Response>, Fault> {
    let mut buf = vec![0; 4096];
    loop {
        match read(connection.stream_mut(), &mut buf) {
            Read::Bytes(count) => match connection.on_bytes(&buf[..count])? {
                None => {}
                response => return Ok(response),
            },
            Read::Closed => return connection.on_close(),
            Read::Failed(fault) => return Err(fault),
            Read::Empty => unreachable!("`read` waits"),
        }
    }
}

fn connected(address: std::net::SocketAddr) -> Connection {
    let mut connection = Connection::new(Stream::connect(address, None, None).unwrap());
    open(connection.stream_mut()).unwrap();
    connection
}

#[test]
fn a_kept_connection_that_the_peer_closed_is_told_from_a_broken_answer() {
    let (address, thread) = peer(|socket| {
        let mut socket = BufReader::new(socket);
        take_request(&mut socket);
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
        socket.get_mut().write_all(answer).unwrap();
    });
    let mut connection = connected(address);
    connection.send(GET, true).unwrap();
    let response = answer(&mut connection).unwrap().unwrap();
    assert_eq!(
        (response.status, response.body.as_slice()),
        (200, b"ok".as_slice())
    );
    assert!(connection.reusable() && !connection.is_stale_close());
    thread.join().unwrap();
    let sent = connection.send(GET, true);
    let fault = sent.and_then(|()| answer(&mut connection)).unwrap_err();
    // The peer has closed the connection, so it may respond to the request with a reset.
    assert!(matches!(fault.kind, FaultKind::Closed | FaultKind::Reset));
    assert!(connection.is_stale_close());
    assert!(!connection.reusable());
}

#[test]
fn a_first_request_without_an_answer_is_not_stale() {
    let (address, thread) = peer(|socket| take_request(&mut BufReader::new(socket)));
    let mut connection = connected(address);
    connection.send(GET, true).unwrap();
    let fault = answer(&mut connection).unwrap_err();
    assert_eq!(fault.detail, "closed before the response");
    assert!(!connection.is_stale_close());
    thread.join().unwrap();
}

#[test]
fn a_body_that_ends_with_the_connection_is_whole() {
    let (address, thread) = peer(|socket| {
        let mut socket = BufReader::new(socket);
        take_request(&mut socket);
        for piece in ["HTTP/1.1 200 OK\r\n\r\n", "all ", "of it"] {
            socket.get_mut().write_all(piece.as_bytes()).unwrap();
        }
    });
    let mut connection = connected(address);
    connection.send(GET, true).unwrap();
    let response = answer(&mut connection).unwrap().unwrap();
    assert_eq!(response.body, b"all of it");
    assert!(!connection.reusable() && !connection.is_waiting());
    thread.join().unwrap();
}
