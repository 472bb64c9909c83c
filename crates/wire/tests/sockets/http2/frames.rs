use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::channel;

use model::{FaultKind, Side};

use wire::http2::Repeatable;

use super::{answer, connected, finished, request, turn, until_free};
use crate::drive::peer;

pub(super) const DATA: u8 = 0;
pub(super) const HEADERS: u8 = 1;
pub(super) const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;

pub(super) const END_STREAM: u8 = 1;
const ACK: u8 = 1;
pub(super) const END_HEADERS: u8 = 4;

const NO_ERROR: u32 = 0;
const REFUSED_STREAM: u32 = 7;

/// `:status: 200` in HPACK: the eighth entry of the static table (RFC 7541, Appendix A).
pub(super) const STATUS_200: &[u8] = &[0x88];

#[derive(Debug)]
pub(super) struct Frame {
    kind: u8,
    flags: u8,
    pub(super) stream: u32,
    payload: Vec<u8>,
}

pub(super) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let size = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut bytes = size[1..].to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(stream.to_be_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

fn ok(stream: u32, body: &[u8]) -> Vec<u8> {
    let mut bytes = frame(HEADERS, END_HEADERS, stream, STATUS_200);
    bytes.extend(frame(DATA, END_STREAM, stream, body));
    bytes
}

/// A server without an HTTP/2 library: the tests write its frames by hand.
pub(super) struct Server(pub(super) TcpStream);

impl Server {
    /// Sends the server's settings at once, which is allowed, and reads the client's preface.
    pub(super) fn greet(socket: TcpStream, settings: &[u8]) -> Self {
        let mut server = Self(socket);
        server.send(&frame(SETTINGS, 0, 0, settings));
        let mut preface = [0; 24];
        server.0.read_exact(&mut preface).unwrap();
        assert_eq!(&preface, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        server
    }

    pub(super) fn send(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).unwrap();
    }

    pub(super) fn next(&mut self) -> Option<Frame> {
        let mut head = [0; 9];
        self.0.read_exact(&mut head).ok()?;
        let size = usize::from(head[0]) << 16 | usize::from(head[1]) << 8 | usize::from(head[2]);
        let mut payload = vec![0; size];
        self.0.read_exact(&mut payload).ok()?;
        Some(Frame {
            kind: head[3],
            flags: head[4],
            stream: u32::from_be_bytes([head[5], head[6], head[7], head[8]]),
            payload,
        })
    }

    /// The next frame of a kind. Skips other frames.
    pub(super) fn until(&mut self, kind: u8) -> Frame {
        loop {
            let frame = self.next().unwrap();
            if frame.kind == kind {
                return frame;
            }
        }
    }

    /// Reads to the end, because closing with unread data would make the kernel reset the
    /// connection.
    pub(super) fn drain(mut self) {
        while self.next().is_some() {}
    }
}

fn goaway(last: u32, reason: u32) -> Vec<u8> {
    frame(
        GOAWAY,
        0,
        0,
        &[last.to_be_bytes(), reason.to_be_bytes()].concat(),
    )
}

#[test]
fn hundreds_of_answers_in_one_read_each_find_their_request() {
    const COUNT: u32 = 500;
    let (address, thread) = peer(|socket| {
        let mut server = Server::greet(socket, &[]);
        let mut streams: Vec<_> = (0..COUNT).map(|_| server.until(HEADERS).stream).collect();
        streams.reverse();
        let answers: Vec<u8> = streams
            .iter()
            .flat_map(|&stream| ok(stream, &stream.to_be_bytes()))
            .collect();
        server.send(&answers);
        server.drain();
    });
    let mut connection = connected(address);
    until_free(&mut connection, COUNT as usize);
    let sent: Vec<_> = (0..COUNT)
        .map(|_| connection.send(&request("GET", "/"), None).unwrap())
        .collect();
    for _ in 0..COUNT {
        let end = finished(&mut connection).unwrap();
        let place = sent.binary_search(&end.stream).unwrap();
        let number = u32::try_from(place).unwrap() * 2 + 1; // clients' streams are odd
        assert_eq!(end.outcome.unwrap().body, number.to_be_bytes());
    }
    assert!(connection.is_usable() && connection.in_flight() == 0);
    drop(connection);
    thread.join().unwrap();
}

#[test]
fn a_goaway_in_mid_flight_tells_what_may_be_repeated() {
    let (tell, told) = channel();
    let (address, thread) = peer(move |socket| {
        let mut server = Server::greet(socket, &[]);
        let taken = server.until(HEADERS).stream;
        server.until(HEADERS);
        server.send(&goaway(taken, NO_ERROR));
        told.recv().unwrap();
        server.send(&ok(taken, b"still"));
        server.drain();
    });
    let mut connection = connected(address);
    until_free(&mut connection, 2);
    let taken = connection.send(&request("GET", "/"), None).unwrap();
    let left = connection.send(&request("GET", "/"), None).unwrap();
    let end = finished(&mut connection).unwrap();
    let fault = end.outcome.unwrap_err();
    assert_eq!((end.stream, end.repeatable), (left, Repeatable::Yes));
    assert_eq!((fault.side, fault.kind), (Side::Target, FaultKind::Closed));
    assert!(!connection.is_usable());
    assert_eq!(connection.may_send(), 0);
    connection.send(&request("GET", "/"), None).unwrap_err();
    tell.send(()).unwrap();
    let end = finished(&mut connection).unwrap();
    assert_eq!(
        (end.stream, end.outcome.unwrap().body),
        (taken, b"still".to_vec())
    );
    drop(connection);
    thread.join().unwrap();
}

#[test]
fn what_the_peer_took_before_its_goaway_may_not_be_repeated() {
    for reason in [NO_ERROR, REFUSED_STREAM] {
        let (address, thread) = peer(move |socket| {
            let mut server = Server::greet(socket, &[]);
            let first = server.until(HEADERS).stream;
            server.send(&ok(first, b"first"));
            let taken = server.until(HEADERS).stream;
            server.send(&goaway(taken, reason));
            server.0.shutdown(Shutdown::Write).unwrap();
            server.drain();
        });
        let mut connection = connected(address);
        connection.send(&request("GET", "/"), None).unwrap();
        assert_eq!(answer(&mut connection).unwrap().body, b"first");
        connection.send(&request("POST", "/"), None).unwrap();
        let end = finished(&mut connection).unwrap();
        end.outcome.unwrap_err();
        assert_eq!(end.repeatable, Repeatable::No, "GOAWAY {reason}");
        drop(connection);
        thread.join().unwrap();
    }
}

#[test]
fn a_refused_stream_may_be_repeated() {
    let (address, thread) = peer(|socket| {
        let mut server = Server::greet(socket, &[]);
        let stream = server.until(HEADERS).stream;
        server.send(&frame(RST_STREAM, 0, stream, &REFUSED_STREAM.to_be_bytes()));
        server.drain();
    });
    let mut connection = connected(address);
    connection.send(&request("GET", "/"), None).unwrap();
    let end = finished(&mut connection).unwrap();
    let fault = end.outcome.unwrap_err();
    assert_eq!(
        (fault.kind, end.repeatable),
        (FaultKind::Reset, Repeatable::Yes)
    );
    assert!(fault.detail.contains("REFUSED_STREAM"), "{fault}");
    assert!(connection.is_usable());
    drop(connection);
    thread.join().unwrap();
}

#[test]
fn a_lowered_limit_holds_from_then_on() {
    let limit = |count: u32| {
        let mut setting = vec![0, 3]; // SETTINGS_MAX_CONCURRENT_STREAMS
        setting.extend(count.to_be_bytes());
        setting
    };
    let (address, thread) = peer(move |socket| {
        let mut server = Server::greet(socket, &limit(3));
        let streams = [(); 3].map(|()| server.until(HEADERS).stream);
        server.send(&frame(SETTINGS, 0, 0, &limit(1)));
        server.send(&ok(streams[0], b""));
        server.until(RST_STREAM);
        server.send(&ok(streams[2], b""));
        server.drain();
    });
    let mut connection = connected(address);
    until_free(&mut connection, 3);
    let streams = [(); 3].map(|()| connection.send(&request("GET", "/"), None).unwrap());
    assert_eq!(connection.may_send(), 0);
    assert_eq!(finished(&mut connection).unwrap().stream, streams[0]);
    assert_eq!((connection.in_flight(), connection.may_send()), (2, 0));
    connection.cancel(streams[1]).unwrap();
    assert_eq!(connection.may_send(), 0);
    assert_eq!(finished(&mut connection).unwrap().stream, streams[2]);
    assert_eq!(connection.may_send(), 1);
    drop(connection);
    thread.join().unwrap();
}

#[test]
fn a_peer_of_another_protocol_is_named() {
    let (address, thread) = peer(|mut socket| {
        socket
            .write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            .unwrap();
        let _ = socket.read_to_end(&mut Vec::new());
    });
    let mut connection = connected(address);
    connection.send(&request("GET", "/"), None).unwrap();
    let fault = answer(&mut connection).unwrap_err();
    assert_eq!(
        (fault.side, fault.kind),
        (Side::Target, FaultKind::Protocol)
    );
    assert_eq!(fault.detail, "not HTTP/2: got \"HTTP/1.1 \"");
    assert!(!connection.is_usable());
    drop(connection);
    thread.join().unwrap();
}

#[test]
fn a_breach_ends_every_request_and_is_told_to_the_peer() {
    let (address, thread) = peer(|socket| {
        let mut server = Server::greet(socket, &[]);
        server.until(HEADERS);
        server.until(HEADERS);
        server.send(&frame(DATA, 0, 0, b"on no stream"));
        let told = server.until(GOAWAY).payload;
        server.drain();
        told
    });
    let mut connection = connected(address);
    until_free(&mut connection, 2);
    for _ in 0..2 {
        connection.send(&request("GET", "/"), None).unwrap();
    }
    for _ in 0..2 {
        let end = finished(&mut connection).unwrap();
        let fault = end.outcome.unwrap_err();
        assert_eq!(
            (fault.side, fault.kind),
            (Side::Target, FaultKind::Protocol)
        );
        assert_eq!(end.repeatable, Repeatable::No);
    }
    assert!(!connection.is_usable());
    drop(connection);
    let told = thread.join().unwrap();
    assert_eq!(told[4..8], 1_u32.to_be_bytes(), "PROTOCOL_ERROR");
}

#[test]
fn a_cut_answer_says_how_far_it_came() {
    let (address, thread) = peer(|socket| {
        let mut server = Server::greet(socket, &[]);
        let stream = server.until(HEADERS).stream;
        server.send(&frame(HEADERS, END_HEADERS, stream, STATUS_200));
        server.send(&frame(DATA, 0, stream, b"abc"));
        server.0.shutdown(Shutdown::Write).unwrap();
        server.drain();
    });
    let mut connection = connected(address);
    let stream = connection.send(&request("GET", "/"), None).unwrap();
    assert!(!connection.has_begun(stream));
    let end = finished(&mut connection).unwrap();
    let fault = end.outcome.unwrap_err();
    assert_eq!(fault.kind, FaultKind::Closed);
    assert_eq!(fault.detail, "closed after 3 bytes of the body");
    assert!(end.repeatable == Repeatable::No && !connection.is_usable());
    drop(connection);
    thread.join().unwrap();
}

#[test]
fn a_kept_connection_that_the_peer_closed_lets_the_request_be_repeated() {
    let (address, thread) = peer(|socket| {
        let mut server = Server::greet(socket, &[]);
        let stream = server.until(HEADERS).stream;
        server.send(&ok(stream, b"first"));
        server.until(HEADERS);
        server.0.shutdown(Shutdown::Write).unwrap();
        server.drain();
    });
    let mut connection = connected(address);
    connection.send(&request("GET", "/"), None).unwrap();
    assert_eq!(answer(&mut connection).unwrap().body, b"first");
    connection.send(&request("GET", "/"), None).unwrap();
    let end = finished(&mut connection).unwrap();
    assert_eq!(
        end.outcome.unwrap_err().detail,
        "closed before the response"
    );
    assert_eq!(end.repeatable, Repeatable::IfIdempotent);
    drop(connection);
    thread.join().unwrap();
}

#[test]
fn pings_are_answered_with_nothing_in_flight() {
    let (address, thread) = peer(|socket| {
        let mut server = Server::greet(socket, &[]);
        let stream = server.until(HEADERS).stream;
        server.send(&[ok(stream, b""), frame(PING, 0, 0, b"12345678")].concat());
        server.until(PING)
    });
    let mut connection = connected(address);
    connection.send(&request("GET", "/"), None).unwrap();
    answer(&mut connection).unwrap();
    while matches!(turn(&mut connection), Ok(true)) {}
    drop(connection);
    let pong = thread.join().unwrap();
    assert_eq!(
        (pong.flags & ACK, pong.payload),
        (ACK, b"12345678".to_vec())
    );
}
