use model::Nanos;

/// A time series of windows of equal width. Each window holds a `W`. A window without data remains a gap and is never
/// filled with zeros. The number of windows is limited: later data is dropped and counted.
#[derive(Clone, Debug)]
pub struct Series<W> {
    width: Nanos,
    windows: Vec<Option<W>>,
    limit: usize,
    dropped: u64,
}

impl<W> Series<W> {
    /// Creates a series of at most `limit` windows of `width`, starting at time zero. A width of zero counts as one
    /// nanosecond.
    pub fn new(width: Nanos, limit: usize) -> Self {
        Self {
            width: width.max(Nanos(1)),
            windows: Vec::new(),
            limit,
            dropped: 0,
        }
    }

    /// The window at time `at`, created if it was a gap. `None` beyond the limit.
    pub fn at(&mut self, at: Nanos) -> Option<&mut W>
    where
        W: Default,
    {
        let index = usize::try_from(at.0 / self.width.0).unwrap_or(usize::MAX);
        if index >= self.limit {
            self.dropped += 1;
            return None;
        }
        if index >= self.windows.len() {
            self.windows.resize_with(index + 1, || None);
        }
        self.windows[index].get_or_insert_default().into()
    }

    /// Merges the windows of another series of the same width. `join` merges two windows of the same time.
    pub fn merge(&mut self, other: Self, mut join: impl FnMut(&mut W, W)) {
        debug_assert_eq!(self.width, other.width, "windows of one series are alike");
        let longer = self.windows.len().max(other.windows.len());
        self.windows.resize_with(longer, || None);
        for (ours, theirs) in self.windows.iter_mut().zip(other.windows) {
            match (ours.as_mut(), theirs) {
                (Some(ours), Some(theirs)) => join(ours, theirs),
                (None, Some(theirs)) => *ours = Some(theirs),
                (_, None) => {}
            }
        }
        self.dropped += other.dropped;
    }

    /// The windows in order, with their start times. `None` is a gap.
    pub fn windows(&self) -> impl Iterator<Item = (Nanos, Option<&W>)> {
        let starts = (0_u64..).map(|index| Nanos(index * self.width.0));
        starts.zip(self.windows.iter().map(Option::as_ref))
    }

    /// The width of a window.
    pub fn width(&self) -> Nanos {
        self.width
    }

    /// The number of accesses beyond the limit.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }
}
