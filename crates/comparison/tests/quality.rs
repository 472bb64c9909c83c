//! How often `compare` is right, on simulated runs of known targets.
//!
//! The samples of a run are autocorrelated, as those of real runs are: the speed of the machine wanders from moment to
//! moment, pauses delay many requests at once, and each run has an effect of its own, on top of a drift from run to run.

#![allow(clippy::unwrap_used, reason = "tests")]

use comparison::{ComparedFigure, Comparison, Judgement, Margins, Request, compare};
use model::Nanos;
use plan::Aggregate;
use rand_core::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;
use record::{Level, Load, Measured, Phases, Run, ThresholdResult, Timings};
use stats::BlockWriter;

/// Duration of a run in slots, and the length of a slot.
const SLOTS: u64 = 24;
const SLOT_MS: u64 = 500;
/// Requests in each slot.
const REQUESTS: usize = 40;
/// Change of all times from one run to the next, as a drift of the machine.
const DRIFT: f64 = 0.001;

/// How the times of a target vary.
#[derive(Clone, Copy, Debug)]
struct Noise {
    /// Effect of a run on all of its times, as a standard deviation.
    spread: f64,
    /// How much the speed of the machine wanders during a run, as a standard deviation.
    wanders: f64,
    /// The part of the speed that remains from slot to slot. With 0.8, speeds are alike for about 2.5 s.
    remains: f64,
    /// The share of slots with a pause, which delays all their requests.
    pauses: f64,
}

const QUIET: Noise = Noise {
    spread: 0.005,
    wanders: 0.03,
    remains: 0.8,
    pauses: 0.02,
};
/// Runs differ by 2.5 %.
const NOISY: Noise = Noise {
    spread: 0.025,
    ..QUIET
};
/// Nothing varies from run to run but the chance within each run, whose speeds are alike for about 5 s of its 12 s.
const WANDERING: Noise = Noise {
    spread: 0.0,
    wanders: 0.1,
    remains: 0.9,
    pauses: 0.05,
};
/// Runs differ, but hardly anything varies within them.
const STEADY: Noise = Noise {
    spread: 0.01,
    wanders: 0.0,
    remains: 0.0,
    pauses: 0.0,
};

/// A source of normal numbers.
struct Normal(Pcg64Mcg);

impl Normal {
    fn uniform(&mut self) -> f64 {
        (f64::from(self.0.next_u32()) + 0.5) / (f64::from(u32::MAX) + 1.0)
    }

    /// Standard normal (Box and Muller).
    fn next(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

impl Noise {
    /// The response times of one run around `typical_ms`.
    fn timings(self, random: &mut Normal, typical_ms: f64) -> Timings {
        let typical_ms = typical_ms * (self.spread * random.next()).exp();
        let (mut timings, mut writer) = (Timings::default(), BlockWriter::default());
        let mut speed = self.wanders * random.next();
        let changes = (1.0 - self.remains.powi(2)).sqrt();
        for slot in 0..SLOTS {
            speed = self.remains * speed + changes * self.wanders * random.next();
            let is_paused = random.uniform() < self.pauses;
            let pause_ms = if is_paused {
                -30.0 * random.uniform().ln()
            } else {
                0.0
            };
            for _ in 0..REQUESTS {
                let own = (speed + 0.3 * random.next()).exp();
                let waits_ms = pause_ms * random.uniform();
                let time = Nanos::from_secs_f64((typical_ms * own + waits_ms) / 1e3);
                timings.answered(time, time, false);
            }
            let at = Nanos::from_millis(slot * SLOT_MS);
            writer.close(at, &timings.response, 0);
        }
        timings.blocks = writer.into_blocks();
        timings
    }
}

/// A run that started so many minutes after a fixed time, with thresholds on p50 and p95.
fn run(minute: usize, timings: Timings) -> Run {
    let mut measured = Measured::default();
    measured.requests.insert("GET /".to_owned(), timings);
    let level = Level {
        load: Load {
            users: 10,
            groups: 10,
            group_size: "1".to_owned(),
            rate_per_s: Some(80.0),
            ..Load::default()
        },
        phases: Phases {
            duration_s: 12.0,
            ..Phases::default()
        },
        measured,
        ..Level::default()
    };
    let threshold = |condition: &str| ThresholdResult {
        metric: "requests".to_owned(),
        condition: condition.to_owned(),
        held: Some(true),
        ..ThresholdResult::default()
    };
    Run {
        started_at: format!("2026-11-21T{:02}:{:02}:00Z", minute / 60, minute % 60),
        thresholds: ["p50 < 1s", "p95 < 1s"].map(threshold).into(),
        levels: vec![level],
        ..Run::default()
    }
}

/// Compares two sets of runs in the order A B B A. The second target takes `slower` longer.
fn compared(random: &mut Normal, noise: Noise, runs: usize, slower: f64) -> Comparison {
    let (mut base, mut new) = (Vec::new(), Vec::new());
    for index in 0..2 * runs {
        let is_new = matches!(index % 4, 1 | 2);
        let effect = if is_new { 1.0 + slower } else { 1.0 };
        let typical_ms = 20.0 * effect * (1.0 + DRIFT * index as f64);
        let run = run(index, noise.timings(random, typical_ms));
        if is_new { &mut new } else { &mut base }.push(run);
    }
    let request = Request {
        base: &base,
        new: &new,
        is_history: false,
        margins: Margins::default(),
        conditions: &[],
        allowed: &[],
    };
    compare(&request).unwrap()
}

/// Pairs of sets of runs: in how many a figure of a threshold is called different, in how many any figure is, and how
/// much p50 and p95 vary from run to run, in percent.
#[derive(Debug, Default)]
struct Found {
    different: usize,
    any: usize,
    p50: f64,
    p95: f64,
}

fn found(seed: u64, pairs: usize, noise: Noise, runs: usize, slower: f64) -> Found {
    let mut random = Normal(Pcg64Mcg::seed_from_u64(seed));
    let mut found = Found::default();
    let is_different = |one: &ComparedFigure| one.judgement == Judgement::Different;
    for _ in 0..pairs {
        let comparison = compared(&mut random, noise, runs, slower);
        let primary = || comparison.figures.iter().filter(|one| one.is_primary);
        found.different += usize::from(primary().any(is_different));
        found.any += usize::from(comparison.figures.iter().any(is_different));
        let spread = |percent| {
            let named =
                |one: &&ComparedFigure| one.figure.aggregate == Aggregate::Percentile(percent);
            let effect = primary().find(named).and_then(|one| one.effect);
            100.0 * effect.unwrap().spread / pairs as f64
        };
        found.p50 += spread(50.0);
        found.p95 += spread(95.0);
    }
    found
}

#[test]
fn of_100_pairs_of_identical_runs_at_most_5_are_different() {
    for noise in [QUIET, WANDERING, STEADY] {
        let found = found(1, 100, noise, 6, 0.0);
        assert!(found.any <= 5, "{noise:?}: {found:?}");
    }
}

#[test]
fn of_100_pairs_with_a_target_5_percent_slower_at_least_90_are_found() {
    for (noise, runs) in [(QUIET, 8), (STEADY, 6)] {
        let found = found(2, 100, noise, runs, 0.05);
        assert!(found.different >= 90, "{noise:?}, {runs} runs: {found:?}");
    }
}

/// Prints how many repetitions it takes. The reference of `compare` has the table.
#[test]
#[ignore = "takes minutes"]
fn how_many_repetitions_it_takes() {
    for noise in [QUIET, NOISY, WANDERING, STEADY] {
        for runs in [4, 6, 8, 12, 16] {
            let identical = found(10, 200, noise, runs, 0.0);
            let slower = found(20, 100, noise, runs, 0.05);
            println!(
                "{noise:?}, {runs} runs: p50 ± {:.1} %, p95 ± {:.1} %; identical {:.1} % (any figure {:.1} %), slower {} %",
                slower.p50,
                slower.p95,
                identical.different as f64 / 2.0,
                identical.any as f64 / 2.0,
                slower.different
            );
        }
    }
}
