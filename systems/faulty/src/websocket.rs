use std::io::Cursor;
use std::sync::{Arc, Mutex, PoisonError};

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
use crate::outbox::{Note, Outbox, What, write};
use crate::rooms::{Member, say};
use crate::socketio::SocketIo;

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

/// One WebSocket.
pub(crate) struct Socket<'a> {
    pub(crate) cell: &'a Arc<Cell>,
    pub(crate) connection: usize,
    pub(crate) outbox: Outbox,
    /// Time at which the last reply is due. No reply is sent before it, because only their order tells which message a
    /// reply belongs to.
    last: Mutex<Instant>,
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
    let socket = Socket {
        cell,
        connection,
        outbox,
        last: Mutex::new(Instant::now()),
    };
    let protocol = socket.open(&client);
    let input = Cursor::new(client.input).chain(reading);
    tokio::select! {
        () = socket.hear(protocol, input) => false,
        closed_here = write(cell, connection, writing, parcels) => closed_here,
    }
}

impl Socket<'_> {
    fn open(&self, client: &Client) -> Protocol {
        let mut hash = Sha1::new();
        hash.update(client.key.as_bytes());
        hash.update(HANDSHAKE_ID.as_bytes());
        let accept = STANDARD.encode(hash.finalize());
        let head = format!(
            "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n\
             sec-websocket-accept: {accept}\r\n\r\n"
        );
        let note = Note::Answer(client.opening.index, true);
        self.put(client.opening.due, head.into_bytes(), note);
        let path = client.path.split('?').next().unwrap_or_default();
        if path.starts_with("/socket.io/") {
            return Protocol::SocketIo(SocketIo::open(self));
        }
        self.flood(flood::websocket_piece);
        let Some(room) = path.strip_prefix("/room/") else {
            return Protocol::Echo;
        };
        self.join(room);
        Protocol::Room(room.to_owned())
    }

    /// Reads until the client disconnects.
    async fn hear(&self, mut protocol: Protocol, mut from: impl AsyncRead + Unpin) {
        while let Some((opcode, payload)) = read_frame(&mut from).await {
            match opcode {
                CLOSE => {
                    self.put(Instant::now(), frame(CLOSE, &payload), Note::Nothing);
                    self.outbox.put(Instant::now(), What::Close, Note::Nothing);
                }
                PING => self.put(Instant::now(), frame(PONG, &payload), Note::Nothing),
                PONG => {}
                _ if self
                    .cell
                    .connection_has(Kind::WrongProtocol, self.connection) =>
                {
                    self.heard(&mut protocol, &payload, true);
                    self.put(Instant::now(), nonsense(), Note::Nothing);
                }
                _ => self.heard(&mut protocol, &payload, false),
            }
        }
    }

    fn heard(&self, protocol: &mut Protocol, payload: &[u8], is_mute: bool) {
        match protocol {
            Protocol::Echo => {
                let ticket = self.cell.request(Of::Echo, self.connection);
                if !is_mute {
                    self.answer(&ticket, payload);
                }
            }
            Protocol::Room(room) => {
                say(self.cell, room, self.connection, &frame(TEXT, payload));
            }
            Protocol::SocketIo(open) => open.heard(self, payload, is_mute),
        }
    }

    /// Sends the reply to a message, according to the fault.
    pub(crate) fn answer(&self, ticket: &Ticket, reply: &[u8]) {
        let due = {
            let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            *last = ticket.due.max(*last);
            *last
        };
        let send = |what, note| self.outbox.put(due, what, note);
        let bytes = || What::Bytes(frame(TEXT, reply));
        match ticket.act {
            Kind::Drop => {}
            Kind::Close => send(What::Close, Note::Nothing),
            Kind::Reset => send(What::Reset, Note::Nothing),
            Kind::Duplicate => {
                send(bytes(), Note::Answer(ticket.index, true));
                send(bytes(), Note::Nothing);
            }
            _ => send(bytes(), Note::Answer(ticket.index, true)),
        }
    }

    pub(crate) fn join(&self, room: &str) {
        let member = Member {
            connection: self.connection,
            outbox: self.outbox.clone(),
        };
        self.cell.state().rooms.join(room, member);
    }

    /// Starts the flood that the fault selects for this connection, if any.
    pub(crate) fn flood(&self, piece: fn(Kind) -> Vec<u8>) {
        if let Some(kind) = flood::of(self.cell, self.connection) {
            let what = What::Flood(piece(kind));
            self.outbox.put(Instant::now(), what, Note::Nothing);
        }
    }

    pub(crate) fn put(&self, due: Instant, bytes: Vec<u8>, note: Note) {
        self.outbox.put(due, What::Bytes(bytes), note);
    }
}
