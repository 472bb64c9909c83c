use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::clock::Nanos;

/// A queue of timers. Timers with equal times fire in the order in which they were set.
#[derive(Debug)]
pub(crate) struct Timers<T> {
    heap: BinaryHeap<Reverse<Entry<T>>>,
    set: u64,
}

#[derive(Debug)]
struct Entry<T> {
    due: Nanos,
    number: u64,
    what: T,
}

impl<T> Default for Timers<T> {
    fn default() -> Self {
        Self {
            heap: BinaryHeap::new(),
            set: 0,
        }
    }
}

impl<T> Timers<T> {
    pub(crate) fn set(&mut self, due: Nanos, what: T) {
        self.set += 1;
        let number = self.set;
        self.heap.push(Reverse(Entry { due, number, what }));
    }

    /// The time of the next timer.
    pub(crate) fn next(&self) -> Option<Nanos> {
        self.heap.peek().map(|entry| entry.0.due)
    }

    /// Removes the earliest timer that is due at `now`. Returns its due time and value.
    pub(crate) fn take(&mut self, now: Nanos) -> Option<(Nanos, T)> {
        if self.next()? > now {
            return None;
        }
        self.heap.pop().map(|entry| (entry.0.due, entry.0.what))
    }
}

impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl<T> Eq for Entry<T> {}

impl<T> PartialOrd for Entry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Entry<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.due, self.number).cmp(&(other.due, other.number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_comes_early_and_equal_times_keep_their_order() {
        let mut timers = Timers::default();
        for (due, what) in [(5, 'b'), (3, 'a'), (5, 'c')] {
            timers.set(due, what);
        }
        assert_eq!(timers.take(2), None);
        assert_eq!(timers.next(), Some(3));
        let all: Vec<_> = std::iter::from_fn(|| timers.take(5)).collect();
        assert_eq!(all, [(3, 'a'), (5, 'b'), (5, 'c')]);
    }
}
