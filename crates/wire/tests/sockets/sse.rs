//! Server-sent events, from servers on Node and on Python's standard library.

use std::net::SocketAddr;
use std::process::Command;

use wire::http::{Parser as HttpParser, Response};
use wire::sse::{Acceptance, Event, Parser, accepts, request_headers};
use wire::{Read, Stream};

use crate::drive::{open, read};
use crate::process::Process;

const LIMIT: usize = 1 << 20;

fn node() -> (Process, SocketAddr) {
    started("node", "server.mjs", "install Node 20")
}

fn python() -> (Process, SocketAddr) {
    started("python3", "server.py", "install Python 3.11")
}

fn started(program: &str, script: &str, advice: &str) -> (Process, SocketAddr) {
    let script = format!("{}/tests/sockets/sse/{script}", env!("CARGO_MANIFEST_DIR"));
    Process::printing_its_port(Command::new(program).arg(script), advice)
}

/// A received event in one line.
fn shown(event: Event<'_>) -> String {
    match event {
        Event::Message(message) => format!("{} {:?} id={}", message.name, message.data, message.id),
        Event::Retry(ms) => format!("retry {ms}"),
        Event::Comment(text) => format!("comment {}", String::from_utf8_lossy(text)),
        Event::Ignored { reason, text } => format!("{reason:?} {}", String::from_utf8_lossy(text)),
    }
}

/// Asks for a stream. The version decides whether the server sends chunks (HTTP/1.1) or plain bytes (HTTP/1.0).
fn ask(address: SocketAddr, version: &str, path: &str, last_event_id: &str) -> Stream {
    let mut stream = Stream::connect(address, None, None).unwrap();
    open(&mut stream).unwrap();
    let mut request = format!("GET {path} HTTP/{version}\r\nHost: a.test\r\n");
    for (name, value) in request_headers(last_event_id) {
        request.extend([name, ": ", value, "\r\n"]);
    }
    request.push_str("\r\n");
    stream.write(request.as_bytes()).unwrap();
    stream
}

/// Follows a stream until it has seen `count` events, or to its end. Returns them, and the last id.
fn follow(
    address: SocketAddr,
    path: &str,
    last_event_id: &str,
    count: usize,
) -> (Vec<String>, String) {
    let mut stream = ask(address, "1.0", path, last_event_id);
    let mut parser = Parser::new(LIMIT, last_event_id);
    let (mut head, mut seen) = (Vec::new(), Vec::new());
    let mut is_body = false;
    let mut buffer = [0; 1024];
    while seen.len() < count {
        let Read::Bytes(size) = read(&mut stream, &mut buffer) else {
            break;
        };
        let mut bytes = &buffer[..size];
        if !is_body {
            head.extend_from_slice(bytes);
            let Some(end) = memchr::memmem::find(&head, b"\r\n\r\n") else {
                continue;
            };
            let text = String::from_utf8(head[..end].to_ascii_lowercase()).unwrap();
            let content_type = text
                .lines()
                .find_map(|line| line.strip_prefix("content-type:"));
            assert_eq!(accepts(200, content_type), Ok(Acceptance::Stream), "{text}");
            bytes = &bytes[size - (head.len() - end - 4)..];
            is_body = true;
        }
        parser
            .on_bytes(bytes, &mut |event| seen.push(shown(event)))
            .unwrap();
    }
    (seen, parser.last_event_id().to_owned())
}

const FIRST: [&str; 6] = [
    "comment  welcome",
    "retry 250",
    "message \"one\" id=1",
    "news \"two\\nlines\" id=2",
    "message \"größe €\" id=3",
    "UnknownField unknown: field",
];
const REST: [&str; 2] = ["message \"\" id=4", "message \"{\\\"n\\\": 5}\" id=5"];

fn continues_after_a_reconnect((_process, address): (Process, SocketAddr)) {
    let (seen, last_event_id) = follow(address, "/events", "", FIRST.len());
    assert_eq!(seen, FIRST);
    assert_eq!(last_event_id, "3");
    // The server ends this stream after its last event, and an event that is cut off.
    let (seen, last_event_id) = follow(address, "/events", &last_event_id, usize::MAX);
    assert_eq!(seen, REST);
    assert_eq!(last_event_id, "5");
}

#[test]
fn a_stream_of_node_continues_after_a_reconnect() {
    continues_after_a_reconnect(node());
}

#[test]
fn a_stream_of_python_continues_after_a_reconnect() {
    continues_after_a_reconnect(python());
}

/// A whole response, whose body may have any framing.
fn response(address: SocketAddr, path: &str, last_event_id: &str) -> Response {
    let mut stream = ask(address, "1.1", path, last_event_id);
    let mut parser = HttpParser::new(LIMIT);
    parser.expect(false);
    let mut buffer = [0; 1024];
    loop {
        let response = match read(&mut stream, &mut buffer) {
            Read::Bytes(size) => parser.on_bytes(&buffer[..size]).unwrap(),
            _ => parser.on_close().unwrap(),
        };
        if let Some(response) = response {
            return response;
        }
    }
}

#[test]
fn chunks_do_not_show_in_the_events() {
    let (_process, address) = node();
    let response = response(address, "/events", "3");
    assert_eq!(response.headers.get("transfer-encoding"), Some("chunked"));
    let mut seen = Vec::new();
    let mut parser = Parser::new(LIMIT, "3");
    for piece in response.body.chunks(3) {
        parser
            .on_bytes(piece, &mut |event| seen.push(shown(event)))
            .unwrap();
    }
    assert_eq!(seen, REST);
    assert!(parser.holds_a_part(), "the last event was cut off");
}

#[test]
fn other_responses_are_no_stream() {
    let (_process, address) = node();
    for (path, expected) in [
        ("/gone", None),
        ("/page", Some("text/html")),
        ("/busy", Some("429")),
    ] {
        let response = response(address, path, "");
        let outcome = accepts(response.status, response.headers.get("content-type"));
        match expected {
            None => assert_eq!(outcome, Ok(Acceptance::Stop)),
            Some(words) => assert!(outcome.unwrap_err().detail.contains(words)),
        }
    }
}
