use std::io::Read as _;

use flate2::read::ZlibDecoder;

use super::DecodeError;
use crate::histogram::DIGITS;

/// The first word of HDR V2 data, plain and compressed.
const PLAIN: u32 = 0x1c84_9313;
const COMPRESSED: u32 = 0x1c84_9314;
/// Size of the header in bytes: cookie, length of the counts, offset, digits, smallest, largest, ratio.
const HEAD: usize = 40;
/// Maximum decompressed size: a histogram of three digits has at most 57,344 bins of at most nine bytes.
const LARGEST: u64 = 57_344 * 9 + HEAD as u64;

/// Decompresses HDR V2 and checks its header. The HDR reader would trust a wrong header and reserve up to 4 GB of
/// memory.
pub(super) fn unpack(bytes: &[u8]) -> Result<Vec<u8>, DecodeError> {
    let refused = |why: &str| DecodeError::Hdr(why.to_owned());
    let mut plain = Vec::new();
    match word(bytes, 0) {
        Some(COMPRESSED) => ZlibDecoder::new(bytes.get(8..).unwrap_or_default())
            .take(LARGEST)
            .read_to_end(&mut plain)
            .map_err(|error| DecodeError::Hdr(error.to_string()))?,
        Some(PLAIN) => {
            plain.extend_from_slice(bytes);
            bytes.len()
        }
        _ => return Err(refused("it does not begin with the cookie of HDR V2")),
    };
    let Some((length, digits)) = word(&plain, 4).zip(word(&plain, 12)) else {
        return Err(refused("its header is incomplete"));
    };
    if digits != u32::from(DIGITS) {
        return Err(refused(&format!(
            "{digits} significant digits instead of {DIGITS}"
        )));
    }
    let there = plain.len().saturating_sub(HEAD);
    if usize::try_from(length).is_ok_and(|length| length <= there) {
        Ok(plain)
    } else {
        Err(refused(&format!(
            "only {there} of {length} bytes of its counts are there"
        )))
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at + 4)?;
    Some(u32::from_be_bytes(four.try_into().ok()?))
}
