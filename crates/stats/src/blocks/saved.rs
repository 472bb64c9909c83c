//! Blocks in JSON.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};

use super::{BLOCKS, Blocks, SHORTEST_BLOCK};
use crate::counts::packed::{pack, unpack};

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
        let saved = Saved {
            width_ms: self.width().0 / 1_000_000,
            counts: pack(&self.blocks).map_err(ser::Error::custom)?,
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
        let blocks = unpack(&saved.counts, BLOCKS).map_err(de::Error::custom)?;
        Ok(Self { doublings, blocks })
    }
}
