use super::breach::Breach;

/// The type of a frame (RFC 6455 §5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Opcode {
    Continuation = 0x0,
    Text = 0x1,
    Binary = 0x2,
    Close = 0x8,
    Ping = 0x9,
    Pong = 0xA,
}

impl Opcode {
    fn from_bits(bits: u8) -> Option<Self> {
        Some(match bits {
            0x0 => Self::Continuation,
            0x1 => Self::Text,
            0x2 => Self::Binary,
            0x8 => Self::Close,
            0x9 => Self::Ping,
            0xA => Self::Pong,
            _ => return None,
        })
    }

    pub(super) fn is_control(self) -> bool {
        self as u8 >= 0x8
    }
}

/// The header of a frame from a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FrameHead {
    pub(super) last: bool,
    pub(super) opcode: Opcode,
    /// Bytes of the header: 2, 4 or 10.
    pub(super) size: usize,
    /// Bytes of the payload.
    pub(super) payload: usize,
}

impl FrameHead {
    pub(super) fn total(self) -> usize {
        self.size.saturating_add(self.payload)
    }
}

/// Parses a frame header. `None` if it is not complete yet.
#[inline]
pub(super) fn parse_head(bytes: &[u8]) -> Result<Option<FrameHead>, Breach> {
    let &[first, second, ref rest @ ..] = bytes else {
        return Ok(None);
    };
    if first & 0x70 != 0 {
        return Err(Breach::protocol(
            "a reserved bit is set without a negotiated extension",
        ));
    }
    let Some(opcode) = Opcode::from_bits(first & 0x0f) else {
        return Err(Breach::protocol(&format!(
            "frame with unknown opcode {}",
            first & 0x0f
        )));
    };
    if second & 0x80 != 0 {
        return Err(Breach::protocol("a frame from the server is masked"));
    }
    let last = first & 0x80 != 0;
    let short = second & 0x7f;
    if opcode.is_control() && (!last || short > 125) {
        return Err(Breach::protocol(
            "a control frame is fragmented or longer than 125 bytes",
        ));
    }
    let (size, payload) = match short {
        0..=125 => (2, u64::from(short)),
        126 => match rest.first_chunk() {
            Some(&length) => (4, u64::from(u16::from_be_bytes(length))),
            None => return Ok(None),
        },
        _ => match rest.first_chunk() {
            Some(&length) => (10, u64::from_be_bytes(length)),
            None => return Ok(None),
        },
    };
    if (size == 4 && payload < 126) || (size == 10 && payload <= 0xffff) || payload >> 63 != 0 {
        return Err(Breach::protocol(
            "a frame's length is not encoded in the shortest form",
        ));
    }
    Ok(Some(FrameHead {
        last,
        opcode,
        size,
        payload: usize::try_from(payload).unwrap_or(usize::MAX),
    }))
}
