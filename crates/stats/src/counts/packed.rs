//! Counts as text: base64 of compressed variable-length numbers. A minute with many requests per second takes a few
//! kilobytes.

use std::io::{self, Read as _, Write as _};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use super::Counts;

/// Number of bins of the whole range. Each bin takes at most two numbers of at most ten bytes.
const BINS: usize = 2048;

/// Encodes periods in order of time.
pub(crate) fn pack(periods: &[Counts]) -> io::Result<String> {
    let mut plain = Vec::new();
    for period in periods {
        put(&mut plain, period.endless);
        put(&mut plain, period.bins.len() as u64);
        let mut last = 0;
        for &(bin, count) in &period.bins {
            put(&mut plain, u64::from(bin - last));
            put(&mut plain, count);
            last = bin;
        }
    }
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    packed.write_all(&plain)?;
    Ok(STANDARD.encode(packed.finish()?))
}

/// Decodes at most `most` periods. The error names what is wrong.
pub(crate) fn unpack(text: &str, most: usize) -> Result<Vec<Counts>, String> {
    let packed = STANDARD.decode(text).map_err(|why| why.to_string())?;
    // Limits the decompressed size, so that a damaged record cannot fill the memory.
    let largest = (most * (BINS + 1) * 20) as u64;
    let mut plain = Vec::new();
    let mut unpacked = ZlibDecoder::new(packed.as_slice()).take(largest);
    unpacked
        .read_to_end(&mut plain)
        .map_err(|why| why.to_string())?;
    let periods = read(&plain).filter(|periods| periods.len() <= most);
    periods.ok_or_else(|| "damaged counts".to_owned())
}

fn read(mut plain: &[u8]) -> Option<Vec<Counts>> {
    let mut periods = Vec::new();
    let mut sum = 0_u64;
    while !plain.is_empty() {
        let endless = take(&mut plain)?;
        let length = take(&mut plain)?;
        let mut period = Counts {
            bins: Vec::new(),
            endless,
        };
        sum = sum.checked_add(endless)?;
        for at in 0..length {
            let step = u16::try_from(take(&mut plain)?).ok()?;
            let last = period.bins.last().map_or(0, |(bin, _)| *bin);
            let bin = last.checked_add(step)?;
            let count = take(&mut plain)?;
            sum = sum.checked_add(count)?;
            if at > 0 && step == 0 || usize::from(bin) >= BINS {
                return None;
            }
            period.bins.push((bin, count));
        }
        periods.push(period);
    }
    Some(periods)
}

/// Writes a number in groups of seven bits, lowest first. The eighth bit of a byte is set if more bytes follow.
#[expect(clippy::cast_possible_truncation, reason = "seven bits at a time")]
fn put(into: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        into.push(0x80 + (number & 0x7f) as u8);
        number >>= 7;
    }
    into.push(number as u8);
}

fn take(from: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (&byte, rest) = from.split_first()?;
        *from = rest;
        number |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}
