//! Endless floods of small pieces. Each piece is valid, but the flood keeps a reader busy forever.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::cell::Cell;
use crate::frame::{PONG, TEXT, frame};
use crate::order::Kind;

/// Bytes per write.
const BLOCK: usize = 64 * 1024;

/// Lengths and frame types of HTTP/2 (RFC 9113, sections 3.4, 4.1 and 6).
const PREFACE: usize = 24;
const FRAME_HEAD: usize = 9;
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const WINDOW_UPDATE: u8 = 8;

/// The flood that the fault selects for a connection. `None` if it selects none.
pub(crate) fn of(cell: &Cell, connection: usize) -> Option<Kind> {
    [Kind::Flood, Kind::Noise]
        .into_iter()
        .find(|&kind| cell.connection_has(kind, connection))
}

/// Floods an HTTP/1.1 client instead of responding, until the client disconnects.
pub(crate) async fn instead_of_response(stream: &mut TcpStream, kind: Kind) {
    let (reading, mut writing) = stream.split();
    let (head, piece): (&[u8], &[u8]) = match kind {
        Kind::Noise => (b"", b"HTTP/1.1 102 Processing\r\n\r\n"),
        _ => (
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
            b"1\r\nx\r\n",
        ),
    };
    let flood = async {
        writing.write_all(head).await?;
        pour(&mut writing, piece).await
    };
    until_gone(reading, flood).await;
}

/// Serves HTTP/2 up to the first request, then floods the client until it disconnects.
pub(crate) async fn over_http2(stream: &mut TcpStream, kind: Kind) {
    let (mut reading, mut writing) = stream.split();
    let Some(id) = first_request(&mut reading).await else {
        return;
    };
    let mut head = http2_frame(SETTINGS, 0, 0, &[]);
    head.extend(http2_frame(SETTINGS, 1, 0, &[]));
    let piece = if kind == Kind::Noise {
        http2_frame(WINDOW_UPDATE, 0, 0, &[0, 0, 0, 1])
    } else {
        head.extend(http2_frame(HEADERS, 4, id, &[0x88])); // `:status: 200`
        http2_frame(DATA, 0, id, b"x")
    };
    let flood = async {
        writing.write_all(&head).await?;
        pour(&mut writing, &piece).await
    };
    until_gone(reading, flood).await;
}

/// The bytes that are repeated to flood a WebSocket.
pub(crate) fn websocket_piece(kind: Kind) -> Vec<u8> {
    match kind {
        Kind::Noise => frame(PONG, b""),
        _ => frame(TEXT, b"x"),
    }
}

/// The bytes that are repeated to flood a Socket.IO session: a packet without content, or an event.
pub(crate) fn socketio_piece(kind: Kind) -> Vec<u8> {
    match kind {
        Kind::Noise => frame(TEXT, b"6"),
        _ => frame(TEXT, br#"42["tick",1]"#),
    }
}

/// Writes `piece` repeatedly until an error occurs.
pub(crate) async fn pour(to: &mut (impl AsyncWrite + Unpin), piece: &[u8]) -> io::Result<()> {
    let block = piece.repeat(BLOCK / piece.len());
    loop {
        to.write_all(&block).await?;
    }
}

async fn until_gone(
    mut reading: impl AsyncRead + Unpin,
    flood: impl Future<Output = io::Result<()>>,
) {
    let mut sink = tokio::io::sink();
    tokio::select! {
        // Both futures end only when the client has disconnected.
        _ = tokio::io::copy(&mut reading, &mut sink) => {}
        _ = flood => {}
    }
}

/// Reads until a request begins. Returns the stream ID of the request.
async fn first_request(from: &mut (impl AsyncRead + Unpin)) -> Option<u32> {
    from.read_exact(&mut [0; PREFACE]).await.ok()?;
    loop {
        let mut head = [0; FRAME_HEAD];
        from.read_exact(&mut head).await.ok()?;
        let size = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; usize::try_from(size).ok()?];
        from.read_exact(&mut payload).await.ok()?;
        if head[3] == HEADERS {
            return Some(u32::from_be_bytes([head[5], head[6], head[7], head[8]]));
        }
    }
}

fn http2_frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let size = u32::try_from(payload.len()).unwrap_or(0).to_be_bytes();
    let mut out = vec![size[1], size[2], size[3], kind, flags];
    out.extend(stream.to_be_bytes());
    out.extend(payload);
    out
}
