//! Blocks in JSON: base64 of compressed variable-length numbers. A minute with many requests per second takes a few
//! kilobytes.

use std::io::{Read as _, Write as _};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};

use super::{BLOCKS, Blocks, Counts, SHORTEST_BLOCK};

/// Number of bins of the whole range. Each bin takes at most two numbers of at most ten bytes.
const BINS: usize = 2048;
/// Maximum decompressed size in bytes, so that a damaged record cannot fill the memory.
const LARGEST: u64 = (BLOCKS * (BINS + 1) * 20) as u64;
/// Maximum number of times that the length of a block doubles. One more doubling of 250 ms would exceed the range of
/// the clock.
const MOST_DOUBLINGS: u32 = 36;

#[derive(Serialize, Deserialize)]
struct Saved {
    width_ms: u64,
    counts: String,
}

impl Serialize for Blocks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut plain = Vec::new();
        for block in &self.blocks {
            put(&mut plain, block.endless);
            put(&mut plain, block.bins.len() as u64);
            let mut last = 0;
            for &(bin, count) in &block.bins {
                put(&mut plain, u64::from(bin - last));
                put(&mut plain, count);
                last = bin;
            }
        }
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
        let packed = packed.write_all(&plain).and_then(|()| packed.finish());
        let saved = Saved {
            width_ms: self.width().0 / 1_000_000,
            counts: STANDARD.encode(packed.map_err(ser::Error::custom)?),
        };
        saved.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Blocks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let saved = Saved::deserialize(deserializer)?;
        let shortest = SHORTEST_BLOCK.0 / 1_000_000;
        let doublings = (0..=MOST_DOUBLINGS).find(|&by| shortest << by == saved.width_ms);
        let doublings = doublings
            .ok_or_else(|| de::Error::custom("invalid block width: `width_ms` is unknown"))?;
        let packed = STANDARD.decode(saved.counts).map_err(de::Error::custom)?;
        let mut plain = Vec::new();
        ZlibDecoder::new(packed.as_slice())
            .take(LARGEST)
            .read_to_end(&mut plain)
            .map_err(de::Error::custom)?;
        let blocks = read(&plain).ok_or_else(|| de::Error::custom("damaged blocks"))?;
        Ok(Self { doublings, blocks })
    }
}

fn read(mut plain: &[u8]) -> Option<Vec<Counts>> {
    let mut blocks = Vec::new();
    let mut sum = 0_u64;
    while !plain.is_empty() {
        let endless = take(&mut plain)?;
        let length = take(&mut plain)?;
        let mut block = Counts {
            bins: Vec::new(),
            endless,
        };
        sum = sum.checked_add(endless)?;
        for at in 0..length {
            let step = u16::try_from(take(&mut plain)?).ok()?;
            let last = block.bins.last().map_or(0, |(bin, _)| *bin);
            let bin = last.checked_add(step)?;
            let count = take(&mut plain)?;
            sum = sum.checked_add(count)?;
            if at > 0 && step == 0 || usize::from(bin) >= BINS {
                return None;
            }
            block.bins.push((bin, count));
        }
        blocks.push(block);
    }
    (blocks.len() <= BLOCKS).then_some(blocks)
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
