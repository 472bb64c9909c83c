use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use clap::Parser;
use serde_json::Value;
use truth::{Config, Running, start};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    config: Config,
}

/// A truth server for one test. It stops when dropped.
pub(crate) struct Server {
    running: Option<Running>,
    pub(crate) address: SocketAddr,
}

pub(crate) fn server(arguments: &[&str]) -> Server {
    let all = ["truth", "--listen", "127.0.0.1:0"].iter().chain(arguments);
    let running = start(&Cli::parse_from(all).config).unwrap();
    let address = running.address();
    Server {
        running: Some(running),
        address,
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.stop().unwrap();
        }
    }
}

/// A response, with the time from before sending the request to after reading the response.
#[derive(Debug)]
pub(crate) struct Got {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
    pub(crate) took: Duration,
}

impl Server {
    pub(crate) fn connect(&self) -> TcpStream {
        let socket = TcpStream::connect(self.address).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket.set_nodelay(true).unwrap();
        socket
    }

    /// Sends one request on a new connection.
    pub(crate) fn get(&self, target: &str) -> Got {
        ask(&mut self.connect(), "GET", target, b"")
    }

    pub(crate) fn delete(&self, target: &str) -> Got {
        ask(&mut self.connect(), "DELETE", target, b"")
    }

    pub(crate) fn truth(&self) -> Value {
        serde_json::from_slice(&self.get("/truth").body).unwrap()
    }

    /// Polls the value at `place` until `wanted` accepts it. Returns the whole report.
    pub(crate) fn truth_once(&self, place: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let end = now() + PATIENCE;
        loop {
            let truth = self.truth();
            let value = truth.pointer(place).unwrap_or(&Value::Null);
            if wanted(value) {
                return truth;
            }
            assert!(now() < end, "{place} is {value} of {truth}");
            std::thread::yield_now();
        }
    }

    pub(crate) fn websocket(&self, target: &str) -> WebSocket<MaybeTlsStream<TcpStream>> {
        let url = format!("ws://{}{target}", self.address);
        let (socket, _) = tungstenite::client(url, MaybeTlsStream::Plain(self.connect())).unwrap();
        socket
    }
}

#[expect(clippy::disallowed_methods, reason = "a client has a clock of its own")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

pub(crate) fn ask(socket: &mut TcpStream, method: &str, target: &str, body: &[u8]) -> Got {
    let begin = now();
    send(socket, method, target, body);
    let mut got = receive(socket);
    got.took = begin.elapsed();
    got
}

pub(crate) fn send(socket: &mut TcpStream, method: &str, target: &str, body: &[u8]) {
    let length = body.len();
    let head = format!("{method} {target} HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n\r\n");
    socket.write_all(&[head.as_bytes(), body].concat()).unwrap();
}

pub(crate) fn receive(socket: &mut TcpStream) -> Got {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        socket.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let status = head[9..12].parse().unwrap();
    let length = header(&head, "content-length").unwrap().parse().unwrap();
    let mut body = vec![0; length];
    socket.read_exact(&mut body).unwrap();
    let took = Duration::ZERO;
    Got {
        status,
        head,
        body,
        took,
    }
}

pub(crate) fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    lines
        .find(|(known, _)| *known == name)
        .map(|(_, value)| value)
}

/// Returns the next text message, and responds to pings.
pub(crate) fn text(socket: &mut WebSocket<MaybeTlsStream<TcpStream>>) -> String {
    loop {
        if let Message::Text(text) = socket.read().unwrap() {
            return text.to_string();
        }
    }
}

pub(crate) fn say(socket: &mut WebSocket<MaybeTlsStream<TcpStream>>, text: &str) {
    socket.send(Message::text(text)).unwrap();
}
