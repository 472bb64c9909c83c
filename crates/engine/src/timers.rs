use std::cmp::Reverse;
use std::collections::BinaryHeap;

use model::{Nanos, UserId};
use script::host::OpId;

/// The action to take when a timer is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Alarm {
    /// A sleep ends, if its user is still in the same iteration.
    Wake(u32),
    /// A ticker ticks.
    Tick(u32),
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

/// Everything that is due at a known time, the earliest first. Timers with equal times fire in the order in which they
/// were set.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    heap: BinaryHeap<Reverse<(Nanos, u64, Alarm)>>,
    set: u64,
}

impl Timers {
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
