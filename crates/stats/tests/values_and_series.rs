//! Tests histograms of numbers without a unit, and time series.

use model::Nanos;
use proptest::prelude::*;
use stats::{Series, Values};

proptest! {
    #[test]
    fn values_keep_three_digits_on_both_sides_of_zero(
        numbers in prop::collection::vec(-1e6..1e6_f64, 1..200),
    ) {
        let mut values = Values::default();
        for &number in &numbers {
            values.record(number);
        }
        let mut sorted = numbers;
        sorted.sort_by(f64::total_cmp);
        for (index, &truth) in sorted.iter().enumerate() {
            let q = (index as f64 + 0.9) / sorted.len() as f64;
            let seen = values.quantile(q).unwrap();
            prop_assert!((seen - truth).abs() <= truth.abs() / 1000.0 + 1e-6, "{seen} for {truth}");
        }
        prop_assert_eq!(values.min(), sorted.first().copied());
        prop_assert_eq!(values.max(), sorted.last().copied());
    }

    #[test]
    fn merged_values_equal_all_in_one(
        left in prop::collection::vec(-1000_i32..1000, 0..50),
        right in prop::collection::vec(-1000_i32..1000, 0..50),
    ) {
        let fill = |numbers: &[i32]| {
            let mut values = Values::default();
            for &number in numbers {
                values.record(f64::from(number));
            }
            values
        };
        let mut merged = fill(&left);
        merged.merge(&fill(&right));
        prop_assert_eq!(&merged, &fill(&[left, right].concat()));
        let text = serde_json::to_string(&merged).unwrap();
        prop_assert_eq!(serde_json::from_str::<Values>(&text).unwrap(), merged);
    }
}

#[test]
fn what_is_not_finite_is_counted_and_left_out() {
    let mut values = Values::default();
    values.record(f64::NAN);
    values.record(f64::INFINITY);
    assert_eq!((values.count(), values.not_finite()), (0, 2));
    assert_eq!(
        (values.mean(), values.quantile(0.5), values.max()),
        (None, None, None)
    );
    values.record(-3.0);
    assert_eq!((values.mean(), values.stated(0.5)), (Some(-3.0), None));
}

fn values_of(numbers: &[f64]) -> Values {
    let mut values = Values::default();
    for &number in numbers {
        values.record(number);
    }
    values
}

#[test]
fn values_on_both_sides_of_zero_are_added_and_counted() {
    let values = values_of(&[-3.0, -1.0, 0.5, 2.0, 7.0]);
    assert_eq!((values.sum(), values.mean()), (5.5, Some(1.1)));
    let count = |low: f64, high: f64| values.count_where(|value| low < value && value < high);
    assert_eq!(count(-10.0, 10.0), 5);
    assert_eq!(count(0.0, 10.0), 3);
    assert_eq!(count(-3.1, -0.9), 2);
    assert_eq!(count(0.4, 0.6), 1);
    assert_eq!(Values::default().count_where(|_| true), 0);
}

#[test]
fn a_zero_has_no_sign() {
    let zero = values_of(&[0.0]).quantile(0.5).unwrap();
    assert!(zero.is_sign_positive(), "{zero}");
}

#[test]
fn what_is_not_finite_is_merged_too() {
    let mut values = values_of(&[f64::NAN; 2]);
    values.merge(&values_of(&[f64::INFINITY; 3]));
    assert_eq!((values.count(), values.not_finite()), (0, 5));
}

#[test]
fn a_quantile_is_stated_from_the_samples_on_that_it_needs() {
    assert_eq!(values_of(&[4.0; 19]).stated(0.5), None);
    assert_eq!(values_of(&[4.0; 20]).stated(0.5), Some(4.0));
}

fn counted(notes: &[u64]) -> Series<u64> {
    let mut series = Series::new(Nanos::from_secs(1), 10);
    for &millis in notes {
        if let Some(window) = series.at(Nanos::from_millis(millis)) {
            *window += 1;
        }
    }
    series
}

fn counts(series: &Series<u64>) -> Vec<(u64, Option<u64>)> {
    let seconds = |at: Nanos| at.0 / 1_000_000_000;
    series
        .windows()
        .map(|(at, count)| (seconds(at), count.copied()))
        .collect()
}

#[test]
fn a_gap_stays_a_gap() {
    let series = counted(&[0, 999, 1_000, 3_500]);
    assert_eq!(
        counts(&series),
        [(0, Some(2)), (1, Some(1)), (2, None), (3, Some(1))]
    );
}

#[test]
fn windows_are_merged_one_by_one() {
    let mut series = counted(&[0, 2_000]);
    series.merge(counted(&[1, 1_500, 4_000]), |ours, theirs| *ours += theirs);
    let expected = [
        (0, Some(2)),
        (1, Some(1)),
        (2, Some(1)),
        (3, None),
        (4, Some(1)),
    ];
    assert_eq!(counts(&series), expected);
}

#[test]
fn a_series_is_bounded_and_counts_what_came_later() {
    let series = counted(&[9_999, 10_000, u64::MAX / 2_000_000]);
    assert_eq!(series.windows().count(), 10);
    assert_eq!((series.dropped(), series.width()), (2, Nanos::from_secs(1)));
    let mut both = series;
    both.merge(counted(&[11_000, 12_000, 13_000]), |ours, theirs| {
        *ours += theirs;
    });
    assert_eq!(both.dropped(), 5);
}
