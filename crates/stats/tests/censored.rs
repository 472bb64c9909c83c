//! Compares estimates from samples with unknown ends with all possible ends of these samples.

use model::Nanos;
use proptest::prelude::*;
use stats::{BlockWriter, Estimate, Histogram, Samples, Shares, needed_samples};

fn of(values: &[u64]) -> Histogram {
    let mut times = Histogram::new();
    for &value in values {
        times.record(Nanos(value));
    }
    times
}

/// Values below 1,024 ns, which a histogram stores exactly.
fn small() -> impl Strategy<Value = Vec<u64>> {
    proptest::collection::vec(0..1_000_u64, 0..120)
}

/// The quantile by its definition: the smallest sample with at least the share `q` at or below it.
fn by_definition(mut all: Vec<u64>, q: f64) -> u64 {
    all.sort_unstable();
    let at_or_below = |value: u64| all.iter().filter(|other| **other <= value).count() as f64;
    let wanted = q * all.len() as f64 - 1e-6;
    let found = all
        .iter()
        .copied()
        .find(|&value| at_or_below(value) >= wanted);
    found.unwrap_or_else(|| panic!("no quantile of nothing"))
}

proptest! {
    #[test]
    fn whatever_becomes_of_those_in_flight_the_quantile_keeps_what_was_said(
        times in small(),
        open in proptest::collection::vec((0..1_000_u64, 0..2_000_u64), 0..60),
        q in prop::sample::select(vec![0.5, 0.75, 0.9]),
    ) {
        let ages: Vec<u64> = open.iter().map(|(age, _)| *age).collect();
        let (known, bounds) = (of(&times), of(&ages));
        let samples = Samples { times: &known, open: &bounds, endless: 0 };
        let mut ended = times;
        ended.extend(open.iter().map(|(age, more)| age + more));
        prop_assume!(!ended.is_empty());
        let all = ended.len() as u64;
        match samples.at(q) {
            Estimate::Value { value, .. } => prop_assert!(by_definition(ended, q) <= value.0),
            Estimate::Beyond { at_least } => {
                prop_assert!(by_definition(ended, q) >= at_least.unwrap().0);
            }
            Estimate::Unavailable { .. } => prop_assert!(all < needed_samples(q)),
        }
    }

    #[test]
    fn whatever_becomes_of_those_in_flight_the_shares_keep_what_was_said(
        times in small(),
        open in proptest::collection::vec((0..1_000_u64, 0..2_000_u64), 0..60),
        limit in 0..1_000_u64,
        endless in 0..5_u64,
    ) {
        let ages: Vec<u64> = open.iter().map(|(age, _)| *age).collect();
        let (known, bounds) = (of(&times), of(&ages));
        let samples = Samples { times: &known, open: &bounds, endless };
        let shares = samples.shares(Nanos(limit));
        // An operation whose age is exactly the limit ends at least 1 ns later, and only then exceeds the limit.
        let ended = open.iter().map(|(age, more)| age + more + 1);
        let beyond = times.iter().copied().chain(ended).filter(|time| *time > limit);
        let beyond = beyond.count() as u64 + endless;
        prop_assert_eq!(shares.all(), samples.count());
        prop_assert!(shares.beyond <= beyond && beyond <= shares.beyond + shares.unknown);
    }
}

#[test]
fn operations_in_flight_rank_at_their_age_or_higher() {
    let times = of(&[5; 400]);
    let mut open = Histogram::new();
    open.record_n(Nanos(900), 400);
    let samples = Samples {
        times: &times,
        open: &open,
        endless: 0,
    };
    assert_eq!(samples.at(0.5).value(), Some(Nanos(5)));
    let p95 = Estimate::Beyond {
        at_least: Some(Nanos(900)),
    };
    assert_eq!(samples.at(0.95), p95, "and not the 5 of the survivors");
    let shares = |limit| samples.shares(Nanos(limit));
    let within = 400;
    let (none, all) = (0, 400);
    assert_eq!(
        shares(800),
        Shares {
            within,
            beyond: all,
            unknown: none
        }
    );
    assert_eq!(
        shares(900),
        Shares {
            within,
            beyond: none,
            unknown: all
        }
    );
}

#[test]
fn a_few_that_have_just_begun_widen_the_interval_downwards() {
    // 40 values in each quarter of a second, in pseudorandom order.
    let (mut times, mut writer) = (Histogram::new(), BlockWriter::default());
    for at in 0..1_000 {
        times.record(Nanos(at * 617 % 1_000 + 1));
        writer.close(Nanos::from_millis(at / 40 * 250), &times, 0);
    }
    let blocks = writer.into_blocks();
    let open = of(&[1; 100]);
    let samples = Samples {
        times: &times,
        open: &open,
        endless: 0,
    };
    let Estimate::Value {
        value,
        interval: Some((low, high)),
    } = samples.at_in(&blocks, 0.5)
    else {
        panic!("550 of 1,100 have ended");
    };
    assert_eq!(value, Nanos(550), "if none of the hundred ends");
    assert!(low < Nanos(450), "if all end at once it is 450: {low}");
    assert!(high > value);
}

#[test]
fn time_outs_rank_above_what_is_in_flight() {
    let times = of(&[5; 90]);
    let open = of(&[7; 5]);
    let samples = Samples {
        times: &times,
        open: &open,
        endless: 105,
    };
    assert_eq!(samples.at(0.95), Estimate::Beyond { at_least: None });
    let at_least = Some(Nanos(7));
    assert_eq!(samples.at(0.46), Estimate::Beyond { at_least });
}

#[test]
fn shares_are_added_each_to_its_own() {
    let of = |within, beyond, unknown| Shares {
        within,
        beyond,
        unknown,
    };
    let mut all = of(1, 20, 300);
    all.merge(of(4, 50, 600));
    assert_eq!(all, of(5, 70, 900));
}
