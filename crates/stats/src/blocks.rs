use std::iter::Peekable;

use model::Nanos;

use crate::histogram::Histogram;

/// Maximum number of blocks. Before it is exceeded, neighbouring blocks are merged.
pub const BLOCKS: usize = 64;
/// Length of the shortest block.
pub const SHORTEST_BLOCK: Nanos = Nanos::from_millis(250);

/// Number of bins per power of two. A limit is accurate to 3 %, which suffices to count the values beyond the limit in
/// each block.
const PER_POWER: u64 = 32;
const POWER_BITS: u32 = 5;

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

/// The counts of one block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// The non-empty bins with their counts, in ascending order.
    pub(crate) bins: Vec<(u16, u64)>,
    /// Number of timeouts and operations that never ended. They have no value and rank above all values.
    pub(crate) endless: u64,
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
        let pairs = self.blocks.chunks(2);
        self.blocks = pairs
            .map(|pair| {
                let mut both = pair[0].clone();
                pair[1..].iter().for_each(|second| both.add(second));
                both
            })
            .collect();
    }
}

impl Counts {
    pub(crate) fn total(&self) -> u64 {
        let values = self.bins.iter().map(|(_, count)| *count);
        values.fold(self.endless, u64::saturating_add)
    }

    /// The number of values in this bin and all lower bins.
    pub(crate) fn up_to(&self, bin: u16) -> u64 {
        let below = self.bins.iter().take_while(|(one, _)| *one <= bin);
        below.map(|(_, count)| *count).fold(0, u64::saturating_add)
    }

    fn of(times: &Histogram, endless: u64) -> Self {
        let mut bins: Vec<(u16, u64)> = Vec::new();
        for (value, count) in times.bins() {
            let bin = bin_of(value);
            match bins.last_mut() {
                Some((last, sum)) if *last == bin => *sum += count,
                _ => bins.push((bin, count)),
            }
        }
        Self { bins, endless }
    }

    /// The counts that were added since `before`.
    fn since(&self, before: &Self) -> Self {
        let mut known = before.bins.iter().copied().peekable();
        let new = self.bins.iter().filter_map(|&(bin, count)| {
            let more = count.saturating_sub(count_of(&mut known, bin));
            (more > 0).then_some((bin, more))
        });
        Self {
            bins: new.collect(),
            endless: self.endless.saturating_sub(before.endless),
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.endless = self.endless.saturating_add(other.endless);
        let mut ours = std::mem::take(&mut self.bins).into_iter().peekable();
        let mut theirs = other.bins.iter().copied().peekable();
        while let Some(bin) = least(ours.peek(), theirs.peek()) {
            let (one, other) = (count_of(&mut ours, bin), count_of(&mut theirs, bin));
            self.bins.push((bin, one.saturating_add(other)));
        }
    }
}

/// The lower one of two bins.
fn least(one: Option<&(u16, u64)>, other: Option<&(u16, u64)>) -> Option<u16> {
    let bins = [one, other].into_iter().flatten();
    bins.map(|(bin, _)| *bin).min()
}

/// Takes the count of a bin from a sorted list. Successive calls must pass bins in ascending order.
fn count_of(list: &mut Peekable<impl Iterator<Item = (u16, u64)>>, bin: u16) -> u64 {
    list.next_if(|(one, _)| *one == bin)
        .map_or(0, |(_, count)| count)
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

/// The bin of a value.
#[expect(
    clippy::cast_possible_truncation,
    reason = "less than 2^11 by construction"
)]
pub(crate) fn bin_of(value: Nanos) -> u16 {
    let power = (u64::BITS - value.0.leading_zeros()).saturating_sub(POWER_BITS + 1);
    (u64::from(power) * PER_POWER + (value.0 >> power)) as u16
}

mod codec;

#[cfg(test)]
mod tests;
