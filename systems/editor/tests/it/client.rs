//! A Socket.IO client that sees every packet. Its WebSocket library shares no code with the editor.

use std::io::Write as _;
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket, connect};

use crate::served::Served;

/// Time limit for every wait for a packet.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// The path for clients that use WebSocket from the start.
pub(crate) const BEGIN: &str = "/socket.io/?EIO=4&transport=websocket";

pub(crate) struct Client {
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
}

impl Client {
    /// Connects and enters the namespace.
    pub(crate) fn open(url: &str) -> Self {
        let mut client = Self::connect(url);
        assert!(client.send("40"));
        assert!(client.next().unwrap().starts_with("40{"));
        client
    }

    /// Connects without entering the namespace.
    pub(crate) fn connect(url: &str) -> Self {
        let mut client = Self::to(url, BEGIN);
        assert!(client.next().unwrap().starts_with("0{"));
        client
    }

    /// Joins a room by long polling, and then stops polling. Returns the session's path.
    pub(crate) fn poll(editor: &Served, room: &str, name: &str) -> String {
        let begin = "/socket.io/?EIO=4&transport=polling";
        let opened = body(&editor.ask("GET", begin));
        let opened: Value = serde_json::from_str(opened.strip_prefix('0').unwrap()).unwrap();
        let session = format!("{begin}&sid={}", opened["sid"].as_str().unwrap());
        assert_eq!(body(&editor.tell("POST", &session, "40")), "ok");
        assert!(body(&editor.ask("GET", &session)).starts_with("40{"));
        let join = json!(["join", { "roomId": room, "username": name }]);
        assert_eq!(
            body(&editor.tell("POST", &session, &format!("42{join}"))),
            "ok"
        );
        session
    }

    /// Upgrades a polling session to a WebSocket.
    pub(crate) fn upgrade(url: &str, session: &str) -> Self {
        let mut client = Self::to(url, &session.replace("=polling", "=websocket"));
        assert!(client.send("2probe"));
        assert_eq!(client.next().unwrap(), "3probe");
        assert!(client.send("5"));
        client
    }

    /// Follows a room by Yjs.
    pub(crate) fn listen(url: &str, room: &str) -> Self {
        Self::to(url, &format!("/yjs/{room}"))
    }

    /// Connects by WebSocket. `None` if the connection is refused.
    pub(crate) fn try_to(url: &str, path: &str) -> Option<Self> {
        let (socket, _) = connect(format!("{}{path}", url.replace("http", "ws"))).ok()?;
        Some(Self { socket })
    }

    /// Connects by WebSocket, without reading anything.
    pub(crate) fn to(url: &str, path: &str) -> Self {
        let mut client = Self::try_to(url, path).unwrap();
        client.stream().set_read_timeout(Some(PATIENCE)).unwrap();
        client
    }

    /// Connects and joins a room.
    pub(crate) fn join(url: &str, room: &str, name: &str) -> Self {
        let mut client = Self::open(url);
        client.emit("join", &json!({ "roomId": room, "username": name }), None);
        assert!(client.next().unwrap().starts_with("42[\"joined\""));
        client
    }

    /// Sends an event. Returns `false` if the editor has disconnected.
    pub(crate) fn emit(
        &mut self,
        event: &str,
        payload: &Value,
        acknowledge: Option<usize>,
    ) -> bool {
        let number = acknowledge
            .map(|number| number.to_string())
            .unwrap_or_default();
        self.send(&format!("42{number}{}", json!([event, payload])))
    }

    pub(crate) fn edit(&mut self, room: &str, text: &str, acknowledge: Option<usize>) -> bool {
        self.emit(
            "code-change",
            &json!({ "roomId": room, "code": text }),
            acknowledge,
        )
    }

    /// Returns the next packet, or `None` if the editor has disconnected.
    pub(crate) fn next(&mut self) -> Option<String> {
        loop {
            match self.socket.read().ok()? {
                Message::Text(text) if text.as_str() == "2" => assert!(self.send("3")),
                Message::Text(text) => return Some(text.to_string()),
                _ => {}
            }
        }
    }

    /// Whether the first message to a Yjs client is the request for its updates.
    pub(crate) fn greeted(&mut self) -> bool {
        matches!(self.socket.read(), Ok(Message::Binary(bytes)) if bytes.starts_with(&[0, 0]))
    }

    /// Returns the text of the next `code-change`.
    pub(crate) fn text(&mut self) -> String {
        loop {
            let packet = self.next().unwrap();
            let Some(event) = packet.strip_prefix("42") else {
                continue;
            };
            let event: Value = serde_json::from_str(event).unwrap();
            if event[0] == "code-change" {
                return event[1]["code"].as_str().unwrap().to_owned();
            }
        }
    }

    /// Returns the next binary message that begins with these bytes. `None` if none arrives in time or the editor
    /// closes the connection.
    pub(crate) fn bytes_like(&mut self, begin: &[u8]) -> Option<Vec<u8>> {
        loop {
            match self.socket.read().ok()? {
                Message::Binary(bytes) if bytes.starts_with(begin) => return Some(bytes.to_vec()),
                Message::Close(_) => return None,
                _ => {}
            }
        }
    }

    /// Whether the editor closes the connection. Ignores earlier messages.
    pub(crate) fn is_closed(&mut self) -> bool {
        loop {
            match self.socket.read() {
                Ok(Message::Close(_)) => return true,
                Ok(_) => {}
                Err(_) => return false,
            }
        }
    }

    /// Returns the code with which the editor closes the connection, and ignores earlier messages. `None` without a
    /// code, or if the connection is not closed in time.
    pub(crate) fn close_code(&mut self) -> Option<u16> {
        loop {
            match self.socket.read() {
                Ok(Message::Close(Some(frame))) => return Some(frame.code.into()),
                Ok(Message::Close(None)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// Sends a binary message.
    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) -> bool {
        self.socket.send(Message::binary(bytes.to_vec())).is_ok()
    }

    /// Sends raw bytes on the TCP connection. Returns `false` if the editor accepts no more bytes.
    pub(crate) fn send_raw(&mut self, bytes: &[u8]) -> bool {
        self.stream().write_all(bytes).is_ok()
    }

    fn stream(&mut self) -> &mut TcpStream {
        match self.socket.get_mut() {
            MaybeTlsStream::Plain(stream) => stream,
            _ => unreachable!("loopback is plain"),
        }
    }

    /// Sends an Engine.IO packet. Returns `false` if the editor has disconnected.
    pub(crate) fn send(&mut self, packet: &str) -> bool {
        self.socket.send(Message::text(packet)).is_ok()
    }
}

/// Returns the body of a response.
pub(crate) fn body(answer: &str) -> String {
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}
