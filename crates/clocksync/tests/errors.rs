//! The errors of offset and drift on simulated paths. `-- --nocapture` prints the tables of docs/design/clocks.md.

#![expect(
    clippy::unwrap_used,
    reason = "in a test a missing value is a failure, told with its line"
)]

mod common;

use clocksync::{Drift, PeerClock};
use common::{Network, Path, Probes, START};

const TRIALS: u64 = 400;

/// The median, the 95th percentile and the largest of the trials.
#[derive(Debug)]
struct Spread {
    median: f64,
    p95: f64,
    largest: f64,
}

fn spread(trial: impl Fn(u64) -> f64) -> Spread {
    let mut all: Vec<f64> = (0..TRIALS).map(trial).collect();
    all.sort_by(f64::total_cmp);
    Spread {
        median: all[all.len() / 2],
        p95: all[all.len() * 95 / 100],
        largest: all[all.len() - 1],
    }
}

/// A row of a table: a delay in µs and a jitter as a share of it.
#[derive(Clone, Copy)]
struct Row {
    delay: f64,
    jitter: f64,
    probes: Probes,
}

impl Row {
    /// The drift differs between the trials: from -50 to 50 ppm.
    fn path(&self, trial: u64) -> Path {
        Path {
            drift_ppb: i64::try_from(trial).unwrap() * 250 - 50_000,
            ..Path::symmetric(self.delay, self.jitter)
        }
    }

    fn clock(&self, trial: u64) -> PeerClock {
        let window = Network::new(self.path(trial), trial).window(START, self.probes);
        window.peer_clock(window.drift()).unwrap()
    }

    /// In microseconds.
    fn offset_error(&self, trial: u64) -> f64 {
        let clock = self.clock(trial);
        let error = clock.interval.offset() - self.path(trial).true_offset(clock.reference);
        error.abs().0 as f64 / 1e3
    }

    /// In microseconds.
    fn bound(&self, trial: u64) -> f64 {
        self.clock(trial).interval.bound().0 as f64 / 1e3
    }

    /// In ppm.
    fn drift_error(&self, trial: u64) -> f64 {
        let measured = self.clock(trial).drift.rate_ppm();
        (measured - self.path(trial).drift_ppb as f64 / 1e3).abs()
    }
}

#[test]
fn offsets_of_100_probes_2_ms_apart() {
    let probes = Probes {
        count: 100,
        interval: 2_000_000,
    };
    let rows = [
        // Delay, jitter, and the most that the largest error may be.
        (100.0, 0.0, 25.0),
        (100.0, 0.5, 25.0),
        (500.0, 0.5, 50.0),
        (2_000.0, 0.5, 100.0),
        (20_000.0, 0.1, 200.0),
        (20_000.0, 0.5, 1_000.0),
    ];
    for (delay, jitter, limit) in rows {
        let row = Row {
            delay,
            jitter,
            probes,
        };
        let error = spread(|trial| row.offset_error(trial));
        let bound = spread(|trial| row.bound(trial));
        println!("{delay} µs, jitter {jitter}: error {error:.1?} µs, bound {bound:.0?} µs");
        assert!(error.largest < limit);
        // The bound is little more than half the shortest round trip.
        assert!(delay <= bound.median && bound.largest < 1.1 * delay);
    }
}

#[test]
fn drift_of_windows_of_30_s() {
    let rows = [
        // Delay, probes per second, and the most that the median and the 95th percentile of the drift's error may be.
        (500.0, 10, 0.3, 1.5),
        (500.0, 2, 1.0, 2.4),
        (500.0, 1, 1.5, 4.0),
        (2_000.0, 10, 1.9, 6.0),
        (2_000.0, 2, 5.0, 10.0),
        (2_000.0, 1, 9.1, 13.0),
    ];
    for (delay, per_second, median, p95) in rows {
        let probes = Probes {
            count: 30 * per_second,
            interval: 1_000_000_000 / per_second,
        };
        let row = Row {
            delay,
            jitter: 0.5,
            probes,
        };
        let drift = spread(|trial| row.drift_error(trial));
        let offset = spread(|trial| row.offset_error(trial));
        println!("{delay} µs, {per_second}/s: drift {drift:.1?} ppm, offset {offset:.0?} µs");
        assert!(drift.median <= median && drift.p95 <= p95);
    }
}

#[test]
fn the_stated_uncertainty_of_the_drift_covers_its_error() {
    for (delay, per_second) in [(500.0, 2), (2_000.0, 2), (2_000.0, 10), (20_000.0, 10)] {
        let probes = Probes {
            count: 30 * per_second,
            interval: 1_000_000_000 / per_second,
        };
        let row = Row {
            delay,
            jitter: 0.5,
            probes,
        };
        // Of the stated uncertainty, 20 ppm are for changes of the rate, of which there are none here.
        let stated = |trial| row.clock(trial).drift.uncertainty_ppm() - 20.0;
        let covered = (0..TRIALS).filter(|&trial| row.drift_error(trial) <= stated(trial));
        let (covered, typical) = (covered.count(), spread(stated));
        println!("{delay} µs, {per_second}/s: {covered} of {TRIALS}, stated {typical:.1?} ppm");
        assert_eq!(covered as u64, TRIALS);
        assert!(typical.median < 20.0 * spread(|trial| row.drift_error(trial)).median);
    }
}

#[test]
fn a_window_that_says_too_little_leaves_the_drift_unknown() {
    let probes = Probes {
        count: 100,
        interval: 2_000_000,
    };
    let row = Row {
        delay: 20_000.0,
        jitter: 0.5,
        probes,
    };
    assert!((0..TRIALS).all(|trial| row.clock(trial).drift == Drift::UNKNOWN));
}
