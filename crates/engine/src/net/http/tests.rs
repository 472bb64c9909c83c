use std::net::TcpListener;
use std::sync::Arc;

use plan::Timeouts;
use url::Url;
use wire::http::Request;

use super::*;

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const STARTED: Nanos = Nanos::from_secs(10);

/// A connection whose handshake nobody has looked at yet. The listener keeps the port.
fn link() -> (HttpLink<u32>, TcpListener) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let stream = Stream::connect(listener.local_addr().unwrap(), None, None).unwrap();
    let opening = Opening {
        asked: STARTED,
        until: STARTED + Nanos::from_secs(1),
    };
    (HttpLink::new(stream, 1 << 20, false, opening), listener)
}

/// Sends request number 7, which gets 2 s for the first byte and 5 s in total.
fn send(link: &mut HttpLink<u32>) {
    let url = Arc::new(Url::parse("http://127.0.0.1/").unwrap());
    let timeouts = Timeouts {
        connect: Nanos::from_secs(1),
        first_byte: Nanos::from_secs(2),
        total: Nanos::from_secs(5),
    };
    let request = Request::new("GET", url);
    let call = Call::new((request, 0), STARTED, timeouts, 7);
    link.send(Box::new(call), Ok(b"GET / HTTP/1.1\r\n\r\n"))
        .unwrap();
}

fn timed_out(link: &HttpLink<u32>, after_s: u64) -> Option<String> {
    let now = STARTED + Nanos::from_secs(after_s);
    let fault = link.timed_out(now, Nanos::from_secs(1))?;
    assert_eq!(fault.kind, FaultKind::TimedOut);
    Some(fault.detail)
}

#[test]
fn a_response_is_returned_with_its_request_whatever_the_pieces() {
    for cut in 1..OK.len() {
        let (mut link, _listener) = link();
        send(&mut link);
        let first = link.on_bytes(&OK[..cut], STARTED);
        assert!(matches!(first, HttpEvent::Incomplete), "{cut}");
        let HttpEvent::Responded {
            call,
            response,
            unasked,
            ..
        } = link.on_bytes(&OK[cut..], STARTED)
        else {
            panic!("no response after {cut} bytes and the rest");
        };
        assert_eq!((call.context, response.status), (7, 200));
        assert_eq!((call.bytes_out, unasked), (18, None));
        assert!(link.call().is_none());
    }
}

#[test]
fn data_that_follows_a_response_is_reported_with_it() {
    let (mut link, _listener) = link();
    send(&mut link);
    let event = link.on_bytes(&[OK, OK].concat(), STARTED);
    assert!(
        matches!(
            &event,
            HttpEvent::Responded {
                unasked: Some(_),
                ..
            }
        ),
        "{event:?}"
    );
}

#[test]
fn data_without_a_request_breaks_the_connection_and_only_a_408_is_expected() {
    let timeout = b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n";
    for (bytes, expected) in [(OK, true), (timeout, false)] {
        let (mut link, _listener) = link();
        let event = link.on_bytes(bytes, STARTED);
        assert!(
            matches!(event, HttpEvent::Broke { unasked, .. } if unasked == expected),
            "{event:?}"
        );
    }
}

#[test]
fn data_that_was_received_before_the_request_is_not_its_response() {
    let (mut link, _listener) = link();
    send(&mut link);
    let event = link.on_bytes(OK, STARTED - Nanos(1));
    assert!(
        matches!(event, HttpEvent::Broke { unasked: false, .. }),
        "{event:?}"
    );
    let end = link.end();
    assert_eq!(end.call.map(|call| call.context), Some(7));
    assert!(end.opening.is_some() && !end.was_idle);
}

#[test]
fn the_connection_then_the_first_byte_then_the_response_has_a_time_limit() {
    let (mut link, _listener) = link();
    assert_eq!(timed_out(&link, 0), None);
    assert_eq!(link.limit(), STARTED + Nanos::from_secs(1));
    assert_eq!(timed_out(&link, 1).unwrap(), "no connection within 1 s");
    link.take_opening();
    send(&mut link);
    assert_eq!(timed_out(&link, 1), None);
    let first = timed_out(&link, 2).unwrap();
    assert_eq!(first, "no byte of the response within 2 s");
    link.on_bytes(&OK[..5], STARTED);
    assert_eq!(timed_out(&link, 4), None);
    let whole = timed_out(&link, 5).unwrap();
    assert_eq!(whole, "the response was not complete within 5 s");
}

#[test]
fn a_request_that_cannot_be_encoded_is_still_in_flight() {
    let (mut link, _listener) = link();
    send(&mut link);
    let call = link.take_call().unwrap();
    let fault = Fault::script(FaultKind::Protocol, "a header with a line break");
    assert_eq!(link.send(call, Err(fault.clone())), Err(fault));
    assert_eq!(link.end().call.map(|call| call.context), Some(7));
}
