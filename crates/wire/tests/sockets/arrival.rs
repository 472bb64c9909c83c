//! Compares timestamps with a clock that the tests read, because `wire` reads none.

use std::io::Write as _;
use std::net::TcpStream;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, SystemTime};

use wire::{Read, StampingOn, Stream};

use crate::drive::{open, peer, read, reset_and_close};

/// Maximum wait for the kernel to start stamping. A kernel thread enables stamping, which took 5 s on a busy machine.
pub(crate) const UNTIL_STAMPED: Duration = Duration::from_mins(1);

struct Stamped {
    stream: Stream,
    send: Sender<&'static [u8]>,
    sent: Receiver<(SystemTime, SystemTime)>,
    _on: StampingOn,
}

/// A stream with timestamps. Its peer sends given bytes and reports the times before and after sending.
fn stamped() -> Stamped {
    let on = StampingOn::new().unwrap();
    let (send, to_send) = channel::<&'static [u8]>();
    let (tell, sent) = channel();
    let (address, _) = peer(move |mut socket: TcpStream| {
        socket.set_nodelay(true).unwrap();
        for bytes in to_send {
            let before = SystemTime::now();
            socket.write_all(bytes).unwrap();
            tell.send((before, SystemTime::now())).unwrap();
        }
    });
    let mut stream = Stream::connect(address, None, None).unwrap();
    open(&mut stream).unwrap();
    stream.stamp_arrivals().unwrap();
    let mut all = Stamped {
        stream,
        send,
        sent,
        _on: on,
    };
    let began = SystemTime::now();
    while all.round(b"warm").is_none() {
        assert!(began.elapsed().unwrap() < UNTIL_STAMPED, "never stamped");
    }
    all
}

impl Stamped {
    fn send(&self, bytes: &'static [u8]) -> (SystemTime, SystemTime) {
        self.send.send(bytes).unwrap();
        self.sent.recv().unwrap()
    }

    fn round(&mut self, bytes: &'static [u8]) -> Option<SystemTime> {
        self.send(bytes);
        let mut buffer = [0; 64];
        assert!(
            matches!(read(&mut self.stream, &mut buffer), Read::Bytes(count) if count == bytes.len())
        );
        self.stream.arrival()
    }
}

#[test]
fn the_stamp_is_from_when_the_bytes_came_and_not_from_when_they_were_read() {
    let mut stamped = stamped();
    let (before, after) = stamped.send(b"hello");
    std::thread::sleep(Duration::from_millis(30)); // the test is about a late read
    assert!(matches!(
        read(&mut stamped.stream, &mut [0; 64]),
        Read::Bytes(5)
    ));
    let stamp = stamped.stream.arrival().unwrap();
    assert!(
        before <= stamp && stamp <= after,
        "{before:?} {stamp:?} {after:?}"
    );
}

#[test]
fn of_two_packets_in_one_read_the_newer_is_the_arrival() {
    let mut stamped = stamped();
    stamped.send(b"first");
    std::thread::sleep(Duration::from_millis(2)); // so that the two stamps differ
    let (before, after) = stamped.send(b"second");
    let mut buffer = [0; 64];
    let mut left = b"firstsecond".len();
    while left > 0 {
        match read(&mut stamped.stream, &mut buffer) {
            Read::Bytes(count) => left -= count,
            other => panic!("{other:?}"),
        }
    }
    let stamp = stamped.stream.arrival().unwrap();
    assert!(before <= stamp && stamp <= after);
}

#[test]
fn a_stamped_stream_reads_the_same_bytes_and_is_empty_in_between() {
    let mut stamped = stamped();
    stamped.send(b"0123456789");
    let mut got = Vec::new();
    while got.len() < 10 {
        let mut buffer = [0; 3];
        match read(&mut stamped.stream, &mut buffer) {
            Read::Bytes(count) => got.extend_from_slice(&buffer[..count]),
            other => panic!("{other:?}"),
        }
        assert!(stamped.stream.arrival().is_some());
    }
    assert_eq!(got, b"0123456789");
    assert!(matches!(stamped.stream.read(&mut [0; 3]), Read::Empty));
}

#[test]
fn a_stream_that_was_not_asked_tells_nothing() {
    let (address, thread) = peer(|mut socket| socket.write_all(b"x").unwrap());
    let mut stream = Stream::connect(address, None, None).unwrap();
    open(&mut stream).unwrap();
    assert!(matches!(read(&mut stream, &mut [0; 4]), Read::Bytes(1)));
    assert_eq!(stream.arrival(), None);
    thread.join().unwrap();
}

#[test]
fn close_and_reset_of_a_stamped_stream_are_told_apart() {
    reset_and_close(|stream| stream.stamp_arrivals().unwrap());
}
