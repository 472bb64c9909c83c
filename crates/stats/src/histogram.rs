use model::Nanos;

use crate::bins::{Bins, highest_equivalent};

/// Significant decimal digits: a value is known to 0.1 %.
pub(crate) const DIGITS: u8 = 3;

/// Spans of time in nanoseconds, three significant digits, from 1 ns without an upper end.
///
/// It grows with the range of the values and never with their number, takes no memory before the first
/// value, and clips nothing: the smallest, the largest and the sum are kept exactly.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    pub(crate) filled: Option<Box<Filled>>,
}

/// What a histogram holds once it has seen a value.
#[derive(Clone, Debug)]
pub(crate) struct Filled {
    pub(crate) bins: Bins,
    pub(crate) count: u64,
    pub(crate) min: u64,
    pub(crate) max: u64,
    pub(crate) sum: u64,
}

impl Filled {
    pub(crate) fn new() -> Self {
        Self {
            bins: Bins::new(),
            count: 0,
            min: u64::MAX,
            max: 0,
            sum: 0,
        }
    }

    #[inline]
    pub(crate) fn add(&mut self, value: u64, times: u64) {
        self.bins.add(value, times);
        self.count = self.count.saturating_add(times);
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.sum = self.sum.saturating_add(value.saturating_mul(times));
    }
}

impl Histogram {
    /// One without values, to refer to.
    pub const NONE: &'static Self = &Self::new();

    /// A histogram without values; allocates nothing.
    pub const fn new() -> Self {
        Self { filled: None }
    }

    /// Counts one span.
    #[inline]
    pub fn record(&mut self, span: Nanos) {
        self.record_n(span, 1);
    }

    /// Counts the same span `times` times.
    #[inline]
    pub fn record_n(&mut self, span: Nanos, times: u64) {
        if times == 0 {
            return;
        }
        let filled = self.filled.get_or_insert_with(|| Box::new(Filled::new()));
        filled.add(span.0, times);
    }

    /// Adds all values of another histogram.
    pub fn merge(&mut self, other: &Self) {
        let Some(theirs) = &other.filled else { return };
        let Some(ours) = &mut self.filled else {
            self.filled = Some(theirs.clone());
            return;
        };
        ours.bins.merge(&theirs.bins);
        ours.count = ours.count.saturating_add(theirs.count);
        ours.min = ours.min.min(theirs.min);
        ours.max = ours.max.max(theirs.max);
        ours.sum = ours.sum.saturating_add(theirs.sum);
    }

    /// Forgets all values and keeps the memory, for a histogram that is filled once per window.
    pub fn clear(&mut self) {
        if let Some(filled) = &mut self.filled {
            filled.bins.clear();
            filled.count = 0;
            filled.min = u64::MAX;
            filled.max = 0;
            filled.sum = 0;
        }
    }

    /// How many values were recorded.
    pub fn count(&self) -> u64 {
        self.filled.as_ref().map_or(0, |filled| filled.count)
    }

    /// Whether no value was recorded.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    fn non_empty(&self) -> Option<&Filled> {
        self.filled.as_deref().filter(|filled| filled.count > 0)
    }

    /// The value at quantile `q` (0 to 1), at most 0.1 % above the true one, whatever the number of samples;
    /// [`crate::estimate`] is the one that asks whether the samples carry it. `None` when empty.
    pub fn quantile(&self, q: f64) -> Option<Nanos> {
        self.at_rank(crate::quantile::rank_of(self.count(), q))
    }

    /// The value with rank `rank` in ascending order, counted from 1; `None` when there is no such value.
    pub fn at_rank(&self, rank: u64) -> Option<Nanos> {
        let filled = self.non_empty()?;
        if rank == 0 {
            return None;
        }
        let mut below = 0_u64;
        let mut bins = filled.bins.filled();
        let (value, _) = bins.find(|&(_, count)| {
            below = below.saturating_add(count);
            below >= rank
        })?;
        Some(Nanos(value.clamp(filled.min, filled.max)))
    }

    /// How many values are greater than `limit`, to the histogram's precision.
    pub fn count_above(&self, limit: Nanos) -> u64 {
        let Some(filled) = self.non_empty() else {
            return 0;
        };
        let limit = highest_equivalent(limit.0);
        let above = filled.bins.filled().filter(|&(value, _)| value > limit);
        above.map(|(_, count)| count).fold(0, u64::saturating_add)
    }

    /// The arithmetic mean, exact; `None` when empty.
    pub fn mean(&self) -> Option<Nanos> {
        let filled = self.non_empty()?;
        Some(Nanos(filled.sum / filled.count))
    }

    /// The largest value, exact; `None` when empty.
    pub fn max(&self) -> Option<Nanos> {
        self.non_empty().map(|filled| Nanos(filled.max))
    }

    /// The smallest value, exact; `None` when empty.
    pub fn min(&self) -> Option<Nanos> {
        self.non_empty().map(|filled| Nanos(filled.min))
    }

    /// The sum of all values; stops at 584 years.
    pub fn sum(&self) -> Nanos {
        Nanos(self.filled.as_ref().map_or(0, |filled| filled.sum))
    }

    /// The bins that hold values, ascending: the largest value of the bin and its count.
    pub fn bins(&self) -> impl Iterator<Item = (Nanos, u64)> + '_ {
        self.filled
            .iter()
            .flat_map(|filled| filled.bins.filled())
            .map(|(value, count)| (Nanos(value), count))
    }
}

impl PartialEq for Histogram {
    /// Equal when they hold the same values, whatever memory they have allocated.
    fn eq(&self, other: &Self) -> bool {
        self.count() == other.count()
            && self.min() == other.min()
            && self.max() == other.max()
            && self.sum() == other.sum()
            && self.bins().eq(other.bins())
    }
}
