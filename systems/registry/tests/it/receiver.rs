//! A receiver with an inbox, over the WebSocket library that the registry does not use itself, or as a plain reader of
//! server-sent events.

use std::collections::VecDeque;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::served::{PATIENCE, Served};

/// An inbox over WebSocket.
pub(crate) struct Receiver {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    /// Number of messages that waited for the identity.
    pub(crate) queued: u64,
    /// Messages that came before the greeting.
    early: VecDeque<Value>,
}

/// The end of an inbox.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Closed(pub(crate) u16);

impl Receiver {
    pub(crate) async fn open(served: &Served, identity: &str) -> Self {
        Self::open_in(served, "default", identity, "").await
    }

    pub(crate) async fn open_in(
        served: &Served,
        namespace: &str,
        identity: &str,
        token: &str,
    ) -> Self {
        let address = served.url.strip_prefix("http://").unwrap();
        let url = format!(
            "ws://{address}/v1/{namespace}/inbox/ws?identity={identity}&access_token={token}"
        );
        let (socket, _) = connect_async(url).await.unwrap();
        let mut receiver = Self {
            socket,
            queued: 0,
            early: VecDeque::new(),
        };
        let mut early = VecDeque::new();
        loop {
            let event = receiver.next().await.unwrap();
            if event["type"] == "ready" {
                receiver.queued = event["queued"].as_u64().unwrap();
                receiver.early = early;
                return receiver;
            }
            early.push_back(event);
        }
    }

    /// The next event.
    pub(crate) async fn next(&mut self) -> Result<Value, Closed> {
        if let Some(early) = self.early.pop_front() {
            return Ok(early);
        }
        loop {
            let message = timeout(PATIENCE, self.socket.next()).await;
            match message.expect("a message in time") {
                Some(Ok(Message::Text(text))) => return Ok(serde_json::from_str(&text).unwrap()),
                Some(Ok(Message::Close(Some(frame)))) => return Err(Closed(frame.code.into())),
                Some(Ok(_)) => {}
                None | Some(Err(_)) => return Err(Closed(0)),
            }
        }
    }

    /// The next message, which must have this payload. Returns its id.
    pub(crate) async fn gets(&mut self, payload: &Value) -> String {
        let message = self.next().await.unwrap();
        assert_eq!(&message["payload"], payload, "{message}");
        message["id"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn acknowledge(&mut self, id: &str) {
        let ack = json!({ "type": "ack", "ids": [id] });
        self.say(&ack.to_string()).await;
    }

    pub(crate) async fn say(&mut self, text: &str) {
        self.socket.send(Message::text(text)).await.unwrap();
    }

    /// Receives and acknowledges `count` messages in a task of its own. Returns their ids.
    pub(crate) fn acknowledging(mut self, count: usize) -> tokio::task::JoinHandle<Vec<String>> {
        tokio::spawn(async move {
            let mut ids = Vec::new();
            while ids.len() < count {
                let message = self.next().await.unwrap();
                let id = message["id"].as_str().unwrap().to_owned();
                self.acknowledge(&id).await;
                ids.push(id);
            }
            ids
        })
    }
}

/// A stream of server-sent events.
pub(crate) struct Events {
    response: reqwest::Response,
    unread: String,
}

/// One server-sent event.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) name: String,
    pub(crate) id: String,
    pub(crate) data: Value,
}

impl Events {
    /// Opens a stream and waits for its greeting.
    pub(crate) async fn open(served: &Served, path: &str) -> Self {
        let response = served.http.get(format!("{}/v1/{path}", served.url)).send();
        let response = response.await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        let mut events = Self {
            response,
            unread: String::new(),
        };
        assert_eq!(events.next().await.unwrap().name, "ready");
        events
    }

    /// The next event. `None` at the end of the stream.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(end) = self.unread.find("\n\n") {
                let text = self.unread[..end].to_owned();
                self.unread.drain(..end + 2);
                let field = |name: &str| {
                    let mut lines = text.lines();
                    let found = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
                    found.unwrap_or_default().to_owned()
                };
                if field("event").is_empty() {
                    continue; // a comment that keeps the connection alive
                }
                return Some(Event {
                    name: field("event"),
                    id: field("id"),
                    data: serde_json::from_str(&field("data")).unwrap(),
                });
            }
            let chunk = timeout(PATIENCE, self.response.chunk()).await;
            let chunk = chunk.expect("an event in time").ok()??;
            self.unread.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }
}
