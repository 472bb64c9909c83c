use super::*;

#[test]
fn numbers_have_three_significant_digits() {
    let check = |value: f64, expected: &str| assert_eq!(number(value), expected);
    check(0.0, "0");
    check(0.000_012_34, "0.000012");
    check(0.003_8, "0.0038");
    check(0.152, "0.15");
    check(1.0, "1.00");
    check(9.996, "10.0");
    check(99.96, "100");
    check(123.4, "123");
    check(1_234_567.8, "1,234,568");
    check(-12.34, "-12.3");
}

#[test]
fn spans_never_lose_their_unit() {
    let check = |nanos: u64, expected: &str| assert_eq!(duration(Nanos(nanos)), expected);
    check(0, "0 µs");
    check(850, "0.85 µs");
    check(12_340, "12.3 µs");
    check(999_499, "999 µs");
    check(999_600, "1.00 ms");
    check(16_200_000, "16.2 ms");
    check(999_600_000, "1.00 s");
    check(15_000_000_000, "15.0 s");
    assert_eq!(seconds(30.0), "30 s");
    assert_eq!(seconds(0.25), "0.25 s");
    assert_eq!(seconds(100.0), "100 s");
}

#[test]
fn percentages_come_with_their_counts() {
    assert_eq!(part(0, 1_000), "0");
    assert_eq!(part(3, 1_000), "3 (0.30 %)");
    assert_eq!(share(0, 1_000), "0 of 1,000 (0 %)");
    assert_eq!(share(1_234, 400_000), "1,234 of 400,000 (0.31 %)");
}

#[test]
fn almost_all_is_not_all() {
    assert_eq!(part(14_999, 15_000), "14,999 (> 99.9 %)");
    assert_eq!(part(15_000, 15_000), "15,000 (100 %)");
}

#[test]
fn whole_amounts_have_no_point() {
    let check = |value: f64, expected: &str| assert_eq!(amount(value), expected);
    check(0.0, "0");
    check(30.0, "30");
    check(-1_234.0, "-1,234");
    check(2.5, "2.50");
    check(1e300, &number(1e300));
}

#[test]
fn things_have_a_plural() {
    assert_eq!(plural(1, "user"), "1 user");
    assert_eq!(plural(1_000, "user"), "1,000 users");
    assert_eq!(plural(2, "delivery"), "2 deliveries");
}

#[test]
fn a_percentile_says_what_carries_it() {
    let value = Estimate::Value {
        value: Nanos::from_micros(999),
        interval: Some((Nanos::from_micros(950), Nanos::from_micros(1_100))),
    };
    assert_eq!(estimate(value, None), "999 µs");
    assert_eq!(estimate_in_full(value, None), "999 µs (950–1,100)");
    let alone = Estimate::Value {
        value: Nanos::from_micros(999),
        interval: None,
    };
    assert_eq!(estimate_in_full(alone, None), "999 µs (n/a)");
    let short = Estimate::Unavailable {
        have: 120,
        need: 1_000,
    };
    assert_eq!(estimate(short, None), "n/a");
    assert_eq!(estimate_in_full(short, None), "n/a (120 of 1,000 samples)");
    let limit = Some(Nanos::from_secs(15));
    assert_eq!(
        estimate_in_full(Estimate::Beyond { at_least: None }, limit),
        "> 15 s"
    );
}

#[test]
fn amounts_of_memory() {
    assert_eq!(bytes(512), "512 B");
    assert_eq!(bytes(1_500), "1.50 kB");
    assert_eq!(bytes(3_200_000), "3.20 MB");
    assert_eq!(megabytes(1_250.0), "1.25 GB");
}

#[test]
fn figures_for_arithmetic_have_four_digits_and_approximate_ones_two() {
    let check = |value: f64, expected: [&str; 2]| {
        assert_eq!([precise(value), about(value)], expected.map(str::to_owned));
    };
    check(0.0, ["0", "0"]);
    check(0.26831, ["0.2683", "0.27"]);
    check(2.4291, ["2.429", "2.4"]);
    check(3.0, ["3", "3"]);
    check(101.65, ["101.7", "102"]);
    check(13_605.2, ["13,605", "13,605"]);
    check(-1.5, ["-1.5", "-1.5"]);
}

#[test]
fn long_spans_have_two_units() {
    assert_eq!(span(0.5), "0.5 s");
    assert_eq!(span(3.0), "3 s");
    assert_eq!(span(90.0), "1 min 30 s");
    assert_eq!(span(900.0), "15 min");
    assert_eq!(span(90_061.0), "1 d 1 h");
}

#[test]
fn quantiles_have_the_names_of_percentiles() {
    assert_eq!(percentile(0.999), "p99.9");
    assert_eq!(percentile(0.5), "p50");
}
