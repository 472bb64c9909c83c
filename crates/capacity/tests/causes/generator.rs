use record::{Cause, Deliveries, IssueCause, Level, LevelIssue};

use super::levels::{idle, level, target, with};
use super::stalls::level_with;
use super::{causes, only};

/// The level, in which a worker of the generator was busy all the time.
fn starved(level: Level) -> Level {
    let busy = IssueCause::WorkerBusy {
        busy_percent: 99.0,
        cpu_wait_percent: None,
        limit_percent: 90.0,
    };
    Level {
        issues: vec![LevelIssue::invalid(busy)],
        ..level
    }
}

#[test]
fn a_generator_that_is_the_limit_is_named_with_what_the_target_does_at_least() {
    let finding = only(vec![
        with(level(100.0, 2.0), idle()),
        starved(with(level(900.0, 3.0), idle())),
    ]);
    let Cause::Generator(limited) = &finding.cause else {
        panic!("{finding:#?}")
    };
    assert_eq!(limited.per_s, 900.0);
    assert_eq!((finding.levels, finding.limits), (vec![1], vec![1]));
}

#[test]
fn a_target_that_is_the_limit_below_comes_before_the_generator() {
    let busy = || target(2, &[("main", 99.0, 0.5)]);
    let found = causes(vec![
        with(level(50.0, 2.0), target(2, &[("main", 30.0, 0.1)])),
        with(level(200.0, 2.0), busy()),
        starved(with(level(300.0, 9.0), busy())),
    ]);
    let ids: Vec<&str> = found.iter().map(Cause::id).collect();
    assert_eq!(ids, ["saturated_thread", "generator"]);
}

#[test]
fn a_generator_that_is_the_limit_comes_before_symptoms_of_the_target() {
    let slow = [4, 9, 14, 19, 24, 29].map(|second| (second, 500.0));
    let found = causes(vec![
        level_with(32, &slow),
        starved(with(level(300.0, 9.0), idle())),
    ]);
    let ids: Vec<&str> = found.iter().map(Cause::id).collect();
    assert_eq!(ids, ["generator", "periodic_stalls"]);
}

#[test]
fn a_level_that_was_too_short_or_in_doubt_is_no_limit_of_the_generator() {
    let short = IssueCause::ShortMeasurement {
        measured_ms: 20.0,
        needed_ms: 100.0,
    };
    let mut level = with(level(100.0, 2.0), idle());
    level.issues = vec![LevelIssue::invalid(short)];
    assert_eq!(causes(vec![level.clone()]), []);
    let busy = starved(level.clone()).issues.remove(0).cause;
    level.issues = vec![LevelIssue::questionable(busy)];
    assert_eq!(causes(vec![level]), []);
}

#[test]
fn a_generator_of_messages_states_deliveries() {
    let mut level = starved(level(0.0, 0.0));
    level.measured.requests.clear();
    level.measured.round_trips.clear();
    let deliveries = Deliveries {
        delivered: 9_000,
        ..Deliveries::default()
    };
    level.measured.deliveries = [("said".to_owned(), deliveries)].into();
    level.phases.duration_s = 10.0;
    let Cause::Generator(limited) = only(vec![level]).cause else {
        panic!("another cause")
    };
    assert_eq!((limited.per_s, limited.deliveries), (900.0, true));
}
