//! Counters of an HDR histogram in small blocks that are made when the first value falls into them. One array over
//! the whole range, as HDR libraries have it, is hundreds of kilobytes whose pages are all touched when it grows:
//! milliseconds in the middle of what is being measured.

/// Values of one power of two fall into so many bins: known to better than 0.1 %, three significant digits.
const PER_POWER: usize = 1024;
/// log2 of [`PER_POWER`].
const POWER_BITS: u32 = 10;
/// Bins of one block: 2 KB.
const BLOCK: usize = 256;
/// Below [`PER_POWER`] a bin holds one value; each power of two above it has [`PER_POWER`] bins of its own.
const BLOCKS: usize = (64 - POWER_BITS as usize + 1) * PER_POWER / BLOCK;

type Block = Box<[u64; BLOCK]>;

/// How often values fell into each bin; bins lie where HDR's with three significant digits do.
#[derive(Clone, Debug)]
pub(crate) struct Bins {
    blocks: Box<[Option<Block>; BLOCKS]>,
}

impl Bins {
    pub(crate) fn new() -> Self {
        Self {
            blocks: Box::new([const { None }; BLOCKS]),
        }
    }

    #[inline]
    pub(crate) fn add(&mut self, value: u64, times: u64) {
        let bin = bin_of(value);
        let block = self.blocks[bin / BLOCK].get_or_insert_with(|| Box::new([0; BLOCK]));
        let count = &mut block[bin % BLOCK];
        *count = count.saturating_add(times);
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (ours, theirs) in self.blocks.iter_mut().zip(other.blocks.iter()) {
            let Some(theirs) = theirs else { continue };
            let ours = ours.get_or_insert_with(|| Box::new([0; BLOCK]));
            for (ours, theirs) in ours.iter_mut().zip(theirs.iter()) {
                *ours = ours.saturating_add(*theirs);
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        for block in self.blocks.iter_mut().flatten() {
            block.fill(0);
        }
    }

    /// Bins that hold values, ascending: the largest value that falls into the bin, and how many did.
    pub(crate) fn filled(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let blocks = self.blocks.iter().enumerate();
        blocks
            .filter_map(|(number, block)| Some((number, block.as_deref()?)))
            .flat_map(|(number, block)| {
                let bins = (number * BLOCK..).zip(block);
                bins.filter(|(_, count)| **count > 0)
                    .map(|(bin, count)| (highest_of(bin), *count))
            })
    }
}

#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "less than 2^16 by construction"
)]
fn bin_of(value: u64) -> usize {
    let power = (u64::BITS - (value | 1).leading_zeros()).saturating_sub(POWER_BITS);
    // Shifted by its power, a value lies between PER_POWER and twice that.
    match power {
        0 => value as usize,
        power => power as usize * PER_POWER + (value >> (power - 1)) as usize - PER_POWER,
    }
}

/// The largest value of a bin.
pub(crate) fn highest_equivalent(value: u64) -> u64 {
    highest_of(bin_of(value))
}

fn highest_of(bin: usize) -> u64 {
    let (power, offset) = (bin / PER_POWER, (bin % PER_POWER) as u64);
    match power {
        0 => offset,
        power => {
            let width = 1_u64 << (power - 1);
            (offset + PER_POWER as u64) * width + (width - 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::Histogram as Hdr;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bins_lie_where_those_of_hdr_do(value: u64, shift in 0_u32..64) {
            let value = value >> shift;
            let hdr = Hdr::<u64>::new_with_bounds(1, u64::MAX, 3).unwrap();
            prop_assert_eq!(highest_equivalent(value), hdr.highest_equivalent(value));
        }
    }

    #[test]
    fn the_ends_of_the_range_have_bins() {
        let mut bins = Bins::new();
        for value in [0, 1023, 1024, 2047, 2048, u64::MAX] {
            bins.add(value, 1);
        }
        let seen: Vec<_> = bins.filled().collect();
        assert_eq!(
            seen,
            [
                (0, 1),
                (1023, 1),
                (1024, 1),
                (2047, 1),
                (2049, 1),
                (u64::MAX, 1)
            ]
        );
    }
}
