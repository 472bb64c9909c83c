use record::{Cause, Level, TargetSample, TargetUse, Window};

use super::causes;
use super::levels::{idle, level, with};

const HOUR: u32 = 3600;

/// A level of an hour, whose median and number of connections at each second are these.
fn soak(median_ms: impl Fn(f64) -> f64, connections: impl Fn(f64) -> f64) -> Level {
    let seconds = || (0..HOUR).map(f64::from);
    let samples = seconds().step_by(10).map(|at_s| TargetSample {
        at_s,
        connections: Some(connections(at_s) as u64),
        ..TargetSample::default()
    });
    let target = TargetUse {
        samples: samples.collect(),
        descriptor_limit: Some(20_000),
        descriptors: Some(2_000),
        ..idle()
    };
    let mut level = with(level(10.0, 1.0), target);
    level.phases.duration_s = f64::from(HOUR);
    level.series = seconds()
        .map(|start_s| Window {
            start_s,
            requests: 10,
            p50_ms: Some(median_ms(start_s)),
            max_ms: Some(100.0),
            ..Window::default()
        })
        .collect();
    level
}

/// A deviation from -1 to 1 that looks random.
fn noise(second: f64) -> f64 {
    (second * 12.9898).sin() * 43_758.545_3 % 1.0
}

#[test]
fn a_median_that_grows_is_named_with_the_time_until_it_has_doubled() {
    let level = soak(|s| 20.0 + s / 360.0 + noise(s) * 4.0, |_| 100.0);
    let found = causes(vec![level]);
    let [Cause::GrowingLatency(growing)] = &found[..] else {
        panic!("{found:#?}")
    };
    assert!((9.0..11.0).contains(&growing.ms_per_h), "{growing:?}");
    // 30 ms at the end grow by 10 ms an hour.
    assert!(
        (9_500.0..12_000.0).contains(&growing.doubled_after_s),
        "{growing:?}"
    );
}

#[test]
fn connections_that_stay_are_named_with_the_time_until_the_limit() {
    let level = soak(|s| 20.0 + noise(s), |s| 500.0 + s / 1.8 + noise(s) * 3.0);
    let found = causes(vec![level]);
    let [Cause::GrowingSessions(growing)] = &found[..] else {
        panic!("{found:#?}")
    };
    assert!((0.53..0.58).contains(&growing.per_s), "{growing:?}");
    // 18,000 descriptors are free: about 9 h.
    let full_after_h = growing.full_after_s.unwrap() / 3600.0;
    assert!((8.5..9.5).contains(&full_after_h), "{full_after_h}");
}

#[test]
fn connections_that_stay_come_before_the_descriptors_that_they_need() {
    let mut level = soak(|s| 20.0 + noise(s), |s| 500.0 + s / 1.8 + noise(s) * 3.0);
    // A proxy has two descriptors for each connection of a user.
    for sample in &mut level.target.as_mut().unwrap().samples {
        sample.descriptors = sample.connections.map(|users| 2 * users + 30);
    }
    let found = causes(vec![level]);
    let in_order = matches!(
        &found[..],
        [Cause::GrowingSessions(_), Cause::GrowingDescriptors(_)]
    );
    assert!(in_order, "{found:#?}");
}

#[test]
fn noise_a_start_that_is_slower_and_a_saw_tooth_are_no_finding() {
    let still = |_| 100.0;
    assert_eq!(causes(vec![soak(|s| 20.0 + noise(s) * 15.0, still)]), []);
    assert_eq!(
        causes(vec![soak(|s| 20.0 + s.min(300.0) / 30.0, still)]),
        []
    );
    assert_eq!(causes(vec![soak(|s| 20.0 + s % 400.0 / 40.0, still)]), []);
    assert_eq!(causes(vec![soak(|s| 20.0 + s / 36_000.0, still)]), []);
}
