//! Responses that are returned in parts, as they arrive.

use std::net::Shutdown;
use std::sync::mpsc::channel;

use wire::http2::{Connection, Content, Part};

use super::frames::{
    DATA, END_HEADERS, END_STREAM, HEADERS, RST_STREAM, STATUS_200, Server, frame,
};
use super::{connected, request, turn};
use crate::drive::peer;

/// The next part of a response.
fn part(connection: &mut Connection) -> Part {
    loop {
        if let Some(part) = connection.next_part() {
            return part;
        }
        assert!(turn(connection).unwrap(), "closed");
    }
}

fn data(part: Part) -> Vec<u8> {
    match part.content {
        Content::Data(data) => data.to_vec(),
        Content::Head { .. } => panic!("{part:?}"),
    }
}

/// Begins a response with the data `ab`.
fn begin(server: &mut Server) -> u32 {
    let stream = server.until(HEADERS).stream;
    server.send(&frame(HEADERS, END_HEADERS, stream, STATUS_200));
    server.send(&frame(DATA, 0, stream, b"ab"));
    stream
}

#[test]
fn parts_are_returned_before_the_end_and_the_window_never_closes() {
    const PIECE: usize = 16 * 1024;
    const PIECES: usize = 1000; // more than the window of the connection
    let (go, goes) = channel();
    let (address, thread) = peer(move |socket| {
        let mut server = Server::greet(socket, &[]);
        let stream = begin(&mut server);
        goes.recv().unwrap();
        for _ in 0..PIECES {
            server.send(&frame(DATA, 0, stream, &[b'x'; PIECE]));
        }
        server.send(&frame(DATA, END_STREAM, stream, b"end"));
        server.drain();
    });
    let mut connection = connected(address);
    let stream = connection.send(&request("GET", "/"), None).unwrap();
    connection.pass_parts(stream);
    let head = part(&mut connection);
    assert!(matches!(head.content, Content::Head { status: 200, .. }));
    assert!(head.stream == stream && connection.has_begun(stream));
    assert_eq!(data(part(&mut connection)), b"ab");
    assert!(connection.next_finished().is_none(), "it goes on");
    go.send(()).unwrap();
    let mut received = 0;
    let end = loop {
        let piece = data(part(&mut connection));
        if piece == b"end" {
            break connection.next_finished().unwrap();
        }
        received += piece.len();
    };
    assert_eq!(received, PIECES * PIECE);
    assert_eq!(end.stream, stream);
    assert_eq!(end.outcome.unwrap().body, b"");
    drop(connection);
    thread.join().unwrap();
}

#[test]
fn a_cancelled_response_returns_no_more_parts_and_is_reset() {
    let (address, thread) = peer(|socket| {
        let mut server = Server::greet(socket, &[]);
        let stream = begin(&mut server);
        (stream, server.until(RST_STREAM).stream)
    });
    let mut connection = connected(address);
    let stream = connection.send(&request("GET", "/"), None).unwrap();
    connection.pass_parts(stream);
    part(&mut connection);
    connection.cancel(stream).unwrap();
    let (sent, reset) = thread.join().unwrap();
    assert_eq!(sent, reset);
    assert!(connection.next_part().is_none() && connection.next_finished().is_none());
}

#[test]
fn a_response_in_parts_that_is_cut_says_how_far_it_came() {
    let (address, thread) = peer(|socket| {
        let mut server = Server::greet(socket, &[]);
        begin(&mut server);
        server.0.shutdown(Shutdown::Write).unwrap();
        server.drain();
    });
    let mut connection = connected(address);
    let stream = connection.send(&request("GET", "/"), None).unwrap();
    connection.pass_parts(stream);
    while turn(&mut connection).unwrap() {}
    part(&mut connection);
    assert_eq!(data(part(&mut connection)), b"ab");
    let end = connection.next_finished().unwrap();
    let fault = end.outcome.unwrap_err();
    assert_eq!(fault.detail, "closed after 2 bytes of the body");
    drop(connection);
    thread.join().unwrap();
}
