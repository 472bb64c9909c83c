//! Compares histograms with the sorted list of the same values.

use model::Nanos;
use proptest::prelude::*;
use stats::{Histogram, rank_of};

fn histogram(values: &[u64]) -> Histogram {
    let mut histogram = Histogram::new();
    for &value in values {
        histogram.record(Nanos(value));
    }
    histogram
}

/// Durations from nanoseconds to hours, evenly distributed over the orders of magnitude.
fn spans() -> impl Strategy<Value = Vec<u64>> {
    let span =
        (0_u32..43, any::<u64>()).prop_map(|(power, random)| (1 << power) + random % (1 << power));
    prop::collection::vec(span, 1..300)
}

proptest! {
    #[test]
    fn every_rank_is_within_a_thousandth_of_the_sorted_list(values in spans()) {
        let mut sorted = values.clone();
        sorted.sort_unstable();
        let histogram = histogram(&values);
        for (index, &truth) in sorted.iter().enumerate() {
            let seen = histogram.at_rank(index as u64 + 1).unwrap().0;
            prop_assert!(seen >= truth && seen - truth <= truth / 1000, "{seen} for {truth}");
        }
        prop_assert_eq!(histogram.at_rank(0), None);
        prop_assert_eq!(histogram.at_rank(sorted.len() as u64 + 1), None);
    }

    #[test]
    fn smallest_largest_sum_and_count_are_exact(values in spans()) {
        let histogram = histogram(&values);
        prop_assert_eq!(histogram.count(), values.len() as u64);
        prop_assert_eq!(histogram.min(), values.iter().min().map(|&v| Nanos(v)));
        prop_assert_eq!(histogram.max(), values.iter().max().map(|&v| Nanos(v)));
        let sum: u64 = values.iter().sum();
        prop_assert_eq!(histogram.sum(), Nanos(sum));
        prop_assert_eq!(histogram.mean(), Some(Nanos(sum / values.len() as u64)));
        prop_assert_eq!(histogram.quantile(1.0), histogram.max());
    }

    #[test]
    fn merging_equals_recording_everything_in_one(left in spans(), right in spans()) {
        let mut merged = histogram(&left);
        merged.merge(&histogram(&right));
        prop_assert_eq!(merged, histogram(&[left, right].concat()));
    }

    #[test]
    fn removing_a_part_leaves_the_rest(rest in spans(), part in spans()) {
        let all = histogram(&[rest.clone(), part.clone()].concat());
        let (left, truth) = (all.without(&histogram(&part)), histogram(&rest));
        prop_assert_eq!((left.count(), left.sum()), (truth.count(), truth.sum()));
        prop_assert!(left.bins().eq(truth.bins()));
        let ends = [(left.min(), truth.min()), (left.max(), truth.max())];
        for (seen, truth) in ends.map(|(seen, truth)| (seen.unwrap().0, truth.unwrap().0)) {
            prop_assert!(seen >= truth && seen - truth <= truth / 1000, "{seen} for {truth}");
        }
        prop_assert_eq!(all.without(&all), Histogram::new());
        prop_assert_eq!(&all.without(&Histogram::new()), &all);
        prop_assert_eq!(Histogram::new().without(&all), Histogram::new());
    }

    #[test]
    fn json_gives_back_the_same_histogram(values in spans()) {
        let histogram = histogram(&values);
        let text = serde_json::to_string(&histogram).unwrap();
        let back: Histogram = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&back, &histogram);
        let mut grown = back;
        grown.record(Nanos::from_secs(90_000));
        prop_assert_eq!(grown.max(), Some(Nanos::from_secs(90_000)), "a read histogram still grows");
    }

    #[test]
    fn any_text_is_read_or_refused_without_panic(text in ".{0,80}", count in 0_u64..5) {
        let _ = Histogram::decode(&text);
        let json = serde_json::json!({ "count": count, "hdr": text }).to_string();
        let _ = serde_json::from_str::<Histogram>(&json);
    }
}

#[test]
fn an_empty_histogram_has_no_figures() {
    let empty = Histogram::new();
    assert_eq!(empty.count(), 0);
    assert_eq!(empty.quantile(0.5), None);
    assert_eq!(empty.mean(), None);
    assert_eq!(empty.max(), None);
    assert_eq!(empty.min(), None);
    assert_eq!(serde_json::to_string(&empty).unwrap(), r#"{"count":0}"#);
    let mut cleared = histogram(&[5]);
    cleared.clear();
    assert_eq!(cleared, empty);
    assert_eq!(cleared.quantile(0.5), None);
}

#[test]
fn histograms_that_differ_in_one_figure_or_in_their_bins_are_not_equal() {
    let three = histogram(&[1, 3, 3, 5]);
    assert_eq!(three, histogram(&[5, 3, 3, 1]));
    assert!(!three.is_empty());
    // Both have the same count, minimum, maximum and sum.
    assert_ne!(three, histogram(&[1, 1, 5, 5]));
    // The bins are the same, but the sum, the minimum or the maximum differs.
    let wide = histogram(&[8_000_000, 8_000_002, 8_000_004]);
    assert_ne!(wide, histogram(&[8_000_000, 8_000_003, 8_000_004]));
    assert_ne!(wide, histogram(&[8_000_001, 8_000_001, 8_000_004]));
    assert_ne!(wide, histogram(&[8_000_000, 8_000_003, 8_000_003]));
}

#[test]
fn a_single_value_is_read_again_and_ends_in_the_wrong_order_are_not() {
    let single = histogram(&[8_000_001]);
    let text = serde_json::to_string(&single).unwrap();
    assert_eq!(serde_json::from_str::<Histogram>(&text).unwrap(), single);
    let swapped = text.replace("\"min_ns\":8000001", "\"min_ns\":8000002");
    assert_ne!(swapped, text);
    assert!(serde_json::from_str::<Histogram>(&swapped).is_err());
}

#[test]
fn nothing_is_clipped() {
    let hours = Nanos::from_secs(36_000);
    let mut histogram = histogram(&[1]);
    histogram.record_n(hours, 3);
    assert_eq!(histogram.max(), Some(hours));
    assert_eq!(histogram.quantile(0.9), Some(hours));
    histogram.record(Nanos::MAX);
    assert_eq!(histogram.max(), Some(Nanos::MAX));
    assert_eq!(histogram.count(), 5);
}

#[test]
fn an_empty_one_costs_a_pointer() {
    assert_eq!(size_of::<Histogram>(), size_of::<usize>());
}

#[test]
fn counts_above_a_limit() {
    let histogram = histogram(&[10, 20, 30, 1_000_000, 2_000_000]);
    assert_eq!(histogram.count_above(Nanos(0)), 5);
    assert_eq!(histogram.count_above(Nanos(20)), 3);
    assert_eq!(histogram.count_above(Nanos(1_000_000)), 1);
    assert_eq!(histogram.count_above(Nanos(2_000_000)), 0);
}

#[test]
fn a_histogram_with_many_full_bins_is_read_again() {
    // Every bin from 1 µs to 36 min. The counts take two bytes each.
    let mut histogram = Histogram::new();
    for power in 0..31 {
        for value in 1024..2048 {
            histogram.record_n(Nanos(value << power), 64);
        }
    }
    assert_eq!(histogram.bins().count(), 31 * 1024);
    let decoded = Histogram::decode(&histogram.encode().unwrap()).unwrap();
    assert!(decoded.bins().eq(histogram.bins()));
}

#[test]
fn contradictions_are_refused_by_name() {
    let text = serde_json::to_string(&histogram(&[1_000, 2_000, 3_000])).unwrap();
    let check = |from: &str, to: &str, expected: &str| {
        let broken = text.replace(from, to);
        assert_ne!(broken, text, "{from} must occur in {text}");
        let error = serde_json::from_str::<Histogram>(&broken)
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{error}");
    };
    check(
        "\"count\":3",
        "\"count\":4",
        "4 values stated, but 3 in the bins",
    );
    check(
        "\"max_ns\":3000",
        "\"max_ns\":9000",
        "are not the ends of the bins",
    );
    check("\"hdr\":\"", "\"hdr\":\"!", "not base64");
    check("\"hdr\":\"HISTF", "\"hdr\":\"AAAAA", "not in HDR V2 format");
}

#[test]
fn ranks_are_whole_where_the_product_is() {
    let check = |count, q, rank| assert_eq!(rank_of(count, q), rank, "{q} of {count}");
    check(0, 0.5, 0);
    check(1, 0.0, 1);
    check(1, 1.0, 1);
    check(100, 0.99, 99);
    check(1_000, 0.999, 999);
    check(10, 0.55, 6);
    check(3, 0.5, 2);
}

/// Found by fuzzing: this header announces 4 GB of counts, and the reader reserved that memory before it read any
/// count.
#[test]
fn what_a_head_claims_is_held_against_what_is_there() {
    let base64 = |bytes: &[u8]| {
        use base64::Engine as _;
        base64::engine::general_purpose::STANDARD.encode(bytes)
    };
    let mut head = 0x1c84_9313_u32.to_be_bytes().to_vec();
    head.extend([0xff; 4]); // the length of the counts
    head.extend([0, 0, 0, 0, 0, 0, 0, 3]); // no offset, three digits
    head.extend(1_u64.to_be_bytes());
    head.extend(1_000_000_u64.to_be_bytes());
    head.extend(1.0_f64.to_be_bytes());
    let why = Histogram::decode(&base64(&head)).unwrap_err().to_string();
    assert!(why.contains("0 of 4294967295 bytes"), "{why}");
    head[15] = 5;
    let why = Histogram::decode(&base64(&head)).unwrap_err().to_string();
    assert!(why.contains("5 significant digits instead of 3"), "{why}");
}
