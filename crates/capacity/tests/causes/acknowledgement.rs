use record::{Cause, Confidence, Level};

use super::levels::{SECONDS, idle, level, timings, with};
use super::{causes, only};

/// A level of `per_s` requests with times from these parts: share and milliseconds.
fn mixed(per_s: f64, parts: &[(f64, f64)]) -> Level {
    let mut level = with(level(0.0, 1.0), idle());
    let all = level.measured.requests.entry("GET /".into()).or_default();
    for (share, ms) in parts {
        all.merge(&timings((per_s * SECONDS * share) as u64, *ms));
    }
    level
}

#[test]
fn responses_that_are_40_ms_late_at_every_load_are_named() {
    let parts = [(0.7, 1.0), (0.3, 42.0)];
    let finding = only(vec![mixed(40.0, &parts), mixed(120.0, &parts)]);
    let Cause::DelayedAcknowledgement(late) = &finding.cause else {
        panic!("{finding:#?}")
    };
    assert_eq!(late.name, "GET /");
    assert!((40.0..42.0).contains(&late.delay_ms), "{late:?}");
    assert!((29.9..30.1).contains(&late.share_percent), "{late:?}");
    assert_eq!(finding.confidence, Confidence::High);
    let once = only(vec![mixed(40.0, &parts)]);
    assert_eq!(once.confidence, Confidence::Low);
}

/// As of a server without `TCP_NODELAY` whose clients pause at a low load.
#[test]
fn responses_that_are_40_ms_late_from_some_load_on_are_named() {
    let finding = only(vec![
        mixed(10.0, &[(1.0, 22.0)]),
        mixed(40.0, &[(1.0, 62.0)]),
        mixed(80.0, &[(1.0, 63.0)]),
    ]);
    let Cause::DelayedAcknowledgement(late) = &finding.cause else {
        panic!("{finding:#?}")
    };
    assert!((39.0..42.0).contains(&late.delay_ms), "{late:?}");
    assert_eq!(finding.levels, [1, 2]);
    assert_eq!(finding.confidence, Confidence::High);
    for parts in [&[(1.0, 50.0)], &[(1.0, 62.0)], &[(1.0, 75.0)]] {
        let other = vec![mixed(10.0, &[(1.0, 22.0)]), mixed(40.0, parts)];
        assert_eq!(causes(other), []);
    }
}

#[test]
fn work_of_40_ms_a_broad_tail_and_other_delays_are_no_finding() {
    assert_eq!(causes(vec![mixed(40.0, &[(1.0, 41.0)])]), []);
    let broad = [
        (0.6, 1.0),
        (0.1, 20.0),
        (0.1, 30.0),
        (0.1, 41.0),
        (0.1, 60.0),
    ];
    assert_eq!(causes(vec![mixed(100.0, &broad)]), []);
    assert_eq!(causes(vec![mixed(100.0, &[(0.7, 1.0), (0.3, 60.0)])]), []);
}
