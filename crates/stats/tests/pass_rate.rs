//! Compares pass rates with R's `binom.test` and `fisher.test`, and with sums of exact fractions that agree with R.

use stats::{clopper_pearson, fisher};

#[test]
fn the_interval_of_a_pass_rate_is_exact() {
    let cases = [
        ((16, 16), (0.794_092_785_792_177, 1.0)),
        ((15, 16), (0.697_679_261_565_468, 0.998_418_888_277_234)),
        ((0, 10), (0.0, 0.308_497_107_818_761)),
        ((5, 10), (0.187_086_028_447_399, 0.812_913_971_552_601)),
        ((1, 1), (0.025, 1.0)),
        ((0, 1), (0.0, 0.975)),
        ((81, 263), (0.252_736_745_585_271, 0.367_621_922_601_351)),
        ((990, 1_000), (0.981_686_756_944_888, 0.995_194_489_308_951)),
    ];
    for ((hits, trials), (low, high)) in cases {
        let found = clopper_pearson(hits, trials).unwrap();
        let near = |found: f64, true_one: f64| (found - true_one).abs() < 1e-9;
        assert!(
            near(found.0, low) && near(found.1, high),
            "{hits} of {trials}: {found:?}"
        );
    }
    assert_eq!(clopper_pearson(0, 0), None);
}

#[test]
fn a_million_have_an_interval_too() {
    let (low, high) = clopper_pearson(1_000_000, 1_000_000).unwrap();
    // (0.025)^(1/n)
    assert!((low - (0.025_f64.ln() / 1e6).exp()).abs() < 1e-10, "{low}");
    assert!((high - 1.0).abs() < 1e-12);
    let (low, high) = clopper_pearson(500_000, 1_000_000).unwrap();
    assert!(
        (low - 0.499_02).abs() < 1e-5 && (high - 0.500_98).abs() < 1e-5,
        "{low} {high}"
    );
}

#[test]
fn two_pass_rates_differ_as_fishers_test_says() {
    let cases = [
        ((3, 4), (1, 4), 0.485_714_285_714_286),
        ((8, 10), (1, 6), 0.034_965_034_965_035),
        ((15, 16), (16, 16), 1.0),
        ((10, 20), (20, 20), 0.000_435_919_790_758_5),
        ((990, 1_000), (970, 1_000), 0.002_008_333_561_83),
        ((0, 5), (5, 5), 0.007_936_507_936_508),
        ((64, 64), (40, 64), 8.306_871_561_279e-9),
    ];
    for (one, other, p) in cases {
        for found in [fisher(one, other), fisher(other, one)] {
            assert!((found - p).abs() < 1e-9, "{one:?} {other:?}: {found}");
        }
    }
    for (one, other) in [((0, 0), (1, 5)), ((2, 3), (0, 0)), ((0, 0), (0, 0))] {
        assert!(
            (fisher(one, other) - 1.0).abs() < 1e-12,
            "{one:?} {other:?}"
        );
    }
}
