use hdrhistogram::Histogram as Hdr;
use model::Nanos;

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
    pub(crate) hdr: Hdr<u64>,
    pub(crate) min: u64,
    pub(crate) max: u64,
    pub(crate) sum: u64,
}

impl Filled {
    #[expect(
        clippy::expect_used,
        reason = "constant bounds that the crate documents as valid"
    )]
    fn new() -> Self {
        Self {
            hdr: Hdr::new(DIGITS).expect("three digits are within one to five"),
            min: u64::MAX,
            max: 0,
            sum: 0,
        }
    }
}

impl Histogram {
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
        if filled.hdr.record_n(span.0, times).is_err() {
            // Only a platform whose `usize` cannot hold the bins refuses to grow.
            filled.hdr.saturating_record_n(span.0, times);
        }
        filled.min = filled.min.min(span.0);
        filled.max = filled.max.max(span.0);
        filled.sum = filled.sum.saturating_add(span.0.saturating_mul(times));
    }

    /// Adds all values of another histogram.
    pub fn merge(&mut self, other: &Self) {
        let Some(theirs) = &other.filled else { return };
        let Some(ours) = &mut self.filled else {
            self.filled = Some(theirs.clone());
            return;
        };
        if ours.hdr.add(&theirs.hdr).is_err() {
            for bin in theirs.hdr.iter_recorded() {
                ours.hdr
                    .saturating_record_n(bin.value_iterated_to(), bin.count_at_value());
            }
        }
        ours.min = ours.min.min(theirs.min);
        ours.max = ours.max.max(theirs.max);
        ours.sum = ours.sum.saturating_add(theirs.sum);
    }

    /// Forgets all values and keeps the memory, for a histogram that is filled once per window.
    pub fn clear(&mut self) {
        if let Some(filled) = &mut self.filled {
            filled.hdr.reset();
            filled.min = u64::MAX;
            filled.max = 0;
            filled.sum = 0;
        }
    }

    /// How many values were recorded.
    pub fn count(&self) -> u64 {
        self.filled.as_ref().map_or(0, |filled| filled.hdr.len())
    }

    /// Whether no value was recorded.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    fn non_empty(&self) -> Option<&Filled> {
        self.filled
            .as_deref()
            .filter(|filled| !filled.hdr.is_empty())
    }

    /// The value at quantile `q` (0 to 1), at most 0.1 % above the true one, whatever the number of samples;
    /// [`crate::estimate`] is the one that asks whether the samples carry it. `None` when empty.
    pub fn quantile(&self, q: f64) -> Option<Nanos> {
        self.at_rank(crate::quantile::rank_of(self.count(), q))
    }

    /// The value with rank `rank` in ascending order, counted from 1; `None` when there is no such value.
    pub fn at_rank(&self, rank: u64) -> Option<Nanos> {
        let filled = self.non_empty()?;
        let count = filled.hdr.len();
        if rank == 0 || rank > count {
            return None;
        }
        // Half a rank down keeps the product with the count clear of the next whole number.
        let q = (rank as f64 - 0.5) / count as f64;
        let value = filled.hdr.value_at_quantile(q);
        Some(Nanos(value.clamp(filled.min, filled.max)))
    }

    /// How many values are greater than `limit`, to the histogram's precision.
    pub fn count_above(&self, limit: Nanos) -> u64 {
        let Some(filled) = self.non_empty() else {
            return 0;
        };
        let above = filled
            .hdr
            .iter_recorded()
            .filter(|bin| bin.value_iterated_to() > filled.hdr.highest_equivalent(limit.0));
        above.map(|bin| bin.count_at_value()).sum()
    }

    /// The arithmetic mean, exact; `None` when empty.
    pub fn mean(&self) -> Option<Nanos> {
        let filled = self.non_empty()?;
        Some(Nanos(filled.sum / filled.hdr.len()))
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
            .flat_map(|filled| filled.hdr.iter_recorded())
            .map(|bin| (Nanos(bin.value_iterated_to()), bin.count_at_value()))
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
