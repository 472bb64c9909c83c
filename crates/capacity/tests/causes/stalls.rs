use record::{Cause, Confidence, Level, Load, Phases, Window};

use super::levels::{idle, level, with};
use super::{causes, only};

/// A level of this many seconds, whose longest times are 6 ms, or as given for these seconds.
fn level_with(seconds: u64, slow: &[(u64, f64)]) -> Level {
    let series = (0..seconds)
        .map(|second| {
            let stall = slow.iter().find(|(at, _)| *at == second);
            Window {
                start_s: second as f64,
                requests: 100,
                max_ms: Some(stall.map_or(6.0 + (second % 3) as f64, |(_, ms)| *ms)),
                ..Window::default()
            }
        })
        .collect();
    Level {
        series,
        phases: Phases {
            duration_s: seconds as f64,
            ..Phases::default()
        },
        ..with(level(100.0, 5.0), idle())
    }
}

#[test]
fn stalls_at_equal_intervals_are_named() {
    let slow = [
        (4, 500.0),
        (9, 480.0),
        (14, 510.0),
        (19, 490.0),
        (24, 505.0),
        (29, 470.0),
    ];
    let finding = only(vec![level_with(32, &slow)]);
    let Cause::PeriodicStalls(stalls) = &finding.cause else {
        panic!("{finding:#?}")
    };
    assert_eq!((stalls.every_s, stalls.longest_ms), (5.0, 510.0));
    assert_eq!(finding.confidence, Confidence::High);
}

#[test]
fn a_stall_across_two_seconds_is_one_stall() {
    let slow = [
        (4, 500.0),
        (5, 400.0),
        (14, 510.0),
        (24, 505.0),
        (25, 90.0),
        (34, 470.0),
    ];
    let finding = only(vec![level_with(40, &slow)]);
    let Cause::PeriodicStalls(stalls) = &finding.cause else {
        panic!("{finding:#?}")
    };
    assert_eq!(stalls.every_s, 10.0);
    assert_eq!(finding.confidence, Confidence::Low, "four are few");
}

#[test]
fn pauses_at_random_times_are_no_finding() {
    let slow = [
        (3, 500.0),
        (5, 480.0),
        (16, 510.0),
        (19, 490.0),
        (30, 505.0),
    ];
    assert_eq!(causes(vec![level_with(32, &slow)]), []);
}

#[test]
fn bursts_of_the_load_are_no_finding() {
    let slow = [
        (4, 500.0),
        (9, 480.0),
        (14, 510.0),
        (19, 490.0),
        (24, 505.0),
        (29, 470.0),
    ];
    let level = Level {
        load: Load {
            rate: Some("500/s for 1s, nothing for 4s".into()),
            ..Load::default()
        },
        ..level_with(32, &slow)
    };
    assert_eq!(causes(vec![level]), []);
}

#[test]
fn slowness_in_most_seconds_is_no_finding() {
    let slow: Vec<(u64, f64)> = (0..16).map(|number| (number * 2, 100.0)).collect();
    assert_eq!(causes(vec![level_with(32, &slow)]), []);
}
