use std::io::Read as _;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use wire::Phase;

use super::*;

const NOW: Nanos = Nanos::from_secs(10);
const STREAM: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

/// A stream, and the listener of the server.
struct Lab {
    stream: Box<EventStream>,
    listener: TcpListener,
}

impl Lab {
    fn new(reconnects: bool) -> Self {
        let url = Arc::new(Url::parse("http://127.0.0.1/feed").unwrap());
        let request = Request::new("GET", url);
        let limit = Nanos::from_secs(1);
        let continues = (String::new(), reconnects);
        Self {
            stream: Box::new(EventStream::new(request, limit, 1000, continues)),
            listener: TcpListener::bind("127.0.0.1:0").unwrap(),
        }
    }

    /// Connects. Returns the server's side, and the head of the request.
    fn connect(&mut self) -> (TcpStream, String) {
        let address = self.listener.local_addr().unwrap();
        let mut connecting = Stream::connect(address, None, None).unwrap();
        let (mut peer, _) = self.listener.accept().unwrap();
        while connecting.advance().unwrap() != Phase::Open {}
        self.stream.connect(connecting, Some("sid=1")).unwrap();
        let (mut head, mut buffer) = (Vec::new(), [0; 1024]);
        while !head.ends_with(b"\r\n\r\n") {
            let count = peer.read(&mut buffer).unwrap();
            assert_ne!(count, 0, "the request is not complete");
            head.extend_from_slice(&buffer[..count]);
        }
        (peer, String::from_utf8(head).unwrap())
    }

    /// Reads this response, and its end. Returns the fault, if the stream did not end in order.
    fn reads(&mut self, response: &[u8]) -> Fault {
        let read = self.stream.on_bytes(response, &mut |_| {});
        let closed = Fault::target(FaultKind::Closed, "in order");
        read.and_then(|()| self.stream.on_close())
            .err()
            .unwrap_or(closed)
    }
}

#[test]
fn the_next_connection_continues_after_the_last_event_when_the_server_wants_it() {
    let mut lab = Lab::new(true);
    let (_peer, head) = lab.connect();
    assert!(!head.contains("Last-Event-ID"), "{head}");
    assert!(head.contains("Cookie: sid=1\r\n"), "{head}");
    let fault = lab.reads(&[STREAM, b"retry: 70\n\nid: 5\ndata: x\n\n"].concat());
    assert!(lab.stream.continues_after(&fault), "{fault}");
    let due = NOW + Nanos::from_millis(70);
    assert_eq!(lab.stream.wait_from(NOW), due);
    assert_eq!(
        (lab.stream.reconnect_due(), lab.stream.reconnects()),
        (due, 0)
    );
    assert_eq!(lab.stream.last_event_id(), "5");
    assert_eq!(
        (lab.stream.take_due(), lab.stream.reconnect_due()),
        (due, Nanos::MAX)
    );
    let (_peer, head) = lab.connect();
    assert!(head.contains("Last-Event-ID: 5\r\n"), "{head}");
    lab.reads(STREAM);
    assert_eq!(
        (lab.stream.reconnects(), lab.stream.last_event_id()),
        (1, "5")
    );
}

#[test]
fn without_the_servers_wish_the_wait_is_that_of_browsers_and_never_longer_than_a_day() {
    let mut lab = Lab::new(true);
    assert_eq!(lab.stream.wait_from(NOW), NOW + Nanos::from_secs(3));
    let _peer = lab.connect();
    lab.reads(&[STREAM, b"retry: 99999999999999999999\n\n"].concat());
    let day = Nanos::from_secs(24 * 3600);
    assert_eq!(lab.stream.wait_from(NOW), NOW + day);
}

#[test]
fn only_an_open_stream_that_loses_its_connection_reconnects() {
    let continues = |reconnects, response: &[u8]| {
        let mut lab = Lab::new(reconnects);
        let _peer = lab.connect();
        let fault = lab.reads(response);
        (
            lab.stream.continues_after(&fault),
            lab.stream.ended_in_order(),
        )
    };
    let half = [STREAM, b"data: x\n"].concat();
    assert_eq!(continues(true, STREAM), (true, true));
    assert_eq!(continues(true, &half), (true, false));
    assert_eq!(continues(false, STREAM), (false, true));
    let large = [STREAM, b"data: ", &[b'x'; 2000]].concat();
    for never in [
        &b""[..],
        b"HTTP/1.1 404 Not Found\r\n\r\n",
        b"HTTP/1.1 204 No Content\r\n\r\n",
        &large,
    ] {
        assert_eq!(continues(true, never), (false, false));
    }
}

#[test]
fn a_refused_reconnection_is_repeated_but_a_404_and_a_204_end_the_stream() {
    let mut lab = Lab::new(true);
    let _first = lab.connect();
    lab.reads(STREAM);
    lab.stream.wait_from(NOW);
    let refused = Fault::target(FaultKind::Refused, "nobody");
    assert!(lab.stream.continues_after(&refused));
    let own = Fault::generator(FaultKind::Resources, "no port is free");
    assert!(!lab.stream.continues_after(&own));
    let _second = lab.connect();
    let missing = lab.reads(b"HTTP/1.1 404 Not Found\r\n\r\n");
    assert!(!lab.stream.continues_after(&missing), "{missing}");
    assert!(!lab.stream.ended_in_order());
    lab.stream.wait_from(NOW);
    let _third = lab.connect();
    let stopped = lab.reads(b"HTTP/1.1 204 No Content\r\n\r\n");
    assert!(!lab.stream.continues_after(&stopped), "{stopped}");
    assert!(lab.stream.ended_in_order(), "the server asked for it");
}
