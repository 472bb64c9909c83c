//! The service as a separate process, and clients that share no code with it.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::{SinkExt, StreamExt};
use reqwest::{Client, Response};
use serde_json::{Value, json};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, client_async, connect_async};

/// Time limit for every wait in a test.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A running service. Killed when dropped.
pub(crate) struct Served {
    child: Child,
    url: String,
    pub(crate) http: Client,
}

impl Served {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::start_with(arguments, &[])
    }

    pub(crate) fn start_with(arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_headcount-transcription"))
            .args(["--listen", "127.0.0.1:0"])
            .args(arguments)
            .envs(environment.iter().copied())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let url = line
            .trim()
            .strip_prefix("listening on ")
            .unwrap()
            .to_owned();
        let http = Client::builder().no_proxy().build().unwrap();
        Self { child, url, http }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.url.strip_prefix("http://").unwrap().parse().unwrap()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        let request = self.http.get(self.url(path));
        request.send().await.unwrap().json().await.unwrap()
    }

    pub(crate) async fn transcribe(&self, query: &str, audio: Vec<u8>) -> Response {
        let url = self.url(&format!("/v1/transcribe{query}"));
        self.http.post(url).body(audio).send().await.unwrap()
    }

    /// One metric of `/metrics`.
    pub(crate) async fn metric(&self, name: &str) -> u64 {
        let request = self.http.get(self.url("/metrics"));
        let text = request.send().await.unwrap().text().await.unwrap();
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap().trim().parse().unwrap()
    }

    /// Opens a stream without waiting for the first message.
    pub(crate) async fn connect(&self, query: &str) -> Stream {
        let url = self
            .url(&format!("/v1/transcribe/stream{query}"))
            .replace("http", "ws");
        let (socket, _) = connect_async(url).await.unwrap();
        Stream {
            socket,
            session: String::new(),
        }
    }

    /// Opens a stream whose kernel buffer for replies has this size in bytes.
    pub(crate) async fn connect_with_buffer(&self, bytes: u32) -> Stream {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(bytes).unwrap();
        let plain = MaybeTlsStream::Plain(socket.connect(self.address()).await.unwrap());
        let url = self.url("/v1/transcribe/stream").replace("http", "ws");
        let (socket, _) = client_async(url, plain).await.unwrap();
        Stream {
            socket,
            session: String::new(),
        }
    }

    /// Opens a stream and waits for the start of its session.
    pub(crate) async fn stream(&self) -> Stream {
        let mut stream = self.connect("").await;
        let start = stream.event().await;
        assert_eq!(start["type"], "session_start");
        start["session_id"]
            .as_str()
            .unwrap()
            .clone_into(&mut stream.session);
        assert!(!stream.session.is_empty());
        stream
    }

    /// Polls until the number of sessions is `expected`.
    pub(crate) async fn until_sessions(&self, expected: u64) {
        let deadline = Instant::now() + PATIENCE;
        while self.get("/v1/health").await["active_sessions"] != expected {
            assert!(Instant::now() < deadline, "not {expected} sessions in time");
            sleep(Duration::from_millis(5)).await;
        }
    }

    /// Kills the process.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
    }

    /// Sends SIGTERM to the process.
    pub(crate) fn terminate(&self) {
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    }

    pub(crate) async fn exit(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < deadline, "the service does not end");
            sleep(Duration::from_millis(5)).await;
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client with an open stream.
pub(crate) struct Stream {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    pub(crate) session: String,
}

impl Stream {
    pub(crate) async fn text(&mut self, text: &str) {
        self.socket.send(Message::text(text)).await.unwrap();
    }

    pub(crate) async fn audio(&mut self, audio: &[u8]) {
        self.text(&message(audio)).await;
    }

    /// Sends audio. Returns false if the connection accepts none for a second.
    pub(crate) async fn try_audio(&mut self, audio: &[u8]) -> bool {
        let send = self.socket.send(Message::text(message(audio)));
        matches!(timeout(Duration::from_secs(1), send).await, Ok(Ok(())))
    }

    pub(crate) async fn binary(&mut self, audio: &[u8]) {
        self.socket
            .send(Message::binary(audio.to_vec()))
            .await
            .unwrap();
    }

    pub(crate) async fn stop(&mut self) {
        self.text(r#"{"type":"stop"}"#).await;
    }

    /// The next event.
    pub(crate) async fn event(&mut self) -> Value {
        match self.next().await {
            Some(Message::Text(text)) => serde_json::from_str(&text).unwrap(),
            other => panic!("not an event: {other:?}"),
        }
    }

    /// The code with which the service closes the connection. Earlier events are returned as well. `None` if the
    /// connection ends without a close frame.
    pub(crate) async fn until_close(&mut self) -> (Vec<Value>, Option<u16>) {
        let mut events = Vec::new();
        loop {
            match self.next().await {
                Some(Message::Text(text)) => events.push(serde_json::from_str(&text).unwrap()),
                Some(Message::Close(frame)) => {
                    return (events, frame.map(|frame| frame.code.into()));
                }
                Some(_) => {}
                None => return (events, None),
            }
        }
    }

    async fn next(&mut self) -> Option<Message> {
        loop {
            match timeout(PATIENCE, self.socket.next()).await {
                Ok(Some(Ok(Message::Ping(_) | Message::Pong(_)))) => {}
                Ok(Some(Ok(message))) => return Some(message),
                _ => return None,
            }
        }
    }
}

/// A message with a chunk of audio.
pub(crate) fn message(audio: &[u8]) -> String {
    json!({ "type": "audio", "data": STANDARD.encode(audio) }).to_string()
}
