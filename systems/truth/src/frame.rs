/// Maximum size of a WebSocket message in bytes.
pub(crate) const MAX_MESSAGE: usize = 1 << 20;

/// The type of a frame (RFC 6455, section 5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opcode {
    Continuation = 0,
    Text = 1,
    Binary = 2,
    Close = 8,
    Ping = 9,
    Pong = 10,
}

/// One frame from a client, with its payload unmasked.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Frame<'a> {
    pub(crate) opcode: Opcode,
    /// Whether the frame is the last one of its message.
    pub(crate) last: bool,
    pub(crate) payload: &'a [u8],
    /// Size of the whole frame in bytes.
    pub(crate) length: usize,
}

/// The client violates the protocol, or its message is too large. The number is the close code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadFrame(pub(crate) u16);

const PROTOCOL_ERROR: BadFrame = BadFrame(1002);
const TOO_BIG: BadFrame = BadFrame(1009);

/// Reads a frame from the start of `input` and unmasks it in place. Returns `None` while the frame is incomplete.
pub(crate) fn read_frame(input: &mut [u8]) -> Result<Option<Frame<'_>>, BadFrame> {
    let [first, second, ..] = *input else {
        return Ok(None);
    };
    let opcode = opcode(first & 0x0f)?;
    if first & 0x70 != 0 || second & 0x80 == 0 {
        return Err(PROTOCOL_ERROR);
    }
    let (size, begin) = match second & 0x7f {
        126 => match input.get(2..4) {
            Some(bytes) => (usize::from(bytes[0]) << 8 | usize::from(bytes[1]), 4),
            None => return Ok(None),
        },
        127 => match input.get(2..10) {
            Some(bytes) => (long(bytes)?, 10),
            None => return Ok(None),
        },
        short => (usize::from(short), 2),
    };
    if size > MAX_MESSAGE {
        return Err(TOO_BIG);
    }
    let last = first & 0x80 != 0;
    if opcode as u8 >= 8 && (size > 125 || !last) {
        return Err(PROTOCOL_ERROR);
    }
    let length = begin + 4 + size;
    if input.len() < length {
        return Ok(None);
    }
    let (head, payload) = input.split_at_mut(begin + 4);
    let payload = &mut payload[..size];
    let mask = [
        head[begin],
        head[begin + 1],
        head[begin + 2],
        head[begin + 3],
    ];
    for (n, byte) in payload.iter_mut().enumerate() {
        *byte ^= mask[n & 3];
    }
    Ok(Some(Frame {
        opcode,
        last,
        payload,
        length,
    }))
}

fn long(bytes: &[u8]) -> Result<usize, BadFrame> {
    let size = bytes
        .iter()
        .fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
    usize::try_from(size).map_err(|_| TOO_BIG)
}

fn opcode(number: u8) -> Result<Opcode, BadFrame> {
    Ok(match number {
        0 => Opcode::Continuation,
        1 => Opcode::Text,
        2 => Opcode::Binary,
        8 => Opcode::Close,
        9 => Opcode::Ping,
        10 => Opcode::Pong,
        _ => return Err(PROTOCOL_ERROR),
    })
}

/// Writes a whole message as one server frame.
pub(crate) fn write_frame(output: &mut Vec<u8>, opcode: Opcode, payload: &[u8]) {
    output.push(0x80 | opcode as u8);
    let size = payload.len();
    match (u8::try_from(size), u16::try_from(size)) {
        (Ok(short), _) if short < 126 => output.push(short),
        (_, Ok(medium)) => {
            output.push(126);
            output.extend_from_slice(&medium.to_be_bytes());
        }
        _ => {
            output.push(127);
            output.extend_from_slice(&(size as u64).to_be_bytes());
        }
    }
    output.extend_from_slice(payload);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// "Hello", masked: the example of RFC 6455, section 5.7.
    const HELLO: [u8; 11] = [
        0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58,
    ];

    #[test]
    fn the_example_of_the_specification_is_read() {
        for end in 0..HELLO.len() {
            assert_eq!(read_frame(&mut HELLO.to_vec()[..end]), Ok(None));
        }
        let mut input = HELLO;
        let frame = read_frame(&mut input).unwrap().unwrap();
        assert_eq!((frame.opcode, frame.last), (Opcode::Text, true));
        assert_eq!((frame.payload, frame.length), (&b"Hello"[..], HELLO.len()));
    }

    #[test]
    fn what_breaks_the_protocol_is_refused() {
        let refusal = |bytes: &[u8]| read_frame(&mut bytes.to_vec()).unwrap_err().0;
        assert_eq!(refusal(&[0x81, 0x05, 1, 2, 3, 4, 5]), 1002, "unmasked");
        assert_eq!(refusal(&[0xc1, 0x80, 0, 0, 0, 0]), 1002, "reserved bit");
        assert_eq!(refusal(&[0x83, 0x80, 0, 0, 0, 0]), 1002, "unknown opcode");
        assert_eq!(refusal(&[0x09, 0x80, 0, 0, 0, 0]), 1002, "ping in parts");
        let huge = [0x81, 0xff, 0, 0, 0, 0, 0xff, 0, 0, 0];
        assert_eq!(refusal(&huge), 1009);
    }

    #[test]
    fn each_length_has_its_form() {
        for (size, head) in [(125, 2), (126, 4), (65_535, 4), (65_536, 10)] {
            let mut output = Vec::new();
            write_frame(&mut output, Opcode::Binary, &vec![7; size]);
            assert_eq!(output.len(), size + head);
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused_without_panic(mut bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = read_frame(&mut bytes);
        }
    }
}
