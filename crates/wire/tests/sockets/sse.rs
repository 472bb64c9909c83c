//! Server-sent events, from servers on Node and on Python's standard library.

use std::net::SocketAddr;
use std::process::Command;
use std::sync::Arc;

use model::Fault;
use url::Url;
use wire::http::Request;
use wire::sse::{Connection, Event, Signal};
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

/// Asks for a stream.
fn ask(address: SocketAddr, path: &str, last_event_id: &str) -> Connection {
    let url = Url::parse(&format!("http://{address}{path}")).unwrap();
    let request = Request::new("GET", Arc::new(url));
    let stream = Stream::connect(address, None, None).unwrap();
    let mut connection = Connection::open(stream, request, None, last_event_id, LIMIT).unwrap();
    open(connection.stream_mut()).unwrap();
    connection
}

/// Follows a stream until it has seen `count` events, or to its end. Returns them, the last id, and the fault of the end.
fn follow(
    address: SocketAddr,
    last_event_id: &str,
    count: usize,
) -> (Vec<String>, String, Option<Fault>) {
    let mut connection = ask(address, "/events", last_event_id);
    let (mut opened, mut seen) = (0, Vec::new());
    let mut buffer = [0; 1024];
    while seen.len() < count && !connection.is_done() {
        let Read::Bytes(size) = read(connection.stream_mut(), &mut buffer) else {
            break;
        };
        let mut sink = |signal: Signal<'_>| match signal {
            Signal::Opened => opened += 1,
            Signal::Event(event) => seen.push(shown(event)),
        };
        connection.on_bytes(&buffer[..size], &mut sink).unwrap();
    }
    assert_eq!(opened, 1);
    let last_event_id = connection.last_event_id().to_owned();
    (seen, last_event_id, connection.on_close().err())
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
    let (seen, last_event_id, _) = follow(address, "", FIRST.len());
    assert_eq!(seen, FIRST);
    assert_eq!(last_event_id, "3");
    // The server ends this stream after its last event, and an event that is cut off.
    let (seen, last_event_id, fault) = follow(address, &last_event_id, usize::MAX);
    assert_eq!(seen, REST);
    assert_eq!(last_event_id, "5");
    let fault = fault.unwrap();
    assert!(
        fault.detail.contains("in the middle of an event"),
        "{fault}"
    );
}

#[test]
fn a_stream_of_node_continues_after_a_reconnect() {
    continues_after_a_reconnect(node());
}

#[test]
fn a_stream_of_python_continues_after_a_reconnect() {
    continues_after_a_reconnect(python());
}

#[test]
fn other_responses_are_no_stream() {
    let (_process, address) = node();
    for (path, words) in [("/gone", "204"), ("/page", "text/html"), ("/busy", "429")] {
        let mut connection = ask(address, path, "");
        let mut buffer = [0; 1024];
        let Read::Bytes(size) = read(connection.stream_mut(), &mut buffer) else {
            panic!("{path}: no response");
        };
        let mut sink = |signal: Signal<'_>| panic!("{path}: {signal:?}");
        let read = connection.on_bytes(&buffer[..size], &mut sink);
        let fault = read.and_then(|()| connection.on_close()).unwrap_err();
        assert!(fault.detail.contains(words), "{path}: {fault}");
        assert_eq!(connection.is_stopped(), path == "/gone");
    }
}
