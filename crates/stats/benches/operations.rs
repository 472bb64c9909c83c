//! Cost of recording a sample, and of merging the samples of two workers.

use model::Nanos;
use operation::Operation;
use stats::Histogram;

#[path = "../../../bench/operation.rs"]
mod operation;

/// Samples recorded per timed call, because recording a single sample is too short to be timed.
const SAMPLES: u32 = 1000;

/// A fixed list of latencies from 100 us to about 30 ms, most of them short.
fn latencies(count: u32) -> Vec<Nanos> {
    let mut state = 1_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state >> 32
    };
    (0..count)
        .map(|_| Nanos(100_000 + next() % 300_000 * (1 + next() % 10) * (1 + next() % 10)))
        .collect()
}

fn filled(count: u32) -> Histogram {
    let mut histogram = Histogram::new();
    for latency in latencies(count) {
        histogram.record(latency);
    }
    histogram
}

fn main() {
    let operations = vec![
        Operation::new("record a sample", SAMPLES, || {
            let latencies = latencies(SAMPLES);
            let mut histogram = Histogram::new();
            move || latencies.iter().for_each(|&one| histogram.record(one))
        }),
        Operation::new("merge a histogram of 10,000 samples", 1, || {
            let theirs = filled(10_000);
            let mut ours = theirs.clone();
            move || ours.merge(&theirs)
        }),
        Operation::new("p99 of 10,000 samples", 1, || {
            let histogram = filled(10_000);
            move || histogram.quantile(0.99)
        }),
    ];
    operation::run("stats", operations);
}
