//! Coverage of shares, pass rates, growth, and bounds for runs without failures.

use stats::{clopper_pearson, growth, wilson, zero_failures_bound};

use crate::runs::Random;

const TRIALS: u32 = 2_000;

fn share_of(hit: impl Fn(&mut Random) -> bool) -> f64 {
    let mut random = Random::new(16);
    let hits = (0..TRIALS).filter(|_| hit(&mut random)).count();
    hits as f64 / f64::from(TRIALS)
}

fn hits(random: &mut Random, trials: u64, share: f64) -> u64 {
    (0..trials)
        .map(|_| u64::from(random.uniform() <= share))
        .sum()
}

fn holds((low, high): (f64, f64), truth: f64) -> bool {
    low <= truth && truth <= high
}

#[test]
fn intervals_of_shares_hold_where_each_is_independent() {
    for (trials, share) in [(16, 0.9), (64, 0.97), (200, 0.5), (400, 0.02)] {
        let exact = share_of(|random| {
            holds(
                clopper_pearson(hits(random, trials, share), trials).unwrap(),
                share,
            )
        });
        let score =
            share_of(|random| holds(wilson(hits(random, trials, share), trials).unwrap(), share));
        assert!(exact >= 0.945, "{share} of {trials}: {exact}");
        assert!(
            (0.91..0.99).contains(&score),
            "{share} of {trials}: {score}"
        );
    }
}

/// If failures come in bursts, far more runs have no failure. A bound from the number of seconds covers this. A bound
/// from the number of operations does not.
#[test]
fn no_failure_in_so_many_seconds_bounds_what_fails_in_bursts() {
    let seconds = 30.0;
    for per_burst_s in [0.2, 1.0] {
        // The rarest failures whose true share is still above the bound by seconds.
        let bound = zero_failures_bound(30).unwrap();
        let share = bound * 1.000_1;
        // The share of time within bursts is 1 − exp(−rate × length).
        let per_s = -(1.0 - share).ln() / per_burst_s;
        let none = share_of(|random| random.arrivals(seconds, per_s).is_empty());
        assert!(none <= 0.06, "{none}");
        let by_operations = zero_failures_bound(3_000).unwrap();
        let rare = -(1.0 - by_operations * 1.5).ln() / per_burst_s;
        let none = share_of(|random| random.arrivals(seconds, rare).is_empty());
        assert!(
            none > 0.7,
            "by operations the bound is wrong in {none} of the runs"
        );
    }
}

#[test]
fn no_failure_in_n_bounds_what_fails_singly() {
    for trials in [50, 300, 2_000] {
        let share = zero_failures_bound(trials).unwrap() * 1.000_1;
        let none = share_of(|random| hits(random, trials, share) == 0);
        assert!(none <= 0.055, "{trials}: {none}");
    }
}

/// Simulated memory samples: they gain 3 per second on average, in correlated steps.
#[test]
fn growth_is_covered_where_gains_follow_each_other() {
    for (looks, kept) in [(12, 0.0), (30, 0.0), (30, 0.5), (60, 0.7), (120, 0.8)] {
        let held = share_of(|random| {
            let (mut value, mut drift) = (0.0, random.normal());
            let all: Vec<(f64, f64)> = (0..looks)
                .map(|second| {
                    drift = kept * drift + (1.0_f64 - kept * kept).sqrt() * random.normal();
                    value += 3.0 + drift;
                    (f64::from(second), value)
                })
                .collect();
            let found = growth(&all).unwrap();
            holds((found.low, found.high), 3.0)
        });
        assert!(held >= 0.93, "{looks} looks, {kept} kept: {held}");
    }
}
