use proptest::prelude::*;

use super::*;

fn arrivals(profile: &str, spacing: Spacing) -> Arrivals {
    let profile = RateProfile::parse(profile).unwrap();
    Arrivals::new(
        &profile,
        spacing,
        Nanos::ZERO,
        Nanos::ZERO,
        Nanos::from_secs(30),
    )
}

fn times(profile: &str) -> Vec<f64> {
    let starts = arrivals(profile, Spacing::Even).starts(0);
    starts.map(|(_, due)| due.as_secs_f64()).collect()
}

#[test]
fn a_steady_rate_is_evenly_spaced_and_exact() {
    let starts: Vec<_> = arrivals("1000/s", Spacing::Even).starts(0).collect();
    assert_eq!(starts.len(), 30_000);
    for (number, due) in starts {
        assert_eq!(due, Nanos(number * 1_000_000), "arrival {number}");
    }
    assert_eq!(
        arrivals("50000/s", Spacing::Even).starts(0).count(),
        1_500_000
    );
    assert_eq!(arrivals("3/s", Spacing::Even).starts(0).count(), 90);
}

#[test]
fn a_burst_comes_at_its_time_and_nothing_between() {
    let times = times("500/s for 10s, nothing for 50s, 3 times");
    assert_eq!(times.len(), 15_000);
    for burst in 0..3_u32 {
        let start = f64::from(burst) * 60.0;
        let of_burst: Vec<_> = times
            .iter()
            .filter(|at| (start..start + 60.0).contains(*at))
            .collect();
        assert_eq!(of_burst.len(), 5_000);
        assert!((of_burst[0] - start).abs() < 1e-9, "it begins at once");
        assert!(*of_burst[4_999] < start + 10.0);
    }
}

#[test]
fn a_ramp_of_rates_follows_its_integral() {
    // 0 to 100/s over 20 s: t² · 2.5 arrivals after t seconds.
    let times = times("0/s to 100/s over 20s");
    assert_eq!(times.len(), 1000);
    for (k, at) in times.iter().enumerate() {
        assert!(
            (at * at * 2.5 - k as f64).abs() < 1e-3,
            "arrival {k} at {at}"
        );
    }
    let falling = times_of_falling();
    assert_eq!(falling.len(), 1000);
    assert!(falling.windows(2).all(|pair| pair[0] < pair[1]));
}

fn times_of_falling() -> Vec<f64> {
    times("100/s to 0/s over 20s")
}

#[test]
fn steps_of_rate_join_without_a_gap() {
    let times = times("10/s for 2s, 100/s for 1s");
    assert_eq!(times.len(), 120);
    assert!((times[19] - 1.9).abs() < 1e-9);
    assert!((times[20] - 2.0).abs() < 1e-9, "the step begins on time");
    assert!((times[21] - 2.01).abs() < 1e-9);
}

#[test]
fn the_ramp_and_the_warm_up_come_before_what_is_measured() {
    let profile = RateProfile::parse("100/s").unwrap();
    let arrivals = Arrivals::new(
        &profile,
        Spacing::Even,
        Nanos::from_secs(4),
        Nanos::from_secs(1),
        Nanos::from_secs(10),
    );
    let hold = Nanos::from_secs(5)..Nanos::from_secs(15);
    let (within, before): (Vec<_>, Vec<_>) =
        arrivals.starts(0).partition(|(_, due)| hold.contains(due));
    assert_eq!(within.len(), 1000);
    assert_eq!(before.len(), 300, "200 while it rises, 100 to warm up");
}

#[test]
fn poisson_arrivals_have_exponential_gaps_and_repeat_with_their_seed() {
    let poisson = arrivals("1000/s", Spacing::Poisson);
    let times: Vec<f64> = poisson
        .starts(7)
        .map(|(_, due)| due.as_secs_f64())
        .collect();
    // 30,000 arrivals are expected, with a standard deviation of 173. A difference of five deviations practically never
    // occurs by chance.
    assert!(
        (times.len() as f64 - 30_000.0).abs() < 866.0,
        "{}",
        times.len()
    );
    let gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
    let variation = variance.sqrt() / mean;
    assert!(
        (variation - 1.0).abs() < 0.05,
        "exponential gaps vary as much as their mean: {variation}"
    );
    let median_share =
        gaps.iter().filter(|gap| **gap < mean * 2_f64.ln()).count() as f64 / gaps.len() as f64;
    assert!(
        (median_share - 0.5).abs() < 0.02,
        "half of the gaps are below ln 2 of the mean: {median_share}"
    );
    assert!(poisson.starts(7).eq(poisson.starts(7)));
    assert!(!poisson.starts(7).eq(poisson.starts(8)));
}

proptest! {
    #[test]
    fn arrivals_never_go_back_and_their_number_is_the_area_under_the_rate(
        segments in prop::collection::vec((0..500_u32, 0..500_u32, 1..50_u64), 1..8), seed: u64, poisson: bool
    ) {
        let segments: Vec<RateSegment> = segments
            .into_iter()
            .map(|(from, to, tenths)| RateSegment { from: from.into(), to: to.into(), lasts: Nanos(tenths * 100_000_000) })
            .collect();
        let area: f64 = segments.iter().map(size).sum();
        let length = segments.iter().fold(Nanos::ZERO, |sum, segment| sum + segment.lasts);
        let spacing = if poisson { Spacing::Poisson } else { Spacing::Even };
        let plan = Arrivals::new(&RateProfile::Segments(segments), spacing, Nanos::ZERO, Nanos::ZERO, Nanos::ZERO);
        let mut last = Nanos::ZERO;
        let mut count = 0_u32;
        for (number, due) in plan.starts(seed) {
            prop_assert_eq!(number, u64::from(count));
            prop_assert!(due >= last && due <= length);
            last = due;
            count += 1;
        }
        if !poisson {
            prop_assert!((f64::from(count) - area).abs() < 1.0 + 1e-3, "{} for {}", count, area);
        }
    }
}
