//! Compares minimum sample counts, intervals and rates with values that were calculated in another way.

use model::Nanos;
use stats::{
    Estimate, Histogram, REPORTED, estimate, interval_ranks, needed_samples, wilson,
    zero_failures_bound,
};

#[test]
fn a_percentile_needs_ten_samples_beyond_it() {
    let need: Vec<u64> = REPORTED.iter().map(|p| needed_samples(p.q)).collect();
    assert_eq!(need, [20, 40, 100, 200, 1_000, 10_000, 100_000]);
    assert_eq!(needed_samples(0.05), 200, "low percentiles need them below");
    assert_eq!(needed_samples(0.0), u64::MAX);
    assert_eq!(needed_samples(1.0), u64::MAX);
    assert_eq!(needed_samples(1.5), u64::MAX);
    assert_eq!(needed_samples(f64::NAN), u64::MAX);
}

#[test]
fn one_sample_short_is_unavailable() {
    let mut times = Histogram::new();
    times.record_n(Nanos(500), 999);
    let short = Estimate::Unavailable {
        have: 999,
        need: 1_000,
    };
    assert_eq!(estimate(&times, 0, 0.99), short);
    times.record(Nanos(500));
    assert_eq!(estimate(&times, 0, 0.99).value(), Some(Nanos(500)));
    let none = Estimate::Unavailable { have: 0, need: 20 };
    assert_eq!(estimate(&Histogram::new(), 0, 0.5), none);
}

#[test]
fn time_outs_push_percentiles_beyond_the_survivors() {
    let mut times = Histogram::new();
    for millis in 1..=980 {
        times.record(Nanos::from_millis(millis));
    }
    assert_eq!(
        estimate(&times, 20, 0.99),
        Estimate::Beyond { at_least: None }
    );
    let Some(p95) = estimate(&times, 20, 0.95).value() else {
        panic!("950 of 1,000 ended in time");
    };
    assert!((p95.as_millis_f64() - 950.0).abs() <= 0.95, "{p95}");
}

/// P(B < below) for a binomial B, by the definition, with Pascal's recurrence in place of factorials.
fn probability_below(n: u64, q: f64, below: u64) -> f64 {
    let mut distribution = vec![1.0];
    for _ in 0..n {
        let mut next = vec![0.0; distribution.len() + 1];
        for (hits, p) in distribution.iter().enumerate() {
            next[hits] += p * (1.0 - q);
            next[hits + 1] += p * q;
        }
        distribution = next;
    }
    (0..below).zip(&distribution).map(|(_, p)| p).sum()
}

#[test]
fn interval_ranks_are_the_tightest_that_the_binomial_allows() {
    let tail = 0.025;
    for n in [20, 21, 40, 57, 100, 200, 333] {
        for q in [0.1, 0.5, 0.75, 0.9, 0.95] {
            let brute_low = (0..=n)
                .rev()
                .find(|&l| probability_below(n, q, l) <= tail)
                .unwrap();
            let brute_high = (0..=n + 1)
                .find(|&u| 1.0 - probability_below(n, q, u) <= tail + 1e-12)
                .unwrap();
            let brute = (brute_low >= 1 && brute_high <= n).then_some((brute_low, brute_high));
            assert_eq!(interval_ranks(n, q), brute, "n = {n}, q = {q}");
        }
    }
}

#[test]
fn every_stated_percentile_has_an_interval() {
    for percentile in REPORTED {
        let need = needed_samples(percentile.q);
        for n in [need, need + 1, 2 * need, 10 * need] {
            assert!(
                interval_ranks(n, percentile.q).is_some(),
                "{} of {n}",
                percentile.name
            );
        }
    }
    assert_eq!(interval_ranks(5, 0.99), None);
    assert_eq!(interval_ranks(0, 0.5), None);
    for no_quantile in [-0.5, 0.0, 1.0, 1.5, f64::NAN] {
        assert_eq!(interval_ranks(100, no_quantile), None, "{no_quantile}");
    }
}

#[test]
fn the_interval_of_a_huge_count_agrees_with_the_normal_one() {
    let (n, q) = (100_000_000_u64, 0.5);
    let (low, high) = interval_ranks(n, q).unwrap();
    let half = 1.959_964 * (n as f64 * q * (1.0 - q)).sqrt();
    assert!((low as f64 - (n as f64 * q - half)).abs() < 3.0, "{low}");
    assert!((high as f64 - (n as f64 * q + half)).abs() < 3.0, "{high}");
}

#[test]
fn wilson_agrees_with_published_values() {
    let check = |hits, trials, low: f64, high: f64| {
        let (seen_low, seen_high) = wilson(hits, trials).unwrap();
        assert!((seen_low - low).abs() < 5e-4, "{hits}/{trials}: {seen_low}");
        assert!(
            (seen_high - high).abs() < 5e-4,
            "{hits}/{trials}: {seen_high}"
        );
    };
    // Newcombe 1998, table I, method 3 (score without continuity correction).
    check(81, 263, 0.2553, 0.3662);
    check(15, 148, 0.0624, 0.1605);
    check(0, 20, 0.0, 0.1611);
    check(1, 29, 0.0061, 0.1718);
    assert_eq!(wilson(0, 0), None);
    assert_eq!(wilson(20, 20).unwrap().1.to_bits(), 1.0_f64.to_bits());
}

#[test]
fn no_failure_in_n_bounds_the_rate_by_three_in_n() {
    assert_eq!(zero_failures_bound(0), None);
    assert_eq!(zero_failures_bound(300), Some(0.01));
    assert_eq!(zero_failures_bound(2), Some(1.0));
    // (1 - 3/n)^n <= 5 %: at any higher rate, n trials without a failure have a probability below 5 %.
    for n in [10_u64, 100, 10_000] {
        let bound = zero_failures_bound(n).unwrap();
        assert!((n as f64 * (1.0 - bound).ln()).exp() <= 0.05);
    }
}
