//! Samples the states of the target's threads, to see how they wait for the disk.
//!
//! The kernel adds up these waits only if the machine is set up for it.

use model::Nanos;
use probe::{Course, ThreadState, disk_bytes, thread_state};
use record::{DiskBytes, DiskWaits};

use crate::clock::Clock;

/// Interval between samples.
const EVERY: Nanos = Nanos::from_millis(50);
/// A sample may take at most 1/`COST` of the time, so many threads are sampled less often.
const COST: u64 = 50;
/// Maximum number of threads of a sample.
const THREADS: usize = 32;

/// Samples in the measured time.
#[derive(Debug, Default)]
pub(super) struct DiskWatch {
    samples: u64,
    waiting: u64,
    alone: u64,
    busy: u64,
    /// Number of threads that waited, over all samples.
    threads: u64,
    /// Bytes read and written at the first and at the last sample.
    bytes: Option<((u64, u64), (u64, u64))>,
    next: Nanos,
}

impl DiskWatch {
    /// Samples the threads that ran in the last second, when a sample is due.
    pub(super) fn watch(&mut self, course: &Course, now: Nanos, clock: Clock) {
        if now < self.next {
            return;
        }
        let began = clock.now();
        let active = course.active_threads().take(THREADS);
        let states: Vec<ThreadState> = active.filter_map(thread_state).collect();
        if !states.is_empty() {
            self.add(&states);
            self.note_bytes(course);
        }
        let took = clock.now() - began;
        self.next = now + EVERY.max(Nanos(took.0.saturating_mul(COST)));
    }

    fn add(&mut self, states: &[ThreadState]) {
        let are = |state| states.iter().filter(|one| **one == state).count() as u64;
        let (running, waiting) = (are(ThreadState::Running), are(ThreadState::Disk));
        self.samples += 1;
        self.waiting += u64::from(waiting > 0);
        self.alone += u64::from(waiting > 0 && running == 0);
        self.busy += u64::from(waiting + running > 0);
        self.threads += waiting;
    }

    fn note_bytes(&mut self, course: &Course) {
        let processes = course.last().into_iter().flat_map(|last| &last.processes);
        let mut now = (0, 0);
        for process in processes {
            let Some((read, written)) = disk_bytes(process.pid) else {
                return;
            };
            now = (now.0 + read, now.1 + written);
        }
        let first = self.bytes.map_or(now, |(first, _)| first);
        self.bytes = Some((first, now));
    }

    /// The waits of all samples. `None` without a sample.
    pub(super) fn waits(&self) -> Option<DiskWaits> {
        let percent = |samples: u64| samples as f64 / self.samples as f64 * 100.0;
        (self.samples > 0).then(|| DiskWaits {
            samples: self.samples,
            waiting_percent: percent(self.waiting),
            alone_percent: percent(self.alone),
            busy_percent: percent(self.busy),
            at_once: self.threads as f64 / self.waiting.max(1) as f64,
            transferred: self.bytes.map(|(first, last)| DiskBytes {
                read_mb: megabytes(first.0, last.0),
                written_mb: megabytes(first.1, last.1),
            }),
        })
    }
}

/// The growth of a count of bytes. A process that ended takes its count along.
fn megabytes(before: u64, after: u64) -> f64 {
    after.saturating_sub(before) as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_shares_of_the_samples() {
        use ThreadState::{Disk, Running, Waiting};
        let mut watch = DiskWatch::default();
        assert_eq!(watch.waits(), None);
        for states in [
            vec![Disk, Waiting],
            vec![Disk, Disk, Running],
            vec![Running, Waiting],
            vec![Waiting, Waiting],
        ] {
            watch.add(&states);
        }
        watch.bytes = Some(((0, 1_000_000), (500_000, 3_000_000)));
        let waits = DiskWaits {
            samples: 4,
            waiting_percent: 50.0,
            alone_percent: 25.0,
            busy_percent: 75.0,
            at_once: 1.5,
            transferred: Some(DiskBytes {
                read_mb: 0.5,
                written_mb: 2.0,
            }),
        };
        assert_eq!(watch.waits(), Some(waits));
    }
}
