use model::Nanos;

/// Fixed windows of time, each holding a `W`. A window in which nothing was noted stays a gap and is never
/// filled with zeros. Its length is bounded: what comes later is counted and dropped.
#[derive(Clone, Debug)]
pub struct Series<W> {
    width: Nanos,
    windows: Vec<Option<W>>,
    limit: usize,
    dropped: u64,
}

impl<W> Series<W> {
    /// Windows of `width` (not zero) from time zero on, `limit` of them at most.
    pub fn new(width: Nanos, limit: usize) -> Self {
        Self {
            width: width.max(Nanos(1)),
            windows: Vec::new(),
            limit,
            dropped: 0,
        }
    }

    /// The window that `at` falls into, made when it was a gap; `None` beyond the limit.
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

    /// Joins the windows of another series of the same width, each pair by `join`.
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

    /// The windows in order with the time at which each starts; `None` is a gap.
    pub fn windows(&self) -> impl Iterator<Item = (Nanos, Option<&W>)> {
        let starts = (0_u64..).map(|index| Nanos(index * self.width.0));
        starts.zip(self.windows.iter().map(Option::as_ref))
    }

    /// The width of a window.
    pub fn width(&self) -> Nanos {
        self.width
    }

    /// How many notes fell beyond the limit.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }
}
