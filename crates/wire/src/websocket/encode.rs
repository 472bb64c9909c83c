use super::frame::Opcode;
use super::mask;

const MASKED: u8 = 0x80;
/// Length field: the length follows in two bytes.
const LENGTH_16: u8 = 126;
/// Length field: the length follows in eight bytes.
const LENGTH_64: u8 = 127;

/// Appends a whole text message in one masked frame.
pub fn encode_text(out: &mut Vec<u8>, text: &str, mask: [u8; 4]) {
    encode(out, Opcode::Text, [text.as_bytes()], mask);
}

/// Appends one text message, given in several parts, in one masked frame.
pub(super) fn encode_text_of(out: &mut Vec<u8>, parts: &[&str], mask: [u8; 4]) {
    encode(
        out,
        Opcode::Text,
        parts.iter().map(|part| part.as_bytes()),
        mask,
    );
}

/// Appends a whole binary message in one masked frame.
pub fn encode_binary(out: &mut Vec<u8>, bytes: &[u8], mask: [u8; 4]) {
    encode(out, Opcode::Binary, [bytes], mask);
}

/// Appends a ping. The payload is truncated to 125 bytes, the maximum of a control frame.
pub fn encode_ping(out: &mut Vec<u8>, payload: &[u8], mask: [u8; 4]) {
    encode(out, Opcode::Ping, [control(payload)], mask);
}

/// Appends a pong. The payload is truncated to 125 bytes.
pub fn encode_pong(out: &mut Vec<u8>, payload: &[u8], mask: [u8; 4]) {
    encode(out, Opcode::Pong, [control(payload)], mask);
}

/// Appends a close frame. The reason is truncated at a character boundary so that code and reason fit into 125 bytes.
pub fn encode_close(out: &mut Vec<u8>, code: Option<u16>, reason: &str, mask: [u8; 4]) {
    match code {
        None => encode(out, Opcode::Close, [], mask),
        Some(code) => {
            let end = reason.floor_char_boundary(123);
            let payload: [&[u8]; 2] = [&code.to_be_bytes(), &reason.as_bytes()[..end]];
            encode(out, Opcode::Close, payload, mask);
        }
    }
}

fn control(payload: &[u8]) -> &[u8] {
    &payload[..payload.len().min(125)]
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "each arm has checked that the length fits its field"
)]
fn encode<'a>(
    out: &mut Vec<u8>,
    opcode: Opcode,
    parts: impl IntoIterator<Item = &'a [u8], IntoIter: Clone>,
    mask: [u8; 4],
) {
    let parts = parts.into_iter();
    let length: usize = parts.clone().map(<[u8]>::len).sum();
    out.reserve(length + 14);
    out.push(0x80 | opcode as u8);
    match length {
        0..=125 => out.push(MASKED | length as u8),
        126..=0xffff => {
            out.push(MASKED | LENGTH_16);
            out.extend_from_slice(&(length as u16).to_be_bytes());
        }
        _ => {
            out.push(MASKED | LENGTH_64);
            out.extend_from_slice(&(length as u64).to_be_bytes());
        }
    }
    out.extend_from_slice(&mask);
    // Joins the parts before masking, because the mask continues across part boundaries.
    let start = out.len();
    for part in parts {
        out.extend_from_slice(part);
    }
    mask::apply(&mut out[start..], mask);
}
