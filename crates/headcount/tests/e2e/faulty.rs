//! The server of the grid: each fault happens as configured, and the server logs it. The clients are third-party
//! (tungstenite, curl) or plain sockets.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use tungstenite::{Message, connect};

use crate::harness::Server;

/// Longer than any response takes here, unless it never arrives.
const SOON: Duration = Duration::from_secs(5);

/// A separate port with one fault.
pub(crate) struct Cell<'a> {
    server: &'a Server,
    number: u64,
    port: u16,
}

impl<'a> Cell<'a> {
    pub(crate) fn open(server: &'a Server, order: &Value) -> Self {
        let opened = call(server.port(), "POST", "/cells", &order.to_string());
        Self {
            server,
            number: opened["number"].as_u64().unwrap(),
            port: u16::try_from(opened["port"].as_u64().unwrap()).unwrap(),
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    fn close(self) -> Value {
        call(
            self.server.port(),
            "DELETE",
            &format!("/cells/{}", self.number),
            "",
        )
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(SOON)).unwrap();
        stream
    }

    fn member(&self, room: &str) -> Member {
        let url = format!("ws://127.0.0.1:{}/room/{room}", self.port);
        Member(connect(url).unwrap().0)
    }
}

struct Member(tungstenite::WebSocket<tungstenite::stream::MaybeTlsStream<TcpStream>>);

impl Member {
    fn say(&mut self, text: &str) {
        self.0.send(Message::text(text)).unwrap();
    }

    fn hears(&mut self) -> String {
        self.0.read().unwrap().into_text().unwrap().to_string()
    }
}

fn call(port: u16, method: &str, path: &str, body: &str) -> Value {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
}

/// Sends one request. Returns the status line, or an empty text if the connection ended without a response.
fn ask(stream: &mut TcpStream) -> String {
    stream
        .write_all(b"GET /r HTTP/1.1\r\nhost: x\r\n\r\n")
        .unwrap();
    let mut answer = Vec::new();
    let mut part = [0; 256];
    while !answer.ends_with(b"}") {
        match stream.read(&mut part) {
            Ok(0) => break,
            Ok(read) => answer.extend_from_slice(&part[..read]),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => break,
            Err(error) => panic!("{error}"),
        }
    }
    let text = String::from_utf8(answer).unwrap();
    text.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn http_faults_happen_as_ordered_and_are_logged() {
    let server = Server::faulty();
    let cell = Cell::open(&server, &json!({ "fault": "error", "each": 2 }));
    let mut stream = cell.connect();
    let statuses: Vec<String> = (0..4).map(|_| ask(&mut stream)).collect();
    let (good, bad) = ("HTTP/1.1 200 OK", "HTTP/1.1 500 Internal Server Error");
    assert_eq!(statuses, [good, bad, good, bad]);
    let log = cell.close();
    let ok: Vec<&Value> = log["requests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["ok"])
        .collect();
    assert_eq!(ok, [true, false, true, false]);

    for fault in ["close", "reset"] {
        let cell = Cell::open(&server, &json!({ "fault": fault, "each": 2 }));
        let mut stream = cell.connect();
        assert_eq!([ask(&mut stream), ask(&mut stream)], [good, ""], "{fault}");
        let log = cell.close();
        assert_eq!(log["connections"][0]["closed_here"], true, "{log}");
        assert_eq!(log["requests"][1]["answered_us"], Value::Null, "{log}");
    }
}

#[test]
fn a_delay_is_kept_and_what_is_frozen_never_answers() {
    let server = Server::faulty();
    let order = json!({ "delay_ms": 30, "fault": "frozen", "each": 2 });
    let cell = Cell::open(&server, &order);
    let mut healthy = cell.connect();
    assert_eq!(ask(&mut healthy), "HTTP/1.1 200 OK");
    let mut frozen = cell.connect();
    frozen
        .set_read_timeout(Some(Duration::from_millis(300)))
        .unwrap();
    frozen
        .write_all(b"GET /r HTTP/1.1\r\nhost: x\r\n\r\n")
        .unwrap();
    assert!(frozen.read(&mut [0; 16]).is_err());
    let log = cell.close();
    let micros = |name: &str| log["requests"][0][name].as_u64().unwrap();
    assert!(micros("answered_us") - micros("read_us") >= 30_000, "{log}");
    assert_eq!(log["requests"][1]["answered_us"], Value::Null, "{log}");
}

#[test]
fn deliveries_are_dropped_doubled_and_overtaken_as_ordered_and_logged() {
    let server = Server::faulty();
    let heard = |fault: &str, ms: u64, more: usize| {
        let cell = Cell::open(&server, &json!({ "fault": fault, "each": 2, "ms": ms }));
        let (mut ann, mut ben) = (cell.member("a"), cell.member("a"));
        for text in ["1", "2", "3"] {
            ann.say(text);
        }
        let heard: Vec<String> = (0..more).map(|_| ben.hears()).collect();
        let log = cell.close();
        let deliveries = log["deliveries"].as_array().unwrap();
        let copies = deliveries
            .iter()
            .map(|one| one["written_us"].as_array().unwrap().len());
        (heard.join(" "), copies.collect::<Vec<_>>())
    };
    assert_eq!(heard("drop", 0, 2), ("1 3".to_owned(), vec![1, 0, 1]));
    assert_eq!(
        heard("duplicate", 0, 4),
        ("1 2 2 3".to_owned(), vec![1, 2, 1])
    );
    assert_eq!(heard("swap", 100, 3), ("1 3 2".to_owned(), vec![1, 1, 1]));
}

#[test]
fn http2_is_spoken_and_an_error_of_grpc_stands_in_its_trailers() {
    let server = Server::faulty();
    let cell = Cell::open(&server, &json!({ "fault": "grpc_error" }));
    let url = format!("http://127.0.0.1:{}/r", cell.port);
    let curl = Command::new("curl")
        .args([
            "-s",
            "-i",
            "--max-time",
            "10",
            "--http2-prior-knowledge",
            &url,
        ])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&curl.stdout).into_owned();
    assert!(text.starts_with("HTTP/2 200"), "{text}");
    assert!(text.contains("grpc-status: 13"), "{text}");
    let log = cell.close();
    assert_eq!(log["requests"][0]["ok"], false, "{log}");
}
