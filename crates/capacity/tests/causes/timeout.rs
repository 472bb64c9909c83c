use model::Nanos;
use record::{Cause, Confidence, Level, Timings};

use super::levels::{idle, level, with};
use super::{causes, only};

/// A level with requests that succeed and others that fail after these times in milliseconds.
fn mixed(succeeded: &[f64], failed: &[f64]) -> Level {
    let mut timings = Timings::default();
    let mut add = |times: &[f64], failed| {
        for ms in times {
            let time = Nanos((ms * 1e6) as u64);
            timings.answered(time, time, failed);
        }
    };
    add(succeeded, false);
    add(failed, true);
    let mut level = with(level(0.0, 1.0), idle());
    level.measured.requests.insert("GET /".into(), timings);
    level
}

/// Times from `from` to `to` milliseconds, evenly.
fn spread(count: u32, from: f64, to: f64) -> Vec<f64> {
    (0..count)
        .map(|number| from + (to - from) * f64::from(number) / f64::from(count))
        .collect()
}

#[test]
fn failures_after_one_fixed_time_are_named() {
    let finding = only(vec![mixed(
        &spread(500, 20.0, 1990.0),
        &spread(60, 2000.0, 2012.0),
    )]);
    let Cause::FixedTimeout(timeout) = &finding.cause else {
        panic!("{finding:#?}")
    };
    assert_eq!(timeout.name, "GET /");
    assert!((1995.0..2015.0).contains(&timeout.after_ms), "{timeout:?}");
    assert_eq!(finding.confidence, Confidence::High);
}

#[test]
fn failures_with_a_broad_tail_are_no_finding() {
    let level = mixed(&spread(500, 20.0, 900.0), &spread(60, 900.0, 4000.0));
    assert_eq!(causes(vec![level]), []);
}

#[test]
fn failures_that_take_as_long_as_successes_are_no_finding() {
    let level = mixed(&spread(500, 248.0, 252.0), &spread(60, 248.0, 252.0));
    assert_eq!(causes(vec![level]), []);
}

#[test]
fn quick_refusals_are_no_finding() {
    let level = mixed(&spread(500, 20.0, 900.0), &spread(60, 2.0, 2.1));
    assert_eq!(causes(vec![level]), []);
}

#[test]
fn failures_before_later_successes_are_no_finding() {
    let level = mixed(&spread(500, 20.0, 900.0), &spread(60, 200.0, 202.0));
    assert_eq!(causes(vec![level]), []);
}
