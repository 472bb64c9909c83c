//! Looks at the states of the target's threads, to see how they wait for the disk.
//!
//! The kernel adds up these waits only if the machine is set up for it, so they are sampled.

use model::Nanos;
use probe::{Course, ThreadState, thread_state};
use record::DiskWaits;

use crate::clock::Clock;

/// Interval between looks.
const EVERY: Nanos = Nanos::from_millis(50);
/// A look may take at most 1/`COST` of the time, so many threads are looked at less often.
const COST: u64 = 50;
/// Maximum number of threads that are looked at.
const THREADS: usize = 32;

/// Looks in the measured time.
#[derive(Debug, Default)]
pub(super) struct DiskWatch {
    looks: u64,
    waiting: u64,
    busy: u64,
    /// Number of threads that waited, over all looks.
    threads: u64,
    next: Nanos,
}

impl DiskWatch {
    /// Looks at the threads that ran in the last second, when a look is due.
    pub(super) fn watch(&mut self, course: &Course, now: Nanos, clock: Clock) {
        if now < self.next {
            return;
        }
        let began = clock.now();
        let active = course.active_threads().take(THREADS);
        let states: Vec<ThreadState> = active.filter_map(thread_state).collect();
        self.add(&states);
        let took = clock.now() - began;
        self.next = now + EVERY.max(Nanos(took.0.saturating_mul(COST)));
    }

    fn add(&mut self, states: &[ThreadState]) {
        if states.is_empty() {
            return;
        }
        let are = |state| states.iter().filter(|one| **one == state).count() as u64;
        let (running, waiting) = (are(ThreadState::Running), are(ThreadState::Disk));
        self.looks += 1;
        self.waiting += u64::from(waiting > 0);
        self.busy += u64::from(waiting + running > 0);
        self.threads += waiting;
    }

    /// The waits of all looks. `None` without a look.
    pub(super) fn waits(&self) -> Option<DiskWaits> {
        let percent = |looks: u64| looks as f64 / self.looks as f64 * 100.0;
        (self.looks > 0).then(|| DiskWaits {
            looks: self.looks,
            waiting_percent: percent(self.waiting),
            busy_percent: percent(self.busy),
            at_once: self.threads as f64 / self.waiting.max(1) as f64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_shares_of_the_looks() {
        use ThreadState::{Disk, Running, Waiting};
        let mut watch = DiskWatch::default();
        assert_eq!(watch.waits(), None);
        for states in [
            vec![Disk, Waiting],
            vec![Disk, Disk, Running],
            vec![Running, Waiting],
            vec![Waiting, Waiting],
            vec![], // before the first second, no thread is known
        ] {
            watch.add(&states);
        }
        let waits = DiskWaits {
            looks: 4,
            waiting_percent: 50.0,
            busy_percent: 75.0,
            at_once: 1.5,
        };
        assert_eq!(watch.waits(), Some(waits));
    }
}
