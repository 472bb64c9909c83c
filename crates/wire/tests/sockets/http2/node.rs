use std::net::SocketAddr;
use std::process::Command;

use model::{FaultKind, Side};
use wire::http::Body;
use wire::http2::{Connection, Repeatable};
use wire::{Stream, TlsSettings};

use super::{BODY_LIMIT, answer, connected, finished, request, text, until_free};
use crate::drive::open;
use crate::process::Process;

/// Node's HTTP/2 server.
struct Server {
    _process: Process,
    address: SocketAddr,
}

impl Server {
    fn start(streams: usize, environment: &[(&str, &str)]) -> Self {
        let script = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/sockets/http2/server.mjs"
        );
        let mut command = Command::new("node");
        command
            .args([script, &streams.to_string()])
            .envs(environment.iter().copied());
        let (process, address) = Process::printing_its_port(&mut command, "install Node 20");
        Self {
            _process: process,
            address,
        }
    }
}

fn served() -> (Server, Connection) {
    let server = Server::start(100, &[]);
    let connection = connected(server.address);
    (server, connection)
}

#[test]
fn a_server_sees_the_same_headers_as_over_http_1() {
    let (_server, mut connection) = served();
    let mut asked = request("GET", "/headers?x=y");
    asked.headers.push(("X-Own".into(), "Grüße".into()));
    asked
        .headers
        .push(("Connection".into(), "keep-alive".into()));
    connection.send(&asked, Some("id=7")).unwrap();
    let response = answer(&mut connection).unwrap();
    assert_eq!(response.status, 200);
    let seen = text(&response);
    for part in [
        r#"":method":"GET""#,
        r#"":path":"/headers?x=y""#,
        r#"":scheme":"http""#,
        r#"":authority":"a.test:81""#,
        r#""user-agent":"headcount/"#,
        r#""accept":"*/*""#,
        r#""accept-encoding":"gzip, br""#,
        r#""cookie":"id=7""#,
        r#""x-own":""#,
    ] {
        assert!(seen.contains(part), "{part} in {seen}");
    }
    assert!(
        !seen.contains("connection") && !seen.contains("host"),
        "{seen}"
    );
    let cookies: Vec<_> = response.headers.all("set-cookie").collect();
    assert_eq!(cookies, ["a=1", "b=2"]);
    assert_eq!(response.headers.reason(), "");
}

#[test]
fn answers_come_in_any_order() {
    let (_server, mut connection) = served();
    connection.send(&request("GET", "/none"), None).unwrap();
    assert_eq!(connection.may_send(), 0, "one until the settings have come");
    assert_eq!(answer(&mut connection).unwrap().status, 204);
    until_free(&mut connection, 100);
    let mut send = |target| {
        let stream = connection.send(&request("GET", target), None).unwrap();
        (stream, connection.in_flight(), connection.may_send())
    };
    let ((first, ..), (second, held, free)) = (send("/hold"), send("/hold"));
    assert_eq!((held, free), (2, 98));
    for expected in [second, first] {
        let release = connection.send(&request("GET", "/release"), None).unwrap();
        let mut both = [(); 2].map(|()| finished(&mut connection).unwrap());
        both.sort_by_key(|end| end.stream);
        assert_eq!([both[0].stream, both[1].stream], [expected, release]);
        let bodies = both.map(|end| text(&end.outcome.unwrap()).to_owned());
        assert_eq!(bodies, ["held", "released"]);
    }
    assert!(connection.is_usable());
}

#[test]
fn windows_are_given_back_so_that_large_bodies_go_on() {
    const SIZE: usize = 20_000_000; // more than the connection's window and a stream's
    let server = Server::start(100, &[]);
    let stream = Stream::connect(server.address, None, None).unwrap();
    let mut connection = Connection::new(stream, SIZE).unwrap();
    open(connection.stream_mut()).unwrap();
    connection
        .send(&request("GET", &format!("/big?{SIZE}")), None)
        .unwrap();
    assert_eq!(answer(&mut connection).unwrap().body.len(), SIZE);
}

#[test]
fn a_request_body_larger_than_the_window_arrives_whole() {
    let (_server, mut connection) = served();
    let mut asked = request("POST", "/echo");
    let bytes: Vec<u8> = (0..1_000_000_u32).map(|at| at.to_le_bytes()[1]).collect();
    asked.body = Body::bytes(bytes.clone());
    connection.send(&asked, None).unwrap();
    let before = connection.bytes_sent();
    assert!(before < 100_000, "{before} bytes at once");
    let response = answer(&mut connection).unwrap();
    assert!(response.body == bytes);
    assert!(connection.bytes_sent() > 1_000_000);
}

#[test]
fn an_answer_before_the_body_was_read_is_an_answer() {
    let (_server, mut connection) = served();
    let mut asked = request("POST", "/unread");
    asked.body = Body::bytes(vec![b'x'; 1_000_000]);
    connection.send(&asked, None).unwrap();
    assert_eq!(text(&answer(&mut connection).unwrap()), "did not look");
    connection.send(&request("GET", "/none"), None).unwrap();
    assert_eq!(answer(&mut connection).unwrap().status, 204);
}

#[test]
fn every_kind_of_body_is_read_to_its_end() {
    let (_server, mut connection) = served();
    let mut ask = |method, target| {
        connection.send(&request(method, target), None).unwrap();
        answer(&mut connection).unwrap()
    };
    let packed = ask("GET", "/gzip");
    assert_eq!(text(&packed), "the same ".repeat(1000));
    assert_eq!(packed.headers.get("Content-Encoding"), Some("gzip"));
    let head = ask("HEAD", "/length");
    assert_eq!(
        (head.headers.get("content-length"), head.body.len()),
        (Some("1000"), 0)
    );
    assert_eq!(ask("GET", "/length").body.len(), 1000);
    assert_eq!(ask("GET", "/none").status, 204);
    assert_eq!(text(&ask("GET", "/interim")), "at last");
    assert_eq!(text(&ask("GET", "/trailers")), "before the trailers");
    assert_eq!(ask("GET", "/unknown").status, 404);
}

#[test]
fn a_discarded_body_is_counted() {
    let (_server, mut connection) = served();
    connection.discard();
    connection.send(&request("GET", "/big?1000"), None).unwrap();
    let response = answer(&mut connection).unwrap();
    assert!(response.body.is_empty() && response.headers.size() == 0);
    assert!((1000..1200).contains(&response.size), "{}", response.size);
    connection.send(&request("GET", "/unknown"), None).unwrap();
    let response = answer(&mut connection).unwrap();
    assert_eq!(response.size, response.headers.size() + "no /unknown".len());
    assert_eq!(response.body, b"no /unknown", "it states the reason");
}

#[test]
fn a_body_above_the_limit_costs_its_stream_alone() {
    let (_server, mut connection) = served();
    connection
        .send(&request("GET", "/big?5000000"), None)
        .unwrap();
    let fault = answer(&mut connection).unwrap_err();
    assert_eq!(
        (fault.side, fault.kind),
        (Side::Generator, FaultKind::TooLarge)
    );
    connection.send(&request("GET", "/big?10"), None).unwrap();
    assert_eq!(text(&answer(&mut connection).unwrap()), "xxxxxxxxxx");
}

#[test]
fn the_servers_limit_of_streams_is_kept() {
    let server = Server::start(3, &[]);
    let mut connection = connected(server.address);
    let (mut sent, mut peak) = (0, String::new());
    while sent < 20 || connection.in_flight() > 0 {
        while sent < 20 && connection.may_send() > 0 {
            connection.send(&request("GET", "/slow"), None).unwrap();
            sent += 1;
        }
        peak = text(&answer(&mut connection).unwrap()).to_owned();
    }
    assert_eq!(peak, "3");
    let refused = {
        for _ in 0..3 {
            connection.send(&request("GET", "/hold"), None).unwrap();
        }
        connection.send(&request("GET", "/slow"), None).unwrap_err()
    };
    assert_eq!(refused.side, Side::Generator);
}

#[test]
fn a_reset_stream_names_its_reason_and_leaves_the_connection() {
    let (_server, mut connection) = served();
    connection.send(&request("GET", "/reset"), None).unwrap();
    let end = finished(&mut connection).unwrap();
    let fault = end.outcome.unwrap_err();
    assert_eq!((fault.side, fault.kind), (Side::Target, FaultKind::Reset));
    assert!(fault.detail.contains("ENHANCE_YOUR_CALM"), "{fault}");
    assert!(end.repeatable == Repeatable::No && connection.is_usable());
}

#[test]
fn a_server_that_leaves_answers_what_it_took() {
    let (_server, mut connection) = served();
    connection.send(&request("GET", "/none"), None).unwrap();
    answer(&mut connection).unwrap();
    until_free(&mut connection, 2);
    connection.send(&request("GET", "/hold"), None).unwrap();
    connection.send(&request("GET", "/leave"), None).unwrap();
    let mut bodies = [(); 2].map(|()| text(&answer(&mut connection).unwrap()).to_owned());
    bodies.sort();
    assert_eq!(bodies, ["goodbye", "held until the goodbye"]);
    assert!(!connection.is_usable());
    assert!(finished(&mut connection).is_none());
}

#[test]
fn a_cancelled_stream_is_reset_and_never_handed_out() {
    let server = Server::start(1, &[]);
    let mut connection = connected(server.address);
    let held = connection.send(&request("GET", "/hold"), None).unwrap();
    assert_eq!(connection.may_send(), 0);
    connection.cancel(held).unwrap();
    assert_eq!(connection.may_send(), 1);
    // The server allows one stream, so it would refuse this request if it had not received the reset.
    connection.send(&request("GET", "/slow"), None).unwrap();
    assert_eq!(text(&answer(&mut connection).unwrap()), "1");
    assert!(connection.next_finished().is_none());
}

#[test]
fn over_tls_both_sides_agree_on_http_2_only_when_it_is_offered() {
    let rcgen::CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let server = Server::start(
        100,
        &[("KEY", &signing_key.serialize_pem()), ("CERT", &cert.pem())],
    );
    let settings = TlsSettings::new(false, Some(cert.pem().as_bytes()))
        .unwrap()
        .offering_http2();
    let stream = Stream::connect(server.address, None, Some((&settings, "localhost"))).unwrap();
    let mut connection = Connection::new(stream, BODY_LIMIT).unwrap();
    open(connection.stream_mut()).unwrap();
    assert_eq!(
        connection.stream().agreed_protocol(),
        Some(b"h2".as_slice())
    );
    connection
        .send(&request("GET", "/big?100000"), None)
        .unwrap();
    assert_eq!(answer(&mut connection).unwrap().body.len(), 100_000);
}
