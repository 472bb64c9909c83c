use model::Nanos;

use crate::counts::{Counts, halved};
use crate::histogram::Histogram;

/// Maximum number of blocks. Before it is exceeded, neighbouring blocks are merged.
pub const BLOCKS: usize = 64;
/// Length of the shortest block.
pub const SHORTEST_BLOCK: Nanos = Nanos::from_millis(250);

/// The values of a histogram over time. A few dozen blocks divide the measured time, and each block counts its values
/// in coarse bins.
///
/// The values of one run are not independent: a pause delays many operations at once, and the deliveries of one message
/// are sent together. The variation between the blocks shows how many independent values the run is worth
/// ([`Blocks::design_effect`]).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Blocks {
    /// The length of a block is [`SHORTEST_BLOCK`] times two to this power.
    pub(crate) doublings: u32,
    pub(crate) blocks: Vec<Counts>,
}

/// Fills [`Blocks`] from a growing histogram. At the end of each block, it subtracts the histogram's previous state, so
/// that recording a value costs nothing extra.
#[derive(Clone, Debug, Default)]
pub struct BlockWriter {
    blocks: Blocks,
    seen: Counts,
}

impl Blocks {
    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The length of a block.
    pub fn width(&self) -> Nanos {
        Nanos(SHORTEST_BLOCK.0 << self.doublings)
    }

    /// The number of samples in each block, in order of time.
    pub fn counts(&self) -> impl Iterator<Item = u64> {
        self.blocks.iter().map(Counts::total)
    }

    /// The number of all samples.
    pub fn count(&self) -> u64 {
        self.counts().fold(0, u64::saturating_add)
    }

    /// Adds blocks of the same period, from another worker or of another name.
    pub fn merge(&mut self, other: &Self) {
        let mut theirs = other.clone();
        while self.doublings < theirs.doublings {
            self.halve();
        }
        while theirs.doublings < self.doublings {
            theirs.halve();
        }
        let longer = self.blocks.len().max(theirs.blocks.len());
        self.blocks.resize_with(longer, Counts::default);
        for (ours, theirs) in self.blocks.iter_mut().zip(&theirs.blocks) {
            ours.add(theirs);
        }
    }

    /// The block that contains `at`, counted from the start of the measured time.
    fn at(&mut self, at: Nanos) -> &mut Counts {
        while at.0 / self.width().0 >= BLOCKS as u64 {
            self.halve();
        }
        // The result is less than BLOCKS, so the conversion cannot fail.
        let index = usize::try_from(at.0 / self.width().0).unwrap_or_default();
        let longer = self.blocks.len().max(index + 1);
        self.blocks.resize_with(longer, Counts::default);
        &mut self.blocks[index]
    }

    /// Merges neighbouring blocks.
    fn halve(&mut self) {
        self.doublings += 1;
        self.blocks = halved(&self.blocks);
    }
}

impl BlockWriter {
    /// Adds all samples recorded since the last call to the block that contains `at`, counted from the start of the
    /// measured time. `times` and `endless` are the totals so far.
    pub fn close(&mut self, at: Nanos, times: &Histogram, endless: u64) {
        if times.count() + endless == self.seen.total() {
            return;
        }
        let all = Counts::of(times, endless);
        self.blocks.at(at).add(&all.since(&self.seen));
        self.seen = all;
    }

    /// The blocks written.
    pub fn into_blocks(self) -> Blocks {
        self.blocks
    }
}

mod saved;

#[cfg(test)]
mod tests;
