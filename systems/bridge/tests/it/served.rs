//! The bridge as a separate process, and clients that share no code with it.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use reqwest::{Client, Response};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// Time limit for every wait in a test.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// A running bridge. Killed when dropped.
pub(crate) struct Served {
    child: Child,
    url: String,
    http: Client,
}

impl Served {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::start_with(arguments, &[])
    }

    pub(crate) fn start_with(arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_headcount-bridge"))
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

    pub(crate) async fn chat(&self, body: &Value) -> Response {
        let request = self.http.post(format!("{}/bridge/chat", self.url));
        request.json(body).send().await.unwrap()
    }

    /// Sends a message to a room over HTTP. The user has an HTTP session.
    pub(crate) async fn say(&self, user: &str, room: &str, message: &str) -> Value {
        let body = json!({ "user": user, "room": room, "message": message });
        let response = self.chat(&body).await;
        assert_eq!(response.status(), 200);
        response.json().await.unwrap()
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        let request = self.http.get(format!("{}{path}", self.url));
        request.send().await.unwrap().json().await.unwrap()
    }

    /// Requests a path as a web page of `origin` would.
    pub(crate) async fn get_from(&self, path: &str, origin: &str) -> Response {
        let request = self.http.get(format!("{}{path}", self.url));
        request.header("origin", origin).send().await.unwrap()
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.url.strip_prefix("http://").unwrap().parse().unwrap()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) async fn delete(&self, path: &str) -> u16 {
        let request = self.http.delete(format!("{}{path}", self.url));
        request.send().await.unwrap().status().as_u16()
    }

    /// Returns one metric of `/metrics`.
    pub(crate) async fn metric(&self, name: &str) -> u64 {
        let request = self.http.get(format!("{}/metrics", self.url));
        let text = request.send().await.unwrap().text().await.unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap().trim().parse().unwrap()
    }

    pub(crate) async fn active(&self) -> u64 {
        let answer = self.get("/bridge/sessions?count").await;
        answer["active"].as_u64().unwrap()
    }

    /// Polls until the number of active sessions is `expected`.
    pub(crate) async fn until_active(&self, expected: u64) {
        let deadline = Instant::now() + PATIENCE;
        while self.active().await != expected {
            assert!(Instant::now() < deadline, "not {expected} sessions in time");
            sleep(Duration::from_millis(5)).await;
        }
    }

    /// Connects a user over WebSocket and waits for the welcome.
    pub(crate) async fn join(&self, query: &str) -> Listener {
        let url = format!("{}/bridge/ws?{query}", self.url.replace("http", "ws"));
        let (socket, _) = connect_async(url).await.unwrap();
        let mut listener = Listener {
            socket,
            welcome: Value::Null,
        };
        listener.welcome = listener.event().await;
        assert_eq!(listener.welcome["type"], "welcome");
        listener
    }

    /// Connects without waiting for the welcome. `None` if the connection is refused.
    pub(crate) async fn try_join(
        &self,
        query: &str,
    ) -> Option<WebSocketStream<MaybeTlsStream<TcpStream>>> {
        let url = format!("{}/bridge/ws?{query}", self.url.replace("http", "ws"));
        connect_async(url).await.ok().map(|(socket, _)| socket)
    }

    /// Returns the status with which a WebSocket is refused.
    pub(crate) async fn refused(&self, query: &str) -> u16 {
        let url = format!("{}/bridge/ws?{query}", self.url.replace("http", "ws"));
        match connect_async(url).await {
            Err(tokio_tungstenite::tungstenite::Error::Http(response)) => {
                response.status().as_u16()
            }
            other => panic!("not refused: {other:?}"),
        }
    }

    /// Sends SIGTERM to the process and waits for its end.
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
            assert!(Instant::now() < deadline, "the bridge does not end");
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

/// A user on a WebSocket.
pub(crate) struct Listener {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    pub(crate) welcome: Value,
}

impl Listener {
    pub(crate) fn session(&self) -> &str {
        self.welcome["session"].as_str().unwrap()
    }

    pub(crate) async fn send(&mut self, command: &Value) {
        self.send_text(&command.to_string()).await;
    }

    pub(crate) async fn send_text(&mut self, text: &str) {
        self.socket.send(Message::text(text)).await.unwrap();
    }

    pub(crate) async fn send_binary(&mut self) {
        self.socket.send(Message::binary(vec![1])).await.unwrap();
    }

    /// Returns the next event.
    pub(crate) async fn event(&mut self) -> Value {
        match self.next(PATIENCE).await {
            Some(Message::Text(text)) => serde_json::from_str(&text).unwrap(),
            other => panic!("not an event: {other:?}"),
        }
    }

    /// Returns all events until none arrives for longer than a delivery may be held.
    pub(crate) async fn rest(&mut self) -> Vec<Value> {
        let mut events = Vec::new();
        while let Some(Message::Text(text)) = self.next(Duration::from_millis(900)).await {
            events.push(serde_json::from_str(&text).unwrap());
        }
        events
    }

    /// Returns events until the bridge closes, and the close frame.
    pub(crate) async fn until_close(&mut self) -> (Vec<Value>, Option<CloseFrame>) {
        let mut events = Vec::new();
        loop {
            match self.next(PATIENCE).await {
                Some(Message::Text(text)) => events.push(serde_json::from_str(&text).unwrap()),
                Some(Message::Close(frame)) => return (events, frame),
                None => return (events, None),
                Some(_) => {}
            }
        }
    }

    async fn next(&mut self, patience: Duration) -> Option<Message> {
        loop {
            match timeout(patience, self.socket.next()).await {
                Ok(Some(Ok(Message::Ping(_)))) => {}
                Ok(Some(Ok(message))) => return Some(message),
                _ => return None,
            }
        }
    }
}
