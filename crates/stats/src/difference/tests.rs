use rand_core::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::*;

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-6
}

const FIRST: [f64; 6] = [27.5, 21.0, 19.0, 23.6, 17.0, 17.9];
const SECOND: [f64; 7] = [27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8];

/// The expected values come from `scipy.stats.ttest_ind(equal_var=False)`.
#[test]
fn one_after_the_other_is_welchs_test() {
    let found = one_after_the_other(&FIRST, &SECOND, 0.0).unwrap();
    assert!(
        close(found.estimate / found.error, 1.499_821_361_556_653),
        "{found:?}"
    );
    assert!(close(found.freedom, 7.423_433_145_210_318), "{found:?}");
    assert!(
        close(found.p_value(), 0.174_933_550_710_521_27),
        "{found:?}"
    );
    let (low, high) = found.interval(0.05);
    assert!(close(low, -1.516_079_088_696_722) && close(high, 6.944_650_517_268_16));
}

/// Three runs on each side: too few for an estimate of the drift, so this is Student's test with pooled variance. The
/// expected values are computed by hand.
#[test]
fn few_alternating_runs_share_one_variance() {
    let sides = [false, true, false, true, false, true];
    let values = [1.0, 2.0, 2.0, 3.0, 3.0, 4.0];
    let runs: Vec<_> = sides.into_iter().zip(values).collect();
    let found = interleaved(&runs, 0.0).unwrap();
    assert!(close(found.estimate, 1.0), "{found:?}");
    assert!(close(found.error, (2.0_f64 / 3.0).sqrt()), "{found:?}");
    assert!(close(found.freedom, 4.0), "{found:?}");
    assert!(close(found.spread, 1.0), "{found:?}");
}

/// The expected values come from an ordinary least-squares fit with `statsmodels`.
#[test]
fn with_five_pairs_a_drift_is_taken_out() {
    let sides = [0, 1, 1, 0, 0, 1, 1, 0, 0, 1].map(|side| side == 1);
    let values = [1.0, 2.1, 2.3, 1.4, 1.6, 2.7, 2.6, 2.0, 2.2, 3.1];
    let runs: Vec<_> = sides.into_iter().zip(values).collect();
    let found = interleaved(&runs, 0.0).unwrap();
    assert!(close(found.estimate, 0.893_446_60), "{found:?}");
    assert!(close(found.error, 0.054_296_36), "{found:?}");
    assert!(close(found.freedom, 7.0), "{found:?}");
    let (low, high) = found.interval(0.05);
    assert!((low - 0.765_056_11).abs() < 1e-6 && (high - 1.021_837_1).abs() < 1e-6);
    assert!(
        (found.p_value() - 7.467_836_61e-7).abs() < 1e-12,
        "{}",
        found.p_value()
    );
}

#[test]
fn runs_agree_no_better_than_their_blocks_allow() {
    let runs = [(false, 1.0), (true, 1.0), (false, 1.0), (true, 1.0)];
    let found = interleaved(&runs, 0.04).unwrap();
    assert!(close(found.spread, 0.2), "{found:?}");
    let after = one_after_the_other(&[1.0; 4], &[1.0; 4], 0.04).unwrap();
    assert!(close(after.error, (0.02_f64).sqrt()), "{after:?}");
}

#[test]
fn equal_values_give_finite_figures() {
    let equal = one_after_the_other(&[0.0; 3], &[0.0; 3], 0.0).unwrap();
    assert!(close(equal.p_value(), 1.0), "{equal:?}");
    let apart = interleaved(&[(false, 1.0), (true, 2.0), (false, 1.0), (true, 2.0)], 0.0).unwrap();
    assert!(apart.p_value() < 1e-9, "{apart:?}");
}

#[test]
fn one_run_on_a_side_is_not_compared() {
    assert_eq!(
        interleaved(&[(false, 1.0), (true, 2.0), (true, 2.0)], 0.1),
        None
    );
    assert_eq!(one_after_the_other(&[1.0], &[2.0, 3.0], 0.1), None);
    assert_eq!(after_history(&[1.0], 2.0, 0.1), None);
}

/// By hand: mean 2, variance 1, five days, so the error is √(1 + 1/5).
#[test]
fn a_new_day_is_one_more_draw() {
    let found = after_history(&[1.0, 2.0, 3.0, 1.0, 3.0], 4.0, 0.0).unwrap();
    assert!(
        close(found.estimate, 2.0) && close(found.error, 1.2_f64.sqrt()),
        "{found:?}"
    );
    assert!(close(found.freedom, 4.0), "{found:?}");
}

/// The expected values come from `statsmodels.stats.multitest.multipletests`.
#[test]
fn many_p_values_are_adjusted() {
    let values = [0.01, 0.04, 0.03, 0.005, 0.8];
    let all_close = |found: Vec<f64>, known: [f64; 5]| {
        found
            .iter()
            .zip(known)
            .all(|(one, other)| close(*one, other))
    };
    assert!(all_close(holm(&values), [0.04, 0.09, 0.09, 0.025, 0.8]));
    assert!(all_close(
        benjamini_hochberg(&values),
        [0.025, 0.05, 0.05, 0.025, 0.8]
    ));
    assert_eq!(holm(&[]), Vec::<f64>::new());
}

/// The expected values come from the same formula with `scipy.stats`.
#[test]
fn the_number_of_runs_follows_from_the_spread() {
    let margin = 1.05_f64.ln();
    for (spread, likely, low, high) in [
        (0.038, 14, 9, 36),
        (0.059, 32, 19, 85),
        (0.078, 55, 32, 148),
    ] {
        let found = Difference {
            estimate: 0.0,
            error: spread,
            freedom: 6.0,
            spread,
        }
        .runs_needed(margin, SIGNIFICANCE);
        assert_eq!(found.likely, likely);
        // The quantile of chi-square is approximate.
        assert!(
            found.low.abs_diff(low) <= 1 && found.high.abs_diff(high) <= high / 20,
            "{found:?}"
        );
    }
    let few = Difference {
        estimate: 0.0,
        error: 0.01,
        freedom: 6.0,
        spread: 0.01,
    }
    .runs_needed(margin, SIGNIFICANCE);
    assert_eq!(few.likely, 3);
}

/// A seeded normal variable (Box and Muller).
fn normal(random: &mut Pcg64Mcg) -> f64 {
    let mut uniform = || (f64::from(random.next_u32()) + 0.5) / (f64::from(u32::MAX) + 1.0);
    (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos()
}

/// The share of simulated comparisons that state a difference: pairs of runs in the order A B B A, with an effect of
/// each run and a drift.
fn share_different(pairs: usize, effect: f64, spread: f64, drift: f64) -> f64 {
    let mut random = Pcg64Mcg::seed_from_u64(7);
    let trials = 2_000;
    let different = (0..trials).filter(|_| {
        let slope = drift * normal(&mut random);
        let runs: Vec<(bool, f64)> = (0..2 * pairs)
            .map(|at| {
                let second = matches!(at % 4, 1 | 2);
                let value = spread * normal(&mut random) + slope * at as f64;
                (second, value + if second { effect } else { 0.0 })
            })
            .collect();
        interleaved(&runs, 0.0).unwrap().p_value() < SIGNIFICANCE
    });
    different.count() as f64 / f64::from(trials)
}

/// A 5 % test of 2,000 trials lies between 3.6 and 6.4 % in 999 of 1,000 cases.
#[test]
fn identical_sides_are_called_different_in_one_of_twenty_comparisons() {
    for pairs in [3, 4, 7, 15] {
        let share = share_different(pairs, 0.0, 0.04, 0.0);
        assert!((0.03..0.066).contains(&share), "{pairs} pairs: {share}");
    }
    for pairs in [5, 8, 15] {
        let share = share_different(pairs, 0.0, 0.04, 0.02);
        assert!(
            (0.03..0.066).contains(&share),
            "{pairs} pairs with drift: {share}"
        );
    }
}

#[test]
fn the_needed_number_of_runs_finds_the_difference() {
    let margin = 1.05_f64.ln();
    let known = Difference {
        estimate: 0.0,
        error: 1.0,
        freedom: 30.0,
        spread: 0.038,
    };
    let runs = known.runs_needed(margin, SIGNIFICANCE).likely;
    let share = share_different(runs, margin, 0.038, 0.0);
    assert!((0.85..0.97).contains(&share), "{runs} pairs: {share}");
}
