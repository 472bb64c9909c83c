//! Parses the headers of incoming WebSocket frames (RFC 6455 §5), and builds outgoing frames.

use bytes::{BufMut, Bytes, BytesMut};

/// The opcodes of RFC 6455.
pub(crate) mod opcode {
    pub(crate) const CONTINUATION: u8 = 0x0;
    pub(crate) const TEXT: u8 = 0x1;
    pub(crate) const BINARY: u8 = 0x2;
    pub(crate) const CLOSE: u8 = 0x8;
    pub(crate) const PING: u8 = 0x9;
    pub(crate) const PONG: u8 = 0xA;
}

/// The header of a frame from a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) last: bool,
    pub(crate) opcode: u8,
    pub(crate) mask: [u8; 4],
    /// Size of the header, in bytes.
    pub(crate) size: usize,
    /// Size of the payload, in bytes.
    pub(crate) length: usize,
}

/// A protocol violation by a client. The connection is closed with the violation's status code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Violation {
    #[error("not a valid client frame")]
    Protocol,
    #[error("a text message is not UTF-8")]
    NotText,
    #[error("the message is too large")]
    TooLarge,
}

impl Violation {
    /// The status code of the close frame (RFC 6455 §7.4.1).
    pub(crate) fn code(self) -> u16 {
        match self {
            Self::Protocol => 1002,
            Self::NotText => 1007,
            Self::TooLarge => 1009,
        }
    }
}

impl Head {
    /// Whether this is a control frame. Control frames may come between the fragments of a message.
    pub(crate) fn is_control(self) -> bool {
        self.opcode & 0x8 != 0
    }

    /// Parses a header. `None` if the header is incomplete.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Option<Self>, Violation> {
        let &[first, second, ref rest @ ..] = bytes else {
            return Ok(None);
        };
        let opcode = first & 0x0F;
        let (last, control) = (first & 0x80 != 0, opcode & 0x8 != 0);
        let known = matches!(opcode, 0..=2 | 8..=10);
        // Reserved bits require an extension, but the server offers none. Client frames must be masked (§5.1).
        if first & 0x70 != 0 || !known || second & 0x80 == 0 || (control && !last) {
            return Err(Violation::Protocol);
        }
        let (long, length) = match second & 0x7F {
            126 => (
                2,
                rest.first_chunk()
                    .map(|b| u64::from(u16::from_be_bytes(*b))),
            ),
            127 => (8, rest.first_chunk().map(|b| u64::from_be_bytes(*b))),
            short => (0, Some(u64::from(short))),
        };
        // The highest bit of a 64-bit length must be 0 (§5.2).
        if (control && long > 0) || length.is_some_and(|length| length >> 63 == 1) {
            return Err(Violation::Protocol);
        }
        let (Some(length), Some(mask)) = (length, rest.get(long..).and_then(<[u8]>::first_chunk))
        else {
            return Ok(None);
        };
        Ok(Some(Self {
            last,
            opcode,
            mask: *mask,
            size: 2 + long + 4,
            length: usize::try_from(length).map_err(|_| Violation::TooLarge)?,
        }))
    }
}

/// Unmasks `bytes` in place. The first byte of `mask` applies to the first byte.
pub(crate) fn unmask(bytes: &mut [u8], mask: [u8; 4]) {
    if mask == [0; 4] {
        return;
    }
    let key = u64::from_ne_bytes([
        mask[0], mask[1], mask[2], mask[3], mask[0], mask[1], mask[2], mask[3],
    ]);
    let mut chunks = bytes.chunks_exact_mut(8);
    for chunk in &mut chunks {
        if let Ok(eight) = <[u8; 8]>::try_from(&*chunk) {
            chunk.copy_from_slice(&(u64::from_ne_bytes(eight) ^ key).to_ne_bytes());
        }
    }
    for (byte, key) in chunks.into_remainder().iter_mut().zip(mask.iter().cycle()) {
        *byte ^= key;
    }
}

/// A complete frame. Server frames are not masked, so a frame is built once and written to any number of recipients.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    bytes: Bytes,
    head: u8,
}

impl Frame {
    /// Builds a text message.
    pub(crate) fn text(text: &str) -> Self {
        Self::new(opcode::TEXT, text.as_bytes())
    }

    /// Builds a binary message.
    pub(crate) fn binary(bytes: &[u8]) -> Self {
        Self::new(opcode::BINARY, bytes)
    }

    /// Builds a ping.
    pub(crate) fn ping() -> Self {
        Self::new(opcode::PING, &[])
    }

    /// Builds a frame with any opcode.
    pub(crate) fn new(opcode: u8, payload: &[u8]) -> Self {
        let mut bytes = BytesMut::with_capacity(10 + payload.len());
        bytes.put_u8(0x80 | opcode);
        let length = payload.len();
        if let Some(short) = u8::try_from(length).ok().filter(|length| *length < 126) {
            bytes.put_u8(short);
        } else if let Ok(long) = u16::try_from(length) {
            bytes.put_u8(126);
            bytes.put_u16(long);
        } else {
            bytes.put_u8(127);
            bytes.put_u64(length as u64);
        }
        let head = u8::try_from(bytes.len()).unwrap_or(0);
        bytes.put_slice(payload);
        Self {
            bytes: bytes.freeze(),
            head,
        }
    }

    /// Builds a close frame with a status code and a reason.
    pub(crate) fn close(code: u16, reason: &str) -> Self {
        let mut payload = code.to_be_bytes().to_vec();
        payload.extend_from_slice(reason.as_bytes());
        Self::new(opcode::CLOSE, &payload)
    }

    /// The frame with its header.
    pub(crate) fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// The payload without the header.
    pub(crate) fn payload(&self) -> Bytes {
        self.bytes.slice(usize::from(self.head)..)
    }
}
