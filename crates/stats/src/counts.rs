//! Counts of values in coarse bins, which are small enough to keep many of them.

use std::iter::Peekable;

use model::Nanos;

use crate::histogram::Histogram;

pub(crate) mod packed;

/// Number of bins per power of two. A limit is accurate to 3 %, which suffices to count the values beyond the limit in
/// each block.
const PER_POWER: u64 = 32;
const POWER_BITS: u32 = 5;

/// The counts of a period, such as one block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// The non-empty bins with their counts, in ascending order.
    pub(crate) bins: Vec<(u16, u64)>,
    /// Number of timeouts and operations that never ended. They have no value and rank above all values.
    pub(crate) endless: u64,
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

    pub(crate) fn of(times: &Histogram, endless: u64) -> Self {
        let mut bins: Vec<(u16, u64)> = Vec::new();
        for (value, count) in times.bins() {
            add_last(&mut bins, bin_of(value), count);
        }
        Self { bins, endless }
    }

    /// The same counts in wider bins, each of which has two to the power of `bits` of these.
    pub(crate) fn coarser(&self, bits: u32) -> Self {
        let mut bins: Vec<(u16, u64)> = Vec::new();
        for (bin, count) in &self.bins {
            add_last(&mut bins, bin >> bits, *count);
        }
        Self {
            bins,
            endless: self.endless,
        }
    }

    /// The counts that were added since `before`.
    pub(crate) fn since(&self, before: &Self) -> Self {
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

/// Adds a count to the last bin, or appends a bin above it.
fn add_last(bins: &mut Vec<(u16, u64)>, bin: u16, count: u64) {
    match bins.last_mut() {
        Some((last, sum)) if *last == bin => *sum += count,
        _ => bins.push((bin, count)),
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

/// Merges neighbouring periods.
pub(crate) fn halved(periods: &[Counts]) -> Vec<Counts> {
    let pairs = periods.chunks(2);
    let merged = pairs.map(|pair| {
        let mut both = pair[0].clone();
        pair[1..].iter().for_each(|second| both.add(second));
        both
    });
    merged.collect()
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
