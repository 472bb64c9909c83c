use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::Duration;

use model::Nanos;
use probe::{look_at_port, look_at_queue};
use record::ListenQueue;

use super::sampling::EVERY;
use crate::clock::Clock;

/// Interval between samples of the listen queue. The queue fills and empties within a second, so it is sampled more
/// often than other figures.
const QUEUE_EVERY: Nanos = Nanos::from_millis(100);
/// Counting the connections may take at most 1/`COST` of the time, so many connections are counted less often.
const COST: u64 = 50;
/// A receiver is slow if its window limits the target for at least this share of the time.
const SLOW: f64 = 0.5;

/// The state of the port at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// Number of established connections.
    pub(super) connections: u64,
    /// Length of the longest listen queue since the moment before.
    pub(super) queue: Option<u64>,
}

/// The total time for which receivers have limited their connections, at one moment.
type WindowLimited = (Nanos, HashMap<SocketAddr, Duration>);

/// Samples of the target's port in the measured time.
#[derive(Debug, Default)]
pub(super) struct PortWatch {
    /// The counts of connections, each with its time.
    looks: Vec<(Nanos, Seen)>,
    queue: ListenQueue,
    /// The longest queue since the connections were last counted.
    longest: u64,
    next_queue: Nanos,
    next_look: Nanos,
    first_limited: Option<WindowLimited>,
    last_limited: Option<WindowLimited>,
}

impl PortWatch {
    pub(super) fn watch(&mut self, pid: i32, port: u16, now: Nanos, clock: Clock) {
        if now >= self.next_look {
            let began = clock.now();
            if let Some(look) = look_at_port(pid, port) {
                if let Some(queue) = look.queue {
                    self.see(queue);
                }
                let seen = Seen {
                    connections: look.connections,
                    queue: look.queue.map(|_| self.longest),
                };
                self.looks.push((now, seen));
                self.longest = 0;
                self.see_receivers(now, look.window_limited);
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

    fn see_receivers(&mut self, now: Nanos, limited: Option<HashMap<SocketAddr, Duration>>) {
        let Some(limited) = limited else { return };
        if self.first_limited.is_none() {
            self.first_limited = Some((now, limited));
        } else {
            self.last_limited = Some((now, limited));
        }
    }

    /// The number of connections whose receivers were slow from the first sample to the last. `None` if it is unknown.
    pub(super) fn slow_receivers(&self) -> Option<u64> {
        let ((from, before), (until, after)) =
            (self.first_limited.as_ref()?, self.last_limited.as_ref()?);
        let least = (*until - *from).as_secs_f64() * SLOW;
        let is_slow = |(receiver, time): &(&SocketAddr, &Duration)| {
            let earlier = before.get(receiver).copied().unwrap_or_default();
            time.saturating_sub(earlier).as_secs_f64() >= least
        };
        Some(after.iter().filter(is_slow).count() as u64)
    }

    /// The highest number of connections in a sample.
    pub(super) fn connections(&self) -> Option<u64> {
        self.looks.iter().map(|(_, look)| look.connections).max()
    }

    pub(super) fn queue(&self) -> Option<ListenQueue> {
        (self.queue.looks > 0).then_some(self.queue)
    }

    /// The latest count of connections up to `at`, unless it is older than `EVERY`.
    pub(super) fn at(&self, at: Nanos) -> Option<Seen> {
        let until = self.looks.partition_point(|(seen, _)| *seen <= at);
        let (seen, look) = self.looks.get(until.checked_sub(1)?)?;
        (*seen + EVERY > at).then_some(*look)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_is_slow_if_it_limits_its_connection_for_half_of_the_time() {
        let limited = |times: &[(u16, u64)]| {
            let times = times.iter().map(|(port, ms)| {
                let address = SocketAddr::from(([127, 0, 0, 1], *port));
                (address, Duration::from_millis(*ms))
            });
            Some(times.collect())
        };
        let mut watch = PortWatch::default();
        assert_eq!(watch.slow_receivers(), None);
        watch.see_receivers(Nanos::from_secs(10), limited(&[(1, 7_000)]));
        assert_eq!(watch.slow_receivers(), None, "one sample");
        watch.see_receivers(Nanos::from_secs(12), limited(&[]));
        // Of 4 s: 1 s, although it was slow earlier; 2 s; 1.9 s.
        let last = limited(&[(1, 8_000), (2, 2_000), (3, 1_900)]);
        watch.see_receivers(Nanos::from_secs(14), last);
        assert_eq!(watch.slow_receivers(), Some(1));
        watch.see_receivers(Nanos::from_secs(15), None);
        assert_eq!(watch.slow_receivers(), Some(1), "the kernel did not tell");
    }
}
