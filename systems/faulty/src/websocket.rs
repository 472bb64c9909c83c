use std::io::Cursor;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha1::{Digest as _, Sha1};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::cell::{Cell, Ticket};
use crate::flood;
use crate::frame::{CLOSE, PING, PONG, TEXT, frame, nonsense, read_frame};
use crate::log::Of;
use crate::order::Kind;
use crate::outbox::{Note, Outbox, What};
use crate::say::say;
use crate::socket::Socket;
use crate::socketio::SocketIo;
use crate::writer::write;

/// Appended to a client's key before hashing (RFC 6455, section 1.3).
const HANDSHAKE_ID: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// What a client sent to request a WebSocket.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) path: String,
    pub(crate) key: String,
    /// Bytes that were read beyond the request.
    pub(crate) input: Vec<u8>,
    pub(crate) opening: Ticket,
}

/// The protocol on a WebSocket.
enum Protocol {
    /// Each message is returned to its sender.
    Echo,
    /// Each message goes to all other members of this room.
    Room(String),
    SocketIo(SocketIo),
}

/// Serves a WebSocket. Returns whether the fault closed it.
pub(crate) async fn serve(
    cell: &Arc<Cell>,
    connection: usize,
    stream: TcpStream,
    client: Client,
) -> bool {
    let (reading, writing) = stream.into_split();
    let (outbox, parcels) = Outbox::new();
    let socket = Socket::new(cell, connection, outbox);
    let protocol = Protocol::open(&socket, &client);
    let input = Cursor::new(client.input).chain(reading);
    tokio::select! {
        () = hear(&socket, protocol, input) => false,
        closed_here = write(cell, connection, writing, parcels) => closed_here,
    }
}

impl Protocol {
    fn open(socket: &Socket<'_>, client: &Client) -> Self {
        let mut hash = Sha1::new();
        hash.update(client.key.as_bytes());
        hash.update(HANDSHAKE_ID.as_bytes());
        let accept = STANDARD.encode(hash.finalize());
        let head = format!(
            "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n\
             sec-websocket-accept: {accept}\r\n\r\n"
        );
        let note = Note::Answer(client.opening.index, true);
        socket.put(client.opening.due, head.into_bytes(), note);
        let path = client.path.split('?').next().unwrap_or_default();
        if path.starts_with("/socket.io/") {
            return Self::SocketIo(SocketIo::open(socket));
        }
        socket.flood(flood::websocket_piece);
        let Some(room) = path.strip_prefix("/room/") else {
            return Self::Echo;
        };
        socket.join(room);
        Self::Room(room.to_owned())
    }

    fn heard(&mut self, socket: &Socket<'_>, payload: &[u8], is_mute: bool) {
        match self {
            Self::Echo => {
                let ticket = socket.cell.request(Of::Echo, socket.connection);
                if !is_mute {
                    socket.answer(&ticket, payload);
                }
            }
            Self::Room(room) => {
                say(socket.cell, room, socket.connection, &frame(TEXT, payload));
            }
            Self::SocketIo(open) => open.heard(socket, payload, is_mute),
        }
    }
}

/// Reads until the client disconnects.
async fn hear(socket: &Socket<'_>, mut protocol: Protocol, mut from: impl AsyncRead + Unpin) {
    while let Some((opcode, payload)) = read_frame(&mut from).await {
        match opcode {
            CLOSE => {
                socket.put(Instant::now(), frame(CLOSE, &payload), Note::Nothing);
                socket
                    .outbox
                    .put(Instant::now(), What::Close, Note::Nothing);
            }
            PING => socket.put(Instant::now(), frame(PONG, &payload), Note::Nothing),
            PONG => {}
            _ if socket
                .cell
                .connection_has(Kind::WrongProtocol, socket.connection) =>
            {
                protocol.heard(socket, &payload, true);
                socket.put(Instant::now(), nonsense(), Note::Nothing);
            }
            _ => protocol.heard(socket, &payload, false),
        }
    }
}
