//! Reads and writes WebSocket frames (RFC 6455) as a server.

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// Maximum size of a message in bytes.
const MOST: usize = 1 << 20;

pub(crate) const TEXT: u8 = 1;
pub(crate) const CLOSE: u8 = 8;
pub(crate) const PING: u8 = 9;
pub(crate) const PONG: u8 = 10;

/// Reads one whole frame and returns its opcode and payload. `None` if the client disconnected or violated the
/// protocol.
pub(crate) async fn read_frame(from: &mut (impl AsyncRead + Unpin)) -> Option<(u8, Vec<u8>)> {
    let mut head = [0; 2];
    from.read_exact(&mut head).await.ok()?;
    let size = match head[1] & 0x7f {
        126 => usize::from(from.read_u16().await.ok()?),
        127 => usize::try_from(from.read_u64().await.ok()?).ok()?,
        short => usize::from(short),
    };
    let is_whole = head[0] & 0xf0 == 0x80;
    let is_masked = head[1] & 0x80 != 0;
    if !is_whole || !is_masked || size > MOST {
        return None;
    }
    let mut mask = [0; 4];
    from.read_exact(&mut mask).await.ok()?;
    let mut payload = vec![0; size];
    from.read_exact(&mut payload).await.ok()?;
    for (byte, key) in payload.iter_mut().zip(mask.iter().cycle()) {
        *byte ^= key;
    }
    Some((head[0] & 0x0f, payload))
}

/// Builds a whole frame as a server sends it, without a mask.
pub(crate) fn frame(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let mut out = vec![0x80 | opcode];
    match (u8::try_from(payload.len()), u16::try_from(payload.len())) {
        (Ok(short), _) if short < 126 => out.push(short),
        (_, Ok(medium)) => {
            out.push(126);
            out.extend_from_slice(&medium.to_be_bytes());
        }
        _ => {
            out.push(127);
            out.extend_from_slice(&(payload.len() as u64).to_be_bytes());
        }
    }
    out.extend_from_slice(payload);
    out
}

/// An invalid frame, with reserved bits and an unknown opcode.
pub(crate) fn nonsense() -> Vec<u8> {
    vec![0x73, 0x05, b'h', b'e', b'l', b'l', b'o']
}
