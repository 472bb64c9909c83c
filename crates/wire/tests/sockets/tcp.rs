use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use model::{FaultKind, Side};
use rustix::net::sockopt;
use wire::{Phase, Read, Stream};

use crate::drive::{flushed, open, peer, read, reset_and_close};

#[test]
fn a_port_where_nobody_listens_refuses() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let fault = Stream::connect(address, None, None)
        .and_then(|mut stream| open(&mut stream))
        .unwrap_err();
    assert_eq!((fault.side, fault.kind), (Side::Target, FaultKind::Refused));
    assert!(fault.detail.contains(&address.to_string()), "{fault}");
}

#[test]
fn a_reset_by_the_peer_is_told_from_a_close() {
    reset_and_close(|_| {});
}

#[test]
fn what_is_written_before_the_connection_is_open_arrives() {
    let (address, thread) = peer(|mut socket| {
        let mut got = String::new();
        socket.read_to_string(&mut got).unwrap();
        got
    });
    let mut stream = Stream::connect(address, None, None).unwrap();
    stream.write(b"early ").unwrap();
    open(&mut stream).unwrap();
    stream.write(b"late").unwrap();
    assert!(!stream.wants_write());
    drop(stream);
    assert_eq!(thread.join().unwrap(), "early late");
}

#[test]
fn a_message_larger_than_the_kernels_buffers_arrives_whole_and_in_order() {
    const SIZE: usize = 20 * 1024 * 1024;
    let (start, started) = std::sync::mpsc::channel::<()>();
    let (address, thread) = peer(move |mut socket| {
        started.recv().unwrap();
        let mut got = Vec::new();
        socket.read_to_end(&mut got).unwrap();
        got
    });
    let mut stream = Stream::connect(address, None, None).unwrap();
    open(&mut stream).unwrap();
    sockopt::set_socket_send_buffer_size(stream.fd(), 64 * 1024).unwrap();
    let sent: Vec<u8> = (0..SIZE).map(|at| at.to_le_bytes()[at % 4]).collect();
    stream.write(&sent).unwrap();
    assert!(stream.wants_write(), "nobody reads yet");
    let fault = stream.write(b"more").unwrap_err();
    assert!(fault.detail.contains("does not read"), "{fault}");
    start.send(()).unwrap();
    flushed(&mut stream).unwrap();
    stream.write(b"end").unwrap();
    flushed(&mut stream).unwrap();
    drop(stream);
    let got = thread.join().unwrap();
    assert!(got[..SIZE] == sent, "bytes differ");
    assert_eq!(&got[SIZE..], b"end");
}

#[test]
fn a_connection_comes_from_the_source_address_that_it_was_given() {
    let (address, thread) = peer(|socket| socket.peer_addr().unwrap());
    let source = "127.0.0.2".parse().unwrap();
    let mut stream = Stream::connect(address, Some(source), None).unwrap();
    open(&mut stream).unwrap();
    assert_eq!(thread.join().unwrap().ip(), source);

    let foreign = "203.0.113.1".parse().unwrap();
    let fault = Stream::connect(address, Some(foreign), None).unwrap_err();
    assert_eq!(fault.side, Side::Script);
    assert!(
        fault.detail.contains("does not belong to this machine"),
        "{fault}"
    );
}

#[test]
fn an_open_stream_with_nothing_to_read_is_empty() {
    let (finish, finished) = std::sync::mpsc::channel::<()>();
    let (address, thread) = peer(move |mut socket| {
        finished.recv().unwrap();
        socket.write_all(b"x").unwrap();
    });
    let mut stream = Stream::connect(address, None, None).unwrap();
    open(&mut stream).unwrap();
    assert_eq!(stream.phase(), Phase::Open);
    assert!(matches!(stream.read(&mut [0; 16]), Read::Empty));
    finish.send(()).unwrap();
    assert!(matches!(read(&mut stream, &mut [0; 16]), Read::Bytes(1)));
    thread.join().unwrap();
}
