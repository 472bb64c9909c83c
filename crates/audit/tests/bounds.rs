//! No data set that could have led to the published figures is called impossible, whatever the definition of a
//! percentile and the rounding.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "tests"
)]

mod common;

use audit::{Figure, Level, Results, Row, Severity, Times, audit, mean_bounds};
use common::{Definition, Rounding, published};
use proptest::prelude::*;

fn sample() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => 0.0..10.0f64,
        2 => (0u32..4).prop_map(f64::from),
        1 => 10.0..60_000.0f64,
        1 => Just(0.0),
    ]
}

/// Small and large sets, sets with many ties, and a few values with a heavy tail.
fn samples() -> impl Strategy<Value = Vec<f64>> {
    prop_oneof![
        3 => prop::collection::vec(sample(), 1..40),
        1 => prop::collection::vec(sample(), 40..400),
        1 => (1usize..2000, 0usize..30, 0.0..50.0f64, 50.0..60_000.0f64).prop_map(|(many, few, low, high)| {
            let mut all = vec![low; many];
            all.extend(vec![high; few]);
            all
        }),
    ]
}

fn definition() -> impl Strategy<Value = Definition> {
    prop_oneof![
        9 => (1u8..=9).prop_map(Definition::HyndmanFan),
        1 => Just(Definition::Index),
        1 => Just(Definition::Hdr),
    ]
}

fn quantiles() -> impl Strategy<Value = Vec<f64>> {
    let usual = prop::sample::subsequence(
        vec![0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999],
        1..9,
    );
    let any = prop::collection::vec(0.001..0.9999f64, 1..6);
    prop_oneof![3 => usual, 1 => any]
}

fn rounding() -> impl Strategy<Value = (f64, Rounding)> {
    let step = prop::sample::select(vec![0.0, 0.001, 0.01, 1.0, 10.0]);
    (
        step,
        prop::sample::select(vec![Rounding::Nearest, Rounding::Down, Rounding::Up]),
    )
}

fn of(row: Row) -> Results {
    let level = Level {
        name: "level".to_owned(),
        rows: vec![row],
        ..Level::default()
    };
    Results {
        levels: vec![level],
        ..Results::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_real_data_set_is_called_impossible(
        samples in samples(),
        qs in quantiles(),
        definition in definition(),
        rounding in rounding(),
    ) {
        let row = published(&samples, &qs, definition, rounding);
        let audit = audit(&of(row.clone()));
        let impossible: Vec<_> = audit.findings.iter().filter(|finding| finding.severity == Severity::Impossible).collect();
        prop_assert!(impossible.is_empty(), "{impossible:#?}\n{row:#?}");
    }

    #[test]
    fn figures_left_out_never_make_it_impossible(
        samples in samples(),
        qs in quantiles(),
        definition in definition(),
        without in prop::collection::vec(any::<bool>(), 4),
    ) {
        let mut row = published(&samples, &qs, definition, (0.0, Rounding::Nearest));
        let times = &mut row.times;
        for (figure, gone) in [&mut times.min, &mut times.max, &mut times.stdev, &mut times.mean].into_iter().zip(without) {
            if gone {
                *figure = None;
            }
        }
        let audit = audit(&of(row.clone()));
        prop_assert!(audit.worst() != Some(Severity::Impossible), "{:#?}\n{row:#?}", audit.findings);
    }

    /// Failed and unfinished operations may have no time, so there may be fewer times than starts.
    #[test]
    fn times_of_those_that_ended_well_are_not_held_against_all(
        samples in samples(),
        qs in quantiles(),
        definition in definition(),
        rounding in rounding(),
        (failed, unfinished) in (0u32..3000, 0u32..3000),
    ) {
        let mut row = published(&samples, &qs, definition, rounding);
        let count = |value: f64| Some(Figure::exact(value, "counted"));
        let ok = samples.len() as f64;
        row.counts.sent = count(ok + f64::from(failed) + f64::from(unfinished));
        row.counts.failed = count(f64::from(failed));
        row.counts.unfinished = count(f64::from(unfinished));
        let audit = audit(&of(row.clone()));
        prop_assert!(audit.worst() != Some(Severity::Impossible), "{:#?}\n{row:#?}", audit.findings);
    }

    /// The percentile is the upper edge of its bucket, or any value within the bucket.
    #[test]
    fn a_percentile_stands_for_its_whole_bucket(samples in samples(), qs in quantiles(), definition in definition(), part in 0.0..=1.0f64) {
        const EDGES: [f64; 8] = [0.5, 1.0, 5.0, 10.0, 100.0, 1000.0, 10_000.0, 100_000.0];
        let mut row = published(&samples, &qs, definition, (0.0, Rounding::Nearest));
        for (_, time) in &mut row.times.percentiles {
            let above = EDGES.into_iter().find(|edge| *edge >= time.value).unwrap();
            let below = EDGES.into_iter().rfind(|edge| *edge < time.value).unwrap_or(0.0);
            time.value = below + part * (above - below);
        }
        row.edges_ms = EDGES.map(|edge| Figure::exact(edge, "told")).to_vec();
        let audit = audit(&of(row.clone()));
        let mean = audit.findings.iter().find(|finding| finding.rule == "mean-out-of-reach");
        prop_assert!(mean.is_none(), "{mean:#?}\n{row:#?}");
    }

    /// The bound is also tight. If every sample is as high as the nearest rank allows, the mean is only slightly below
    /// it.
    #[test]
    fn the_largest_mean_is_nearly_reached(count in 200usize..3000, p50 in 1.0..10.0f64, more in 1.0..10.0f64, tail in 1.0..1000.0f64) {
        let (p99, max) = (p50 + more, p50 + more + tail);
        let half = (count as f64 * 0.5).ceil() as usize;
        let high = (count as f64 * 0.99).ceil() as usize;
        let all: Vec<f64> = (1..=count).map(|rank| if rank <= half { p50 } else if rank <= high { p99 } else { max }).collect();
        let row = published(&all, &[0.5, 0.99], Definition::HyndmanFan(1), (0.0, Rounding::Nearest));
        let mean = all.iter().sum::<f64>() / count as f64;
        let bound = mean_bounds(count as f64, &row).unwrap().high.unwrap();
        // The bound is loose by at most two samples at each of the two percentiles.
        let given_away = (2.0 * more + 2.0 * tail) / count as f64;
        prop_assert!(mean <= bound + 1e-9 && bound <= mean + given_away + 1e-9, "{mean} {bound}");
    }
}

#[test]
fn a_mean_beyond_the_bound_is_impossible() {
    let ms = |value| Some(Figure::exact(value, "there"));
    let mut row = Row {
        times: Times {
            mean: ms(60.0),
            max: ms(1000.0),
            percentiles: vec![(0.99, Figure::exact(10.0, "there"))],
            ..Times::default()
        },
        ..Row::default()
    };
    row.counts.sent = ms(1000.0);
    // 989 samples of 10 ms and 11 of 1,000 ms have a mean of 20.89 ms.
    let found = audit(&of(row));
    assert_eq!(found.findings[0].rule, "mean-out-of-reach");
    assert!(
        found.findings[0].arithmetic.contains("20.89 ms"),
        "{}",
        found.findings[0].arithmetic
    );
}
