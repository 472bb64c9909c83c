//! Socket.IO 5 over Engine.IO 4, on a WebSocket and in the default namespace.

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::flood;
use crate::frame::{TEXT, frame};
use crate::log::Of;
use crate::outbox::Note;
use crate::say::say;
use crate::socket::Socket;

/// One Socket.IO connection.
#[derive(Debug, Default)]
pub(crate) struct SocketIo {
    room: Option<String>,
}

impl SocketIo {
    /// Opens the transport.
    pub(crate) fn open(socket: &Socket<'_>) -> Self {
        let open = json!({
            "sid": format!("s{}", socket.connection), "upgrades": [],
            "pingInterval": 25_000, "pingTimeout": 20_000, "maxPayload": 1_000_000,
        });
        send(socket, &format!("0{open}"), Note::Nothing);
        Self::default()
    }

    /// Handles a packet. A mute client gets no reply.
    pub(crate) fn heard(&mut self, socket: &Socket<'_>, payload: &[u8], is_mute: bool) {
        let text = String::from_utf8_lossy(payload);
        if text == "2" {
            send(socket, "3", Note::Nothing);
        } else if text.starts_with("40") {
            let opening = socket.cell.request(Of::Opening, socket.connection);
            let granted = json!({ "sid": format!("n{}", socket.connection) });
            send(
                socket,
                &format!("40{granted}"),
                Note::Answer(opening.index, true),
            );
            socket.flood(flood::socketio_piece);
        } else if let Some(event) = text.strip_prefix("42") {
            self.event(socket, event, is_mute);
        }
    }

    /// Handles an event such as `17["echo",…]`. The number is optional and requests an acknowledgement.
    fn event(&mut self, socket: &Socket<'_>, event: &str, is_mute: bool) {
        let begin = event.find('[').unwrap_or(0);
        let (id, json) = event.split_at(begin);
        let Ok(Value::Array(arguments)) = serde_json::from_str(json) else {
            return;
        };
        let argument = arguments.get(1).cloned().unwrap_or_default();
        match arguments.first().and_then(Value::as_str) {
            Some("join") => {
                let room = argument.as_str().unwrap_or_default();
                socket.join(room);
                self.room = Some(room.to_owned());
                if !id.is_empty() {
                    send(socket, &format!("43{id}[true]"), Note::Nothing);
                }
            }
            Some("say") => {
                let packet = format!("42{}", json!(["said", argument]));
                if let Some(room) = &self.room {
                    let bytes = frame(TEXT, packet.as_bytes());
                    say(socket.cell, room, socket.connection, &bytes);
                }
            }
            _ if id.is_empty() => {}
            _ => {
                let ticket = socket.cell.request(Of::Echo, socket.connection);
                if !is_mute {
                    let reply = format!("43{id}{}", json!([argument]));
                    socket.answer(&ticket, reply.as_bytes());
                }
            }
        }
    }
}

fn send(socket: &Socket<'_>, text: &str, note: Note) {
    socket.put(Instant::now(), frame(TEXT, text.as_bytes()), note);
}
