use model::Nanos;
use probe::{PortLook, look_at_port, look_at_queue};
use record::ListenQueue;

use super::sampling::EVERY;
use crate::clock::Clock;

/// Interval between samples of the listen queue. The queue fills and empties within a second, so it is sampled more
/// often than other figures.
const QUEUE_EVERY: Nanos = Nanos::from_millis(100);
/// Counting the connections may take at most 1/`COST` of the time, so many connections are counted less often.
const COST: u64 = 50;

/// Samples of the target's port in the measured time.
#[derive(Debug, Default)]
pub(super) struct PortWatch {
    /// The counts of connections, each with its time.
    looks: Vec<(Nanos, PortLook)>,
    queue: ListenQueue,
    /// The longest queue since the connections were last counted.
    longest: u64,
    next_queue: Nanos,
    next_look: Nanos,
}

impl PortWatch {
    pub(super) fn watch(&mut self, pid: i32, port: u16, now: Nanos, clock: Clock) {
        if now >= self.next_look {
            let began = clock.now();
            if let Some(mut look) = look_at_port(pid, port) {
                if let Some(queue) = &mut look.queue {
                    self.see(*queue);
                    queue.length = self.longest;
                }
                self.looks.push((now, look));
                self.longest = 0;
            }
            let took = clock.now() - began;
            self.next_look = now + EVERY.max(Nanos(took.0.saturating_mul(COST)));
            self.next_queue = now + QUEUE_EVERY;
        } else if now >= self.next_queue {
            if let Some(queue) = look_at_queue(pid, port) {
                self.see(queue);
            }
            self.next_queue = now + QUEUE_EVERY;
        }
    }

    fn see(&mut self, seen: probe::ListenQueue) {
        self.longest = self.longest.max(seen.length);
        let queue = &mut self.queue;
        queue.longest = queue.longest.max(seen.length);
        queue.limit = seen.limit.or(queue.limit);
        queue.looks += 1;
        queue.full += u64::from(seen.is_full());
    }

    /// The highest number of connections in a sample.
    pub(super) fn connections(&self) -> Option<u64> {
        self.looks.iter().map(|(_, look)| look.connections).max()
    }

    pub(super) fn queue(&self) -> Option<ListenQueue> {
        (self.queue.looks > 0).then_some(self.queue)
    }

    /// The latest count of connections up to `at`, unless it is older than `EVERY`.
    pub(super) fn at(&self, at: Nanos) -> Option<PortLook> {
        let until = self.looks.partition_point(|(seen, _)| *seen <= at);
        let (seen, look) = self.looks.get(until.checked_sub(1)?)?;
        (*seen + EVERY > at).then_some(*look)
    }
}
