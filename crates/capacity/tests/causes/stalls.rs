use model::Nanos;
use record::{
    Cause, Confidence, Evidence, Finding, Level, Load, PeriodicStalls, Phases, Run, Window,
};

use super::levels::{idle, level, with};
use super::{causes, only};

/// A level of this many seconds, whose longest times are 6 ms, or as given for these seconds.
pub(crate) fn level_with(seconds: u64, slow: &[(u64, f64)]) -> Level {
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
    assert_eq!((stalls.every_s, stalls.longest_ms), (5.0, Some(510.0)));
    assert_eq!(stalls.longest_at_least_ms, None);
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

/// The level, in which operations timed out after 2 s in these seconds.
fn timed_out(mut level: Level, seconds: &[usize]) -> Level {
    for &second in seconds {
        level.series[second].max_ms = None;
        for timings in level.measured.requests.values_mut() {
            timings.ran_out(Nanos::from_secs(2));
        }
    }
    level
}

/// The longest stall, its lower bound, and the shortest of the stalls' longest times.
fn times(finding: &Finding) -> (Option<f64>, Option<f64>, Option<f64>) {
    let Cause::PeriodicStalls(PeriodicStalls {
        longest_ms,
        longest_at_least_ms,
        ..
    }) = finding.cause
    else {
        panic!("{finding:#?}")
    };
    let stalled_ms = finding.evidence.iter().find_map(|seen| match seen {
        Evidence::LongestTimes { stalled_ms, .. } => *stalled_ms,
        _ => None,
    });
    (longest_ms, longest_at_least_ms, stalled_ms)
}

#[test]
fn stalls_in_which_operations_time_out_have_a_lower_bound_that_the_record_keeps() {
    let all = only(vec![timed_out(
        level_with(32, &[]),
        &[4, 9, 14, 19, 24, 29],
    )]);
    assert_eq!(times(&all), (None, Some(2000.0), Some(2000.0)));
    let slow = [(4, 500.0), (9, 480.0), (14, 3000.0)];
    let some = only(vec![timed_out(level_with(32, &slow), &[19, 24, 29])]);
    assert_eq!(times(&some), (None, Some(3000.0), Some(480.0)));
    let run = Run {
        findings: vec![all, some],
        ..Run::default()
    };
    let json = record::to_json(&run).unwrap();
    assert_eq!(record::from_json(&json).unwrap(), run);
}

#[test]
fn seconds_in_which_all_connections_are_refused_are_no_stalls() {
    let mut level = level_with(32, &[]);
    for second in [4, 9, 14, 19, 24, 29] {
        level.series[second].max_ms = None;
    }
    assert_eq!(causes(vec![level]), []);
}
