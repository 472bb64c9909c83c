use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::clock::Nanos;

/// A first-come, first-served queue for k servers. Each server takes the same time per request.
///
/// The queue is simulated: each request's departure time is computed on arrival. The simulation needs almost no CPU
/// time and is as exact as the clock.
#[derive(Debug)]
pub(crate) struct Station {
    /// For each server, the time at which it will have finished its assigned requests.
    free_at: BinaryHeap<Reverse<Nanos>>,
    service: Nanos,
}

/// The result of queueing a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Served {
    /// Waiting time before service begins.
    pub(crate) waits: Nanos,
    /// Time at which the request is finished.
    pub(crate) done: Nanos,
}

impl Station {
    pub(crate) fn new(servers: u32, service: Nanos) -> Self {
        Self {
            free_at: (0..servers).map(|_| Reverse(0)).collect(),
            service,
        }
    }

    /// Whether a server is free for a request.
    pub(crate) fn is_free(&self, arrival: Nanos) -> bool {
        let next = self.free_at.peek();
        next.is_some_and(|Reverse(free)| *free <= arrival)
    }

    /// Adds a request. `arrival` must never decrease between calls.
    pub(crate) fn arrive(&mut self, arrival: Nanos) -> Served {
        let begin = match self.free_at.pop() {
            Some(Reverse(free)) => free.max(arrival),
            None => arrival,
        };
        let done = begin + self.service;
        self.free_at.push(Reverse(done));
        Served {
            waits: begin - arrival,
            done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(servers: u32, service: Nanos, arrivals: &[Nanos]) -> Vec<Nanos> {
        let mut station = Station::new(servers, service);
        arrivals
            .iter()
            .map(|at| station.arrive(*at).waits)
            .collect()
    }

    #[test]
    fn one_server_serves_in_turn() {
        assert_eq!(waits(1, 10, &[100, 101, 102, 140]), [0, 9, 18, 0]);
    }

    #[test]
    fn two_servers_serve_two_at_a_time() {
        assert_eq!(waits(2, 10, &[0, 0, 0, 0, 30]), [0, 0, 10, 10, 0]);
    }

    #[test]
    fn below_capacity_even_arrivals_never_wait() {
        let arrivals: Vec<Nanos> = (0..100).map(|n| n * 10).collect();
        assert!(waits(1, 10, &arrivals).iter().all(|wait| *wait == 0));
    }
}
