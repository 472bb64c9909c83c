use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::clock::Nanos;

/// A queue in front of k servers that take the same time for each request, first come first served.
///
/// The queue is simulated: a request gets its departure time when it arrives. It therefore costs no CPU and is as exact
/// as the clock.
#[derive(Debug)]
pub(crate) struct Station {
    /// Time at which each server has finished the requests assigned so far.
    free_at: BinaryHeap<Reverse<Nanos>>,
    service: Nanos,
}

/// The schedule of a request.
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

    /// Adds a request; `arrival` never decreases.
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
