use record::{Cause, Level, Window};

use super::causes;
use super::levels::{SECONDS, idle, level, timings, with};

/// A level in which `count` requests end in each of these seconds, of which this share failed.
fn waves(seconds: &[u32], count: u64, failed: f64) -> Level {
    let mut level = with(level(0.0, 1.0), idle());
    let all = timings(count * seconds.len() as u64, 1.0);
    level.measured.requests.insert("GET /".into(), all);
    level.phases.duration_s = SECONDS * 3.0;
    level.series = seconds
        .iter()
        .map(|second| Window {
            start_s: f64::from(*second),
            requests: count,
            failed: (count as f64 * failed) as u64,
            max_ms: Some(5.0),
            ..Window::default()
        })
        .collect();
    level
}

#[test]
fn waves_of_refused_operations_at_equal_intervals_are_named() {
    let found = causes(vec![waves(&[0, 3, 6, 9, 12, 15, 18], 40, 0.9)]);
    let [Cause::SynchronisedRetries(retries)] = &found[..] else {
        panic!("{found:#?}")
    };
    assert_eq!((retries.every_s, retries.share_percent), (3.0, 100.0));
}

#[test]
fn waves_that_succeed_or_come_at_random_times_are_no_finding() {
    assert_eq!(causes(vec![waves(&[0, 3, 6, 9, 12, 15, 18], 40, 0.0)]), []);
    assert_eq!(causes(vec![waves(&[0, 2, 9, 11, 20, 27], 40, 0.9)]), []);
}

#[test]
fn refusals_all_the_time_are_no_finding() {
    let seconds: Vec<u32> = (0..30).collect();
    assert_eq!(causes(vec![waves(&seconds, 40, 0.9)]), []);
}
