//! Tests whether a 95 % interval contains the true value in 95 % of simulated runs. The true percentiles follow from
//! the simulated distributions, not from this crate. Seeds are fixed, so the figures are always the same.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "tests"
)]

mod errors;
mod runs;
mod shares;

use model::Nanos;
use runs::{Random, Run};
use stats::{BlockWriter, Blocks, Estimate, Histogram, estimate_in_blocks, interval_ranks};

const TRIALS: u32 = 150;

/// Records a run's times. As on a worker, a block is closed every 250 ms and at the end of the run.
fn recorded(run: &Run) -> (Histogram, Blocks) {
    let (mut times, mut writer) = (Histogram::new(), BlockWriter::default());
    let mut block = 0;
    for &(at_s, value_ms) in &run.values {
        let now = (at_s * 4.0) as u64;
        if now > block {
            writer.close(Nanos::from_millis(block * 250), &times, 0);
            block = now;
        }
        times.record(Nanos((value_ms * 1e6) as u64));
    }
    writer.close(Nanos::from_millis(block * 250), &times, 0);
    (times, writer.into_blocks())
}

/// The number of intervals stated, the number that missed the true value, and the sum of their widths. The unit of
/// width is the width of the interval for independent samples.
#[derive(Debug, Default)]
struct Seen {
    stated: u32,
    missed: u32,
    widths: f64,
}

/// The quantiles that are tested.
const LOOKED_AT: [f64; 3] = [0.5, 0.95, 0.99];

fn coverage(make: &dyn Fn(&mut Random) -> Run, truth_ms: [f64; 3]) -> [Seen; 3] {
    let mut random = Random::new(16);
    let mut all: [Seen; 3] = Default::default();
    for _ in 0..TRIALS {
        let (times, blocks) = recorded(&make(&mut random));
        for ((seen, q), truth_ms) in all.iter_mut().zip(LOOKED_AT).zip(truth_ms) {
            seen.look(&times, &blocks, q, truth_ms);
        }
    }
    all
}

impl Seen {
    fn look(&mut self, times: &Histogram, blocks: &Blocks, q: f64, truth_ms: f64) {
        let Estimate::Value {
            interval: Some((low, high)),
            ..
        } = estimate_in_blocks(times, 0, blocks, q)
        else {
            return;
        };
        let [low, high] = [low, high].map(Nanos::as_millis_f64);
        let (first, last) = interval_ranks(times.count(), q).unwrap();
        let [first, last] = [first, last].map(|rank| times.at_rank(rank).unwrap().as_millis_f64());
        self.stated += 1;
        // A histogram's values have an error of up to 0.1 %.
        self.missed += u32::from(truth_ms < low * 0.999 || truth_ms > high * 1.001);
        self.widths += (high - low) / (last - first);
    }

    /// The mean width.
    fn width(&self) -> f64 {
        self.widths / f64::from(self.stated)
    }
}

/// At most 5 % of the stated intervals may miss, plus two standard deviations. If few runs get an interval, at most 2 %
/// of all runs may miss.
fn holds(what: &str, make: &dyn Fn(&mut Random) -> Run, truth: &dyn Fn(f64) -> f64) -> [Seen; 3] {
    let all = coverage(make, LOOKED_AT.map(truth));
    for (seen, q) in all.iter().zip(LOOKED_AT) {
        let stated = f64::from(seen.stated);
        let of = |all: f64| all * 0.05 + 2.0 * (all * 0.0475).sqrt();
        // If only a few runs get an interval, they differ from the others, so 5 % of them is no fair limit.
        let common = seen.stated >= TRIALS / 5;
        let allowed = if common {
            of(stated)
        } else {
            0.02 * f64::from(TRIALS)
        };
        assert!(
            f64::from(seen.missed) <= allowed,
            "{what} p{}: {seen:?}",
            q * 100.0
        );
    }
    all
}

/// The quantile of an exponential distribution with mean 1.
fn exponential(q: f64) -> f64 {
    -(1.0 - q).ln()
}

#[test]
fn independent_samples_get_intervals_that_hold_and_are_not_much_wider() {
    for seconds in [15.0, 60.0] {
        let make = |random: &mut Random| runs::independent(random, seconds, 120.0);
        for seen in holds(&format!("independent, {seconds} s"), &make, &exponential) {
            assert!(seen.stated > TRIALS * 3 / 4, "{seen:?}");
            assert!(seen.width() < 4.0, "{seen:?}");
        }
    }
}

#[test]
fn latencies_that_are_alike_for_seconds_are_covered() {
    for (tau_s, seconds) in [
        (0.3, 15.0),
        (1.0, 30.0),
        (2.0, 60.0),
        (5.0, 60.0),
        (5.0, 120.0),
    ] {
        let make = |random: &mut Random| runs::drifting(random, seconds, 50.0, tau_s);
        let what = format!("alike for {tau_s} s, {seconds} s");
        let [half, ..] = holds(&what, &make, &runs::drifting_quantile);
        assert!(half.width() > 1.5, "{what}: {half:?}");
    }
}

#[test]
fn the_queue_of_a_busy_server_is_covered() {
    for (busy, seconds) in [(0.8, 30.0), (0.9, 60.0), (0.95, 120.0)] {
        let make = |random: &mut Random| runs::queue(random, seconds, 100.0, busy);
        // Response times of an M/M/1 queue are exponentially distributed with this mean.
        let mean_ms = 10.0 * busy / (1.0 - busy);
        let what = format!("{busy} busy, {seconds} s");
        holds(&what, &make, &|q| mean_ms * exponential(q));
    }
}

#[test]
fn bursts_are_covered() {
    for (every_s, long_s, seconds) in [(2.0, 0.3, 30.0), (5.0, 1.0, 60.0), (5.0, 1.0, 120.0)] {
        let make = |random: &mut Random| runs::bursts(random, seconds, 100.0, (every_s, long_s));
        let mut random = Random::new(5);
        let mut all = runs::bursts(&mut random, 8_000.0, 100.0, (every_s, long_s)).values;
        all.sort_by(|one, other| one.1.total_cmp(&other.1));
        let truth = |q: f64| all[(q * all.len() as f64) as usize].1;
        holds(
            &format!("bursts of {long_s} s each {every_s} s"),
            &make,
            &truth,
        );
    }
}

#[test]
fn one_slow_phase_of_a_run_is_covered() {
    let make = |random: &mut Random| runs::slow_phase(random, 60.0, 100.0, 5.0);
    // In 55 of 60 s the times are exponentially distributed. In the other 5 s, 20 ms are added.
    let truth = |q: f64| {
        let fast = 55.0 / 60.0;
        if q < fast {
            exponential(q / fast)
        } else {
            20.0 + exponential((q - fast) / (1.0 - fast))
        }
    };
    let [half, high, _] = holds("one slow phase", &make, &truth);
    assert!(half.stated > TRIALS * 9 / 10, "{half:?}");
    assert_eq!(
        high.stated, 0,
        "one phase says nothing of how often there is one"
    );
}

#[test]
fn deliveries_that_leave_together_are_covered() {
    for seconds in [15.0, 60.0] {
        let make = |random: &mut Random| runs::fan_out(random, seconds, 10.0, 20);
        holds(&format!("fan-out, {seconds} s"), &make, &exponential);
    }
}

#[test]
fn a_short_run_has_no_interval() {
    let mut random = Random::new(1);
    for seconds in [0.5, 1.5, 2.5] {
        let (times, blocks) = recorded(&runs::independent(&mut random, seconds, 1_000.0));
        let estimate = estimate_in_blocks(&times, 0, &blocks, 0.5);
        assert!(
            matches!(estimate, Estimate::Value { interval: None, .. }),
            "{estimate:?}"
        );
    }
    let burst = Run {
        values: (0..900)
            .map(|at| (if at < 880 { 0.1 } else { f64::from(at) / 20.0 }, 1.0))
            .collect(),
    };
    let (times, blocks) = recorded(&burst);
    let estimate = estimate_in_blocks(&times, 0, &blocks, 0.5);
    assert!(
        matches!(estimate, Estimate::Value { interval: None, .. }),
        "nearly all came at once"
    );
}

#[test]
fn two_intervals_of_one_seconds_long_correlation_mostly_overlap() {
    let mut random = Random::new(3);
    let mut interval = || {
        let (times, blocks) = recorded(&runs::drifting(&mut random, 60.0, 160.0, 2.0));
        let plain = interval_ranks(times.count(), 0.5).unwrap();
        let plain = (
            times.at_rank(plain.0).unwrap(),
            times.at_rank(plain.1).unwrap(),
        );
        match estimate_in_blocks(&times, 0, &blocks, 0.5) {
            Estimate::Value {
                interval: Some(honest),
                ..
            } => (plain, honest),
            other => panic!("{other:?}"),
        }
    };
    let all: Vec<_> = (0..40).map(|_| interval()).collect();
    let apart = |one: (Nanos, Nanos), other: (Nanos, Nanos)| one.1 < other.0 || other.1 < one.0;
    let pairs = || (0..40).flat_map(|one| (0..one).map(move |other| (one, other)));
    let plain = pairs()
        .filter(|&(one, other)| apart(all[one].0, all[other].0))
        .count();
    let honest = pairs()
        .filter(|&(one, other)| apart(all[one].1, all[other].1))
        .count();
    assert!(plain > 400 && honest < 40, "{plain} {honest}");
}
