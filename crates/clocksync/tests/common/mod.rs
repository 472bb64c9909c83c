//! A simulated peer whose offset, drift and delays are known.

use clocksync::{ClockOffset, Exchange, Window};
use model::Nanos;
use rand_core::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// A path to a peer, and the peer's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path {
    /// The peer's offset when the local clock shows [`START`], in nanoseconds.
    pub(crate) shift: i64,
    /// By how many ns per s the peer is too fast.
    pub(crate) drift_ppb: i64,
    /// The least delay to the peer and back together, in nanoseconds.
    pub(crate) round_trip: f64,
    /// The share of `round_trip` on the way to the peer.
    pub(crate) share_there: f64,
    /// The mean of the exponential delay that each message has in addition, in nanoseconds.
    pub(crate) jitter: f64,
    /// Whether a delayed message also delays the later ones, as in a queue.
    pub(crate) in_order: bool,
}

/// Exchanges, `interval` nanoseconds apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probes {
    pub(crate) count: u64,
    pub(crate) interval: u64,
}

/// The time of the first exchange. A peer that is 90 s behind has been running by then.
pub(crate) const START: Nanos = Nanos::from_secs(100);

pub(crate) struct Network {
    path: Path,
    random: Pcg64Mcg,
    /// The latest arrivals at the peer and back.
    latest: [Nanos; 2],
}

impl Path {
    /// The same delay in both directions, in microseconds, with a jitter of a share of it.
    pub(crate) fn symmetric(delay: f64, jitter: f64) -> Self {
        Self {
            shift: 1_234_567_891,
            drift_ppb: 0,
            round_trip: 2e3 * delay,
            share_there: 0.5,
            jitter: jitter * delay * 1e3,
            in_order: false,
        }
    }

    pub(crate) fn true_offset(&self, local: Nanos) -> ClockOffset {
        let since = i128::from(local.0) - i128::from(START.0);
        let drift = (since * i128::from(self.drift_ppb)).div_euclid(1_000_000_000);
        ClockOffset(self.shift + i64::try_from(drift).unwrap())
    }

    fn peer(&self, local: Nanos) -> Nanos {
        Nanos(
            local
                .0
                .checked_add_signed(self.true_offset(local).0)
                .unwrap(),
        )
    }
}

impl Network {
    pub(crate) fn new(path: Path, seed: u64) -> Self {
        Self {
            path,
            random: Pcg64Mcg::seed_from_u64(seed),
            latest: [Nanos::ZERO; 2],
        }
    }

    pub(crate) fn window(&mut self, from: Nanos, probes: Probes) -> Window {
        let mut window = Window::default();
        for number in 0..probes.count {
            window.add(self.exchange(from + Nanos(number * probes.interval)));
        }
        window
    }

    pub(crate) fn exchange(&mut self, sent: Nanos) -> Exchange {
        let there = self.path.round_trip * self.path.share_there;
        let received = self.arrival(0, sent, there);
        let replied = received + Nanos(20_000);
        let returned = self.arrival(1, replied, self.path.round_trip - there);
        Exchange {
            sent,
            received: self.path.peer(received),
            replied: self.path.peer(replied),
            returned,
        }
    }

    fn arrival(&mut self, direction: usize, sent: Nanos, least_delay: f64) -> Nanos {
        let mut arrival = sent + self.delay(least_delay);
        if self.path.in_order {
            arrival = arrival.max(self.latest[direction]);
        }
        self.latest[direction] = arrival;
        arrival
    }

    fn delay(&mut self, least: f64) -> Nanos {
        let uniform = (self.random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let nanos = least - self.path.jitter * (1.0 - uniform).ln();
        Nanos::from_secs_f64(nanos / 1e9)
    }
}
