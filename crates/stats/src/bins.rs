//! The counters of an HDR histogram, in small blocks that are allocated when the first value falls into them.
//!
//! HDR libraries use one array for the whole range, which takes hundreds of kilobytes. Growing the array touches all of
//! its pages, which costs milliseconds in the middle of a measurement.

/// Number of bins per power of two. A value's error is below 0.1 %, which means three significant digits.
const PER_POWER: usize = 1024;
/// log2 of [`PER_POWER`].
const POWER_BITS: u32 = 10;
/// Number of bins in one block, which takes 2 KB.
const BLOCK: usize = 256;
/// Number of blocks. Below [`PER_POWER`], each bin holds one value. Above it, each power of two has [`PER_POWER`] bins.
const BLOCKS: usize = (64 - POWER_BITS as usize + 1) * PER_POWER / BLOCK;

type Block = Box<[u64; BLOCK]>;

/// The counts of all bins. The bins are those of HDR with three significant digits.
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

    /// Removes the values of another instance. A bin never falls below zero.
    pub(crate) fn remove(&mut self, other: &Self) {
        for (ours, theirs) in self.blocks.iter_mut().zip(other.blocks.iter()) {
            let (Some(ours), Some(theirs)) = (ours, theirs) else {
                continue;
            };
            for (ours, theirs) in ours.iter_mut().zip(theirs.iter()) {
                *ours = ours.saturating_sub(*theirs);
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        for block in self.blocks.iter_mut().flatten() {
            block.fill(0);
        }
    }

    /// The non-empty bins in ascending order, each as the bin's largest value and its count.
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
    // After the shift, the value is at least PER_POWER and less than twice PER_POWER.
    match power {
        0 => value as usize,
        power => power as usize * PER_POWER + (value >> (power - 1)) as usize - PER_POWER,
    }
}

/// The largest value in the same bin as `value`.
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
