//! Nothing is found in correct results: those of a simulated system with known figures.

#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use audit::{Claim, Figure, Kind, Level, Loop, Results, Span, audit, terminal};
use common::{Definition, Rounding, printed, published};
use proptest::prelude::*;

/// A portable random generator: a seed gives the same run on every machine.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    fn exponential(&mut self, mean: f64) -> f64 {
        -mean * self.next().ln()
    }
}

/// One run of a closed load: users who pause, and servers that share one queue. Times are in milliseconds.
struct Run {
    times: Vec<f64>,
    failed: u64,
    unfinished: u64,
}

fn simulate(
    dice: &mut Dice,
    users: usize,
    servers: usize,
    (service, pause, failing): (f64, f64, f64),
    length: f64,
) -> Run {
    let mut wakes: Vec<f64> = (0..users).map(|_| dice.exponential(pause)).collect();
    let mut free = vec![0.0f64; servers];
    let mut run = Run {
        times: Vec::new(),
        failed: 0,
        unfinished: 0,
    };
    loop {
        let who = (0..users)
            .min_by(|one, other| wakes[*one].total_cmp(&wakes[*other]))
            .unwrap();
        let asked = wakes[who];
        if asked > length {
            return run;
        }
        let server = (0..servers)
            .min_by(|one, other| free[*one].total_cmp(&free[*other]))
            .unwrap();
        let done = asked.max(free[server]) + dice.exponential(service);
        free[server] = done;
        wakes[who] = done + dice.exponential(pause);
        if done > length {
            run.unfinished += 1;
        } else {
            run.times.push(done - asked);
            run.failed += u64::from(dice.next() < failing);
        }
    }
}

fn level(
    run: &Run,
    users: usize,
    pause: f64,
    length: f64,
    definition: Definition,
    rounding: (f64, Rounding),
) -> Level {
    // Only percentiles that the number of samples supports.
    let n = run.times.len() as f64;
    let qs: Vec<f64> = [0.5, 0.95, 0.99]
        .into_iter()
        .filter(|q| n * (1.0 - q) >= 10.0)
        .collect();
    let mut row = published(&run.times, &qs, definition, rounding);
    row.name = String::new();
    let count = |value: f64| Some(Figure::exact(value, "counted"));
    row.counts.sent = count(n + run.unfinished as f64);
    row.counts.failed = count(run.failed as f64);
    row.counts.ok = count(n - run.failed as f64);
    row.counts.unfinished = count(run.unfinished as f64);
    row.times.samples = count(n);
    row.rate_per_s = Some(printed(n / (length / 1e3), 0.1, Rounding::Nearest));
    row.timeout_ms = Some(Figure::exact(60_000.0, "set"));
    Level {
        name: format!("{users} users"),
        users: count(users as f64),
        duration_s: count(length / 1e3),
        think_ms: count(pause),
        shape: Some(Loop::Closed),
        sessions: count(users as f64),
        repetitions: count(3.0),
        generator_cpu_percent: count(12.0),
        total: row,
        ..Level::default()
    }
}

/// True claims about two levels.
fn claims(before: &Level, after: &Level) -> Vec<Claim> {
    let names = vec![before.name.clone(), after.name.clone()];
    let rate = |level: &Level| level.total.rate_per_s.as_ref().unwrap().value;
    let factor = rate(after) / rate(before);
    let change = Claim {
        kind: Kind::Change,
        text: "the rate changed so".to_owned(),
        of: vec!["rate".to_owned()],
        levels: names,
        by: Some(Span {
            low: factor - 0.01,
            high: factor + 0.01,
        }),
        ..Claim::default()
    };
    let told = Claim {
        kind: Kind::States,
        text: "the same again".to_owned(),
        of: vec!["mean".to_owned()],
        levels: vec![after.name.clone()],
        value: after.total.times.mean.clone(),
        ..Claim::default()
    };
    vec![change, told]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_found_in_a_sound_run(
        seed in any::<u64>(),
        users in 2usize..20,
        servers in 1usize..4,
        service in 1.0..20.0f64,
        failing in prop::sample::select(vec![0.0, 0.01, 0.3]),
        definition in prop_oneof![(1u8..=9).prop_map(Definition::HyndmanFan), Just(Definition::Index), Just(Definition::Hdr)],
        step in prop::sample::select(vec![0.0, 0.001, 0.01]),
    ) {
        const LENGTH: f64 = 60_000.0;
        let mut dice = Dice(seed);
        let pause = 10.0 * service;
        let mut publish = |users: usize| {
            let run = simulate(&mut dice, users, servers, (service, pause, failing), LENGTH);
            level(&run, users, pause, LENGTH, definition, (step, Rounding::Nearest))
        };
        let (before, after) = (publish(users), publish(2 * users));
        let claims = claims(&before, &after);
        let results = Results { source: "simulated".to_owned(), form: "simulation", levels: vec![before, after], claims };
        let audit = audit(&results);
        prop_assert!(audit.findings.is_empty(), "{}", terminal(&audit, false));
        // These rules had figures to check.
        let checked = |rule: &str| audit.checked.iter().any(|(name, times)| *name == rule && *times > 0);
        for rule in ["mean-out-of-reach", "not-ascending", "little-s-law", "counts-do-not-add-up", "rate-and-duration"] {
            prop_assert!(checked(rule), "{rule} had nothing to check");
        }
    }
}
