use record::{Cause, Level, TargetUse};

use super::levels::{idle, level, target, with};
use super::{causes, only};

/// Four threads that together use this CPU.
fn four(percent: f64) -> TargetUse {
    let names = ["pool-0", "pool-1", "pool-2", "pool-3"];
    target(2, &names.map(|name| (name, percent / 4.0, 2.0)))
}

fn at(per_s: f64, ms: f64, percent: f64) -> Level {
    with(level(per_s, ms), four(percent))
}

#[test]
fn threads_that_take_turns_are_named() {
    let finding = only(vec![
        at(80.0, 5.0, 33.0),
        at(245.0, 16.0, 99.0),
        at(248.0, 48.0, 99.0),
    ]);
    let Cause::LockConvoy(convoy) = &finding.cause else {
        panic!("{finding:#?}")
    };
    assert_eq!(convoy.threads, 4);
    assert_eq!(finding.levels, [1, 2]);
}

#[test]
fn a_thread_that_always_gets_the_lock_is_not_the_cause() {
    let one = target(2, &[("pool-0", 96.0, 2.0), ("pool-1", 1.0, 0.0)]);
    let finding = only(vec![
        at(80.0, 5.0, 33.0),
        at(245.0, 16.0, 99.0),
        with(level(248.0, 48.0), one),
    ]);
    let Cause::LockConvoy(convoy) = &finding.cause else {
        panic!("{finding:#?}")
    };
    assert_eq!(convoy.threads, 4, "of the load at which they take turns");
    assert_eq!(finding.levels, [1, 2]);
}

#[test]
fn a_saturated_thread_that_took_no_turns_at_a_smaller_load_is_the_cause() {
    let one = |percent| target(2, &[("loop", percent, 1.0), ("other", 4.5, 0.0)]);
    let finding = only(vec![
        with(level(80.0, 5.0), one(33.0)),
        with(level(225.0, 17.0), one(83.0)),
        with(level(245.0, 48.0), one(96.0)),
    ]);
    assert!(
        matches!(finding.cause, Cause::SaturatedThread(_)),
        "{finding:#?}"
    );
}

#[test]
fn threads_that_use_more_than_a_core_or_less_are_no_finding() {
    assert_eq!(
        causes(vec![at(300.0, 16.0, 130.0), at(310.0, 48.0, 131.0)]),
        []
    );
    assert_eq!(
        causes(vec![at(100.0, 16.0, 60.0), at(101.0, 48.0, 60.0)]),
        []
    );
}

#[test]
fn throughput_that_still_grows_is_no_finding() {
    assert_eq!(
        causes(vec![at(200.0, 10.0, 88.0), at(245.0, 16.0, 99.0)]),
        []
    );
}

#[test]
fn an_idle_target_takes_no_turns() {
    let levels = vec![
        with(level(245.0, 16.0), idle()),
        with(level(245.0, 48.0), idle()),
    ];
    assert_eq!(causes(levels), []);
}
