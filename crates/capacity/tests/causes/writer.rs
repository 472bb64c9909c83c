use record::{Cause, DiskWaits, Level};

use super::levels::{level, target, with};
use super::{causes, only};

const WAITS: DiskWaits = DiskWaits {
    looks: 120,
    waiting_percent: 60.0,
    busy_percent: 97.0,
    at_once: 1.0,
};

/// A level of a target that uses this CPU on one of two cores.
fn at(per_s: f64, ms: f64, cpu: f64, disk: DiskWaits) -> Level {
    let mut target = target(2, &[("writer", cpu, 1.0)]);
    target.disk = Some(disk);
    with(level(per_s, ms), target)
}

fn idle(per_s: f64) -> Level {
    let waits = DiskWaits {
        waiting_percent: 6.0,
        busy_percent: 10.0,
        ..WAITS
    };
    at(per_s, 5.0, 4.0, waits)
}

#[test]
fn a_target_that_writes_one_change_at_a_time_is_named() {
    let finding = only(vec![
        idle(20.0),
        at(195.0, 10.0, 37.0, WAITS),
        at(198.0, 40.0, 38.0, WAITS),
    ]);
    let Cause::SingleWriter(writer) = &finding.cause else {
        panic!("{finding:#?}")
    };
    assert!((writer.disk_percent - 60.0).abs() < 1e-9);
    assert!((writer.cpu_percent - 38.0).abs() < 1e-9);
    assert_eq!(finding.levels, [1, 2]);
}

#[test]
fn throughput_that_still_grows_is_no_single_writer() {
    let levels = vec![at(150.0, 10.0, 37.0, WAITS), at(198.0, 40.0, 38.0, WAITS)];
    assert_eq!(causes(levels), []);
}

#[test]
fn several_waits_at_once_are_no_single_writer() {
    let several = DiskWaits {
        at_once: 2.4,
        ..WAITS
    };
    let levels = vec![
        at(195.0, 10.0, 37.0, several),
        at(198.0, 40.0, 38.0, several),
    ];
    assert_eq!(causes(levels), []);
}

#[test]
fn a_target_that_waits_for_something_else_as_well_is_no_single_writer() {
    let idle = DiskWaits {
        busy_percent: 70.0,
        ..WAITS
    };
    let levels = vec![at(195.0, 10.0, 37.0, idle), at(198.0, 40.0, 38.0, idle)];
    assert_eq!(causes(levels), []);
}

#[test]
fn few_looks_do_not_tell() {
    let few = DiskWaits { looks: 20, ..WAITS };
    let levels = vec![at(195.0, 10.0, 37.0, few), at(198.0, 40.0, 38.0, few)];
    assert_eq!(causes(levels), []);
}

#[test]
fn a_saturated_thread_comes_before_its_waits() {
    let levels = vec![
        idle(20.0),
        at(195.0, 10.0, 96.0, WAITS),
        at(198.0, 40.0, 96.0, WAITS),
    ];
    let finding = only(levels);
    assert!(
        matches!(finding.cause, Cause::SaturatedThread(_)),
        "{finding:#?}"
    );
}
