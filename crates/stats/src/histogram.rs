use model::Nanos;

use crate::bins::{Bins, highest_equivalent};

/// Number of significant decimal digits: a value is known to 0.1 %.
pub(crate) const DIGITS: u8 = 3;

/// A histogram of durations in nanoseconds with three significant digits, from 1 ns without an upper limit.
///
/// Its memory grows with the range of the values, not with their number; an empty histogram takes none. No value is
/// clipped. The smallest value, the largest value and the sum are exact.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    pub(crate) filled: Option<Box<Filled>>,
}

/// The content of a histogram that has recorded a value.
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
    /// A shared empty histogram, for code that needs a reference.
    pub const NONE: &'static Self = &Self::new();

    /// An empty histogram. Allocates nothing.
    pub const fn new() -> Self {
        Self { filled: None }
    }

    /// Records one duration.
    #[inline]
    pub fn record(&mut self, span: Nanos) {
        self.record_n(span, 1);
    }

    /// Records the same duration `times` times.
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

    /// The values of this histogram without those of `part`, which must be among them. The sum is exact. The smallest
    /// and the largest value are exact unless they were removed; then they are at most 0.1 % above the true ones.
    #[must_use]
    pub fn without(&self, part: &Self) -> Self {
        let (Some(all), Some(part)) = (self.non_empty(), part.non_empty()) else {
            return self.clone();
        };
        let mut bins = all.bins.clone();
        bins.remove(&part.bins);
        let (lowest, highest) = (bins.filled().next(), bins.filled().last());
        let (Some((lowest, _)), Some((highest, _))) = (lowest, highest) else {
            return Self::new();
        };
        let max = highest.min(all.max);
        let min = if part.min > all.min { all.min } else { lowest };
        let filled = Filled {
            count: bins.filled().map(|(_, count)| count).sum(),
            min: min.min(max),
            max,
            sum: all.sum.saturating_sub(part.sum),
            bins,
        };
        Self {
            filled: Some(Box::new(filled)),
        }
    }

    /// Removes all values but keeps the memory. Meant for histograms that are refilled in every window.
    pub fn clear(&mut self) {
        if let Some(filled) = &mut self.filled {
            filled.bins.clear();
            filled.count = 0;
            filled.min = u64::MAX;
            filled.max = 0;
            filled.sum = 0;
        }
    }

    /// The number of recorded values.
    pub fn count(&self) -> u64 {
        self.filled.as_ref().map_or(0, |filled| filled.count)
    }

    /// Whether the histogram has no values.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    fn non_empty(&self) -> Option<&Filled> {
        self.filled.as_deref().filter(|filled| filled.count > 0)
    }

    /// The value at quantile `q` (0 to 1), at most 0.1 % above the true one. `None` if empty.
    ///
    /// Does not check that there are enough samples, unlike [`crate::estimate`].
    pub fn quantile(&self, q: f64) -> Option<Nanos> {
        self.at_rank(crate::quantile::rank_of(self.count(), q))
    }

    /// The value with rank `rank` in ascending order, counted from 1. `None` if there is no such value.
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

    /// The number of values greater than `limit`, to the precision of the histogram.
    pub fn count_above(&self, limit: Nanos) -> u64 {
        let Some(filled) = self.non_empty() else {
            return 0;
        };
        let limit = highest_equivalent(limit.0);
        let above = filled.bins.filled().filter(|&(value, _)| value > limit);
        above.map(|(_, count)| count).fold(0, u64::saturating_add)
    }

    /// The exact arithmetic mean, rounded down to a nanosecond. `None` if empty.
    pub fn mean(&self) -> Option<Nanos> {
        let filled = self.non_empty()?;
        Some(Nanos(filled.sum / filled.count))
    }

    /// The exact largest value. `None` if empty.
    pub fn max(&self) -> Option<Nanos> {
        self.non_empty().map(|filled| Nanos(filled.max))
    }

    /// The exact smallest value. `None` if empty.
    pub fn min(&self) -> Option<Nanos> {
        self.non_empty().map(|filled| Nanos(filled.min))
    }

    /// The sum of all values. It saturates at 584 years.
    pub fn sum(&self) -> Nanos {
        Nanos(self.filled.as_ref().map_or(0, |filled| filled.sum))
    }

    /// The non-empty bins in ascending order, each as the bin's largest value and its count.
    pub fn bins(&self) -> impl Iterator<Item = (Nanos, u64)> + '_ {
        self.filled
            .iter()
            .flat_map(|filled| filled.bins.filled())
            .map(|(value, count)| (Nanos(value), count))
    }
}

impl PartialEq for Histogram {
    /// Histograms are equal if they have the same values, regardless of allocated memory.
    fn eq(&self, other: &Self) -> bool {
        self.count() == other.count()
            && self.min() == other.min()
            && self.max() == other.max()
            && self.sum() == other.sum()
            && self.bins().eq(other.bins())
    }
}
