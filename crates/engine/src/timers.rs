use std::cmp::Reverse;
use std::collections::BinaryHeap;

use model::{Nanos, Slots, UserId};
use script::host::OpId;

/// The action to take when a timer is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Alarm {
    /// A sleep ends, if its user is still in the same iteration.
    Wake(u32),
    /// A ticker ticks.
    Tick(u32),
    /// A chunk of the stream on this socket is due.
    Chunk(u32),
    /// A group begins its first or next iteration.
    Begin(u32),
    /// Only wakes the loop, which checks whether a phase is over.
    Look,
}

/// The sleep of an [`Alarm::Wake`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sleep {
    pub(crate) op: OpId,
    pub(crate) user: UserId,
    pub(crate) epoch: u32,
}

/// A running `every`: tick `k` is due at `first + k * period`, regardless of responses.
#[derive(Debug)]
pub(crate) struct Ticker {
    pub(crate) user: UserId,
    pub(crate) epoch: u32,
    pub(crate) clock: plan::Ticker,
}

/// Everything that is due at a known time, the earliest first. Timers with equal times fire in the order in which they
/// were set.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    heap: BinaryHeap<Reverse<(Nanos, u64, Alarm)>>,
    set: u64,
    sleeps: Slots<Sleep>,
    pub(crate) tickers: Slots<Ticker>,
    /// The time of the last timer that [`Timers::look_at`] set.
    next_look: Nanos,
}

impl Timers {
    /// Sets the timer that ends a sleep. Returns false if there are too many sleeps.
    pub(crate) fn sleep(&mut self, sleep: Sleep, until: Nanos) -> bool {
        let key = self.sleeps.insert(sleep);
        if let Some(key) = key {
            self.set(until, Alarm::Wake(key));
        }
        key.is_some()
    }

    /// Takes a sleep that has ended.
    pub(crate) fn end_sleep(&mut self, key: u32) -> Option<Sleep> {
        self.sleeps.remove(key)
    }

    /// Sets the timer of the first tick. Returns the ticker's key. `None` if there are too many tickers.
    pub(crate) fn start(&mut self, ticker: Ticker) -> Option<u32> {
        let due = ticker.clock.next_due();
        let key = self.tickers.insert(ticker)?;
        self.set(due, Alarm::Tick(key));
        Some(key)
    }

    /// Wakes the loop at a time at which a phase may be over. Calling it again with the same time has no effect.
    pub(crate) fn look_at(&mut self, at: Nanos) {
        if self.next_look != at {
            self.next_look = at;
            self.set(at, Alarm::Look);
        }
    }

    pub(crate) fn set(&mut self, due: Nanos, alarm: Alarm) {
        self.set += 1;
        self.heap.push(Reverse((due, self.set, alarm)));
    }

    pub(crate) fn next_due(&self) -> Option<Nanos> {
        self.heap.peek().map(|Reverse((due, ..))| *due)
    }

    /// The time of the next planned start, if it is the next timer.
    pub(crate) fn next_start(&self) -> Option<Nanos> {
        let Reverse((due, _, alarm)) = self.heap.peek()?;
        matches!(alarm, Alarm::Tick(_) | Alarm::Begin(_)).then_some(*due)
    }

    pub(crate) fn pop_due(&mut self, now: Nanos) -> Option<(Nanos, Alarm)> {
        if self.next_due()? > now {
            return None;
        }
        self.heap.pop().map(|Reverse((due, _, alarm))| (due, alarm))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_comes_first_and_equals_in_the_order_of_setting() {
        let mut timers = Timers::default();
        timers.set(Nanos(20), Alarm::Look);
        timers.set(Nanos(10), Alarm::Tick(2));
        timers.set(Nanos(10), Alarm::Tick(1));
        assert_eq!(timers.next_due(), Some(Nanos(10)));
        assert_eq!(timers.pop_due(Nanos(9)), None);
        assert_eq!(timers.pop_due(Nanos(15)), Some((Nanos(10), Alarm::Tick(2))));
        assert_eq!(timers.pop_due(Nanos(15)), Some((Nanos(10), Alarm::Tick(1))));
        assert_eq!(timers.pop_due(Nanos(15)), None);
    }
}
