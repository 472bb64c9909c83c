//! WebSocket frames (RFC 6455 §5): the heads of what comes, and whole frames for what goes.

use bytes::{BufMut, Bytes, BytesMut};

/// The opcodes that there are.
pub(crate) mod opcode {
    pub(crate) const CONTINUATION: u8 = 0x0;
    pub(crate) const TEXT: u8 = 0x1;
    pub(crate) const BINARY: u8 = 0x2;
    pub(crate) const CLOSE: u8 = 0x8;
    pub(crate) const PING: u8 = 0x9;
    pub(crate) const PONG: u8 = 0xA;
}

/// The head of a frame from a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) last: bool,
    pub(crate) opcode: u8,
    pub(crate) mask: [u8; 4],
    /// Bytes of the head itself.
    pub(crate) size: usize,
    /// Bytes of what follows.
    pub(crate) length: usize,
}

/// What a client must not send; the connection is closed with the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Violation {
    #[error("not a frame that a client may send")]
    Protocol,
    #[error("the text is not UTF-8")]
    NotText,
    #[error("the message is too large")]
    TooLarge,
}

impl Violation {
    /// The status of the close frame (RFC 6455 §7.4.1).
    pub(crate) fn code(self) -> u16 {
        match self {
            Self::Protocol => 1002,
            Self::NotText => 1007,
            Self::TooLarge => 1009,
        }
    }
}

impl Head {
    /// Whether the frame may stand between the pieces of a message, and is none of them.
    pub(crate) fn is_control(self) -> bool {
        self.opcode & 0x8 != 0
    }

    /// Reads a head; `None` when there is not enough yet.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Option<Self>, Violation> {
        let &[first, second, ref rest @ ..] = bytes else {
            return Ok(None);
        };
        let opcode = first & 0x0F;
        let (last, control) = (first & 0x80 != 0, opcode & 0x8 != 0);
        let known = matches!(opcode, 0..=2 | 8..=10);
        // Reserved bits need an extension and we offer none; a client masks (§5.1).
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
        // The highest bit of a long length must be 0 (§5.2).
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

/// Takes the mask off, in place; `mask` is applied from its first byte.
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

/// A whole frame as it goes over the wire. A server does not mask, so that one is made once and
/// written to any number of receivers.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    bytes: Bytes,
    head: u8,
}

impl Frame {
    /// A text message.
    pub(crate) fn text(text: &str) -> Self {
        Self::new(opcode::TEXT, text.as_bytes())
    }

    /// A binary message.
    pub(crate) fn binary(bytes: &[u8]) -> Self {
        Self::new(opcode::BINARY, bytes)
    }

    /// A ping.
    pub(crate) fn ping() -> Self {
        Self::new(opcode::PING, &[])
    }

    /// A frame of any kind.
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

    /// The close frame with this status.
    pub(crate) fn close(code: u16, reason: &str) -> Self {
        let mut payload = code.to_be_bytes().to_vec();
        payload.extend_from_slice(reason.as_bytes());
        Self::new(opcode::CLOSE, &payload)
    }

    /// All of it.
    pub(crate) fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Without its head.
    pub(crate) fn payload(&self) -> Bytes {
        self.bytes.slice(usize::from(self.head)..)
    }
}
