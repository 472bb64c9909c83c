use record::{Cause, Confidence, Level, TargetUse};

use super::levels::{idle, level, target, timings, with};
use super::{causes, only};

/// A level in which half of all deliveries take this time, and this number of 40 receivers is slow.
fn at(ms: f64, slow: u64) -> Level {
    on(idle(), ms, slow)
}

fn on(target: TargetUse, ms: f64, slow: u64) -> Level {
    let target = TargetUse {
        connections: Some(40),
        slow_receivers: Some(slow),
        ..target
    };
    let mut level = with(level(0.0, 1.0), target);
    let said = level.measured.deliveries.entry("said".into()).or_default();
    said.latency = timings(400, ms).response;
    level
}

#[test]
fn slow_receivers_that_delay_the_others_are_named() {
    let finding = only(vec![at(1.0, 0), at(2.0, 0), at(300.0, 1), at(900.0, 2)]);
    let Cause::SlowConsumers(found) = &finding.cause else {
        panic!("{finding:#?}")
    };
    assert_eq!((found.slow, found.of), (2, 40));
    assert!((found.ms - 900.0).abs() < 5.0);
    assert_eq!(finding.levels, [2, 3]);
    assert_eq!(finding.confidence, Confidence::High);
}

#[test]
fn one_level_of_each_kind_may_be_a_coincidence() {
    let finding = only(vec![at(1.0, 0), at(300.0, 1)]);
    assert_eq!(finding.confidence, Confidence::Low);
}

#[test]
fn operations_are_examined_if_there_are_no_deliveries() {
    let requests = |ms, slow| {
        let mut level = at(1.0, slow);
        level.measured.deliveries.clear();
        level
            .measured
            .requests
            .insert("GET /".into(), timings(200, ms));
        level
    };
    assert!(matches!(
        only(vec![requests(5.0, 0), requests(300.0, 1)]).cause,
        Cause::SlowConsumers(_)
    ));
}

#[test]
fn slow_receivers_that_delay_nobody_are_no_finding() {
    assert_eq!(causes(vec![at(1.0, 0), at(1.2, 1), at(1.1, 2)]), []);
    assert_eq!(causes(vec![at(1.0, 0), at(1.2, 1), at(900.0, 2)]), []);
}

#[test]
fn latency_without_slow_receivers_is_no_finding() {
    assert_eq!(causes(vec![at(1.0, 0), at(300.0, 0), at(900.0, 0)]), []);
    assert_eq!(causes(vec![at(1.0, 0), at(800.0, 0), at(900.0, 2)]), []);
}

#[test]
fn a_busy_target_or_receivers_that_are_all_slow_are_no_finding() {
    let busy = || target(2, &[("pool-0", 90.0, 0.0), ("pool-1", 60.0, 0.0)]);
    assert_eq!(causes(vec![at(1.0, 0), on(busy(), 900.0, 2)]), []);
    assert_eq!(causes(vec![at(1.0, 0), at(900.0, 39)]), []);
}

#[test]
fn without_a_level_to_compare_with_there_is_no_finding() {
    assert_eq!(causes(vec![at(900.0, 2)]), []);
    let mut unknown = at(1.0, 0);
    if let Some(target) = &mut unknown.target {
        target.slow_receivers = None;
    }
    assert_eq!(causes(vec![unknown, at(900.0, 2)]), []);
}
