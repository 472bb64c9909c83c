use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::{BuildHasher, RandomState};

use rand_core::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::clock::Nanos;
use crate::order::Places;

/// A first-come, first-served queue for k servers. Each server takes the same time per request, or a random time.
///
/// The queue is simulated: each request's departure time is computed on arrival. The simulation needs almost no CPU
/// time and is as exact as the clock.
#[derive(Debug)]
pub(crate) struct Station {
    /// For each server, the time at which it will have finished its assigned requests.
    free_at: BinaryHeap<Reverse<Nanos>>,
    service: Nanos,
    /// The source of random times. `None` if all are the same.
    dice: Option<Pcg64Mcg>,
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
    pub(crate) fn new(places: Places) -> Self {
        Self {
            free_at: (0..places.servers).map(|_| Reverse(0)).collect(),
            service: places.service,
            dice: places.varies.then(|| Pcg64Mcg::seed_from_u64(seed())),
        }
    }

    /// The service time of the next request.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "times are positive; `as` from a float saturates"
    )]
    fn time(&mut self) -> Nanos {
        /// Number of values of a uniform share: as many as a float can tell apart.
        const VALUES: f64 = (1_u64 << 53) as f64;
        let Some(dice) = &mut self.dice else {
            return self.service;
        };
        let share = 1.0 - (dice.next_u64() >> 11) as f64 / VALUES; // never 0
        (self.service as f64 * -share.ln()) as Nanos
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
        let done = begin + self.time();
        self.free_at.push(Reverse(done));
        Served {
            waits: begin - arrival,
            done,
        }
    }
}

/// A random seed, so that measurements of several servers do not all see the same runs of long service times.
fn seed() -> u64 {
    RandomState::new().hash_one(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn station(servers: u32, service: Nanos, varies: bool) -> Station {
        Station::new(Places {
            servers,
            service,
            varies,
        })
    }

    fn waits(servers: u32, service: Nanos, arrivals: &[Nanos]) -> Vec<Nanos> {
        let mut station = station(servers, service, false);
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
    fn random_times_are_exponential() {
        const OF: usize = 100_000;
        let mut station = station(1, 1_000_000, true);
        let times: Vec<f64> = (0..OF).map(|_| station.time() as f64 / 1e6).collect();
        let mean = times.iter().sum::<f64>() / OF as f64;
        let above =
            |mean: f64| times.iter().filter(|time| **time > mean).count() as f64 / OF as f64;
        // Five standard deviations of the mean, and of a share of the times.
        assert!((mean - 1.0).abs() < 0.016, "{mean}");
        assert!(
            (above(1.0) - (-1.0_f64).exp()).abs() < 0.008,
            "{}",
            above(1.0)
        );
        assert!(
            (above(3.0) - (-3.0_f64).exp()).abs() < 0.004,
            "{}",
            above(3.0)
        );
    }

    #[test]
    fn below_capacity_even_arrivals_never_wait() {
        let arrivals: Vec<Nanos> = (0..100).map(|n| n * 10).collect();
        assert!(waits(1, 10, &arrivals).iter().all(|wait| *wait == 0));
    }

    #[test]
    fn each_queue_has_random_times_of_its_own() {
        let mut one = station(1, 1_000_000, true);
        let mut other = station(1, 1_000_000, true);
        let differ = (0..10).any(|_| one.time() != other.time());
        assert!(differ);
    }
}
