//! Tests whether the error of a percentile that a run shows is the one by which repeated runs really differ.

use stats::{Blocks, Histogram, Samples};

use crate::runs::{self, Random, Run};
use crate::{LOOKED_AT, recorded};

const RUNS: u32 = 200;
/// Bounds of the ratio for each of [`LOOKED_AT`]. Few samples are beyond p99.
const BOUNDS: [(f64, f64); 3] = [(0.8, 1.25), (0.8, 1.25), (0.7, 1.5)];

/// How the logarithm of a percentile varies over runs of one kind.
#[derive(Debug, Default)]
struct Varied {
    values: Vec<f64>,
    /// The variances that the runs show.
    shown: Vec<f64>,
}

impl Varied {
    fn look(&mut self, times: &Histogram, blocks: &Blocks, q: f64) {
        let samples = Samples {
            times,
            open: Histogram::NONE,
            endless: 0,
        };
        let (Some(value), Some(error)) = (samples.at(q).value(), samples.log_error_in(blocks, q))
        else {
            return;
        };
        self.values.push((value.0 as f64).ln());
        self.shown.push(error * error);
    }

    /// The error that the runs show on average, divided by the true one.
    fn ratio(&self) -> f64 {
        let count = self.values.len() as f64;
        let mean = self.values.iter().sum::<f64>() / count;
        let squares: f64 = self.values.iter().map(|one| (one - mean).powi(2)).sum();
        let shown = self.shown.iter().sum::<f64>() / count;
        (shown / (squares / (count - 1.0))).sqrt()
    }
}

fn ratios(make: &dyn Fn(&mut Random) -> Run) -> [f64; 3] {
    let mut random = Random::new(24);
    let mut all: [Varied; 3] = Default::default();
    for _ in 0..RUNS {
        let (times, blocks) = recorded(&make(&mut random));
        for (varied, q) in all.iter_mut().zip(LOOKED_AT) {
            varied.look(&times, &blocks, q);
        }
    }
    assert!(all.iter().all(|one| one.values.len() > RUNS as usize / 2));
    all.map(|one| one.ratio())
}

/// Kinds of runs: a name, a run of the kind, and the correlation of its times.
type Kind = (&'static str, fn(&mut Random) -> Run);

const KINDS: [Kind; 6] = [
    ("independent", |random| {
        runs::independent(random, 20.0, 120.0)
    }),
    ("alike for 0.3 s", |random| {
        runs::drifting(random, 20.0, 120.0, 0.3)
    }),
    ("alike for 1 s", |random| {
        runs::drifting(random, 60.0, 50.0, 1.0)
    }),
    ("queue", |random| runs::queue(random, 60.0, 100.0, 0.8)),
    ("bursts", |random| {
        runs::bursts(random, 60.0, 100.0, (2.0, 0.3))
    }),
    ("fan-out", |random| runs::fan_out(random, 60.0, 10.0, 20)),
];

/// The interval of a single run has margins, so it is about twice as wide as this error would make it.
#[test]
fn the_error_of_a_percentile_is_that_of_repeated_runs() {
    for (what, make) in KINDS {
        let found = ratios(&make);
        for (at, (low, high)) in BOUNDS.into_iter().enumerate() {
            assert!((low..high).contains(&found[at]), "{what}: {found:.2?}");
        }
    }
}
