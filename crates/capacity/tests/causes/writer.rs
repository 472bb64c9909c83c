use record::{Cause, DiskBytes, DiskWaits, Level};

use super::levels::{level, target, with};
use super::{causes, only};

const WAITS: DiskWaits = DiskWaits {
    samples: 120,
    waiting_percent: 60.0,
    alone_percent: 55.0,
    busy_percent: 97.0,
    at_once: 1.0,
    transferred: Some(DiskBytes {
        read_mb: 0.1,
        written_mb: 8.0,
    }),
};

/// A level of a target that uses this CPU on one of two cores.
fn at(per_s: f64, ms: f64, cpu: f64, disk: DiskWaits) -> Level {
    let mut target = target(2, &[("writer", cpu, 1.0)]);
    target.disk = Some(disk);
    with(level(per_s, ms), target)
}

fn idle() -> Level {
    let waits = DiskWaits {
        waiting_percent: 6.0,
        alone_percent: 6.0,
        busy_percent: 10.0,
        ..WAITS
    };
    at(20.0, 5.0, 4.0, waits)
}

/// Whether a target with these waits is a single writer, if its throughput is the same at two loads.
fn named(cpu: f64, waits: DiskWaits) -> bool {
    has_writer(vec![
        idle(),
        at(195.0, 10.0, cpu, waits),
        at(198.0, 40.0, cpu, waits),
    ])
}

fn has_writer(levels: Vec<Level>) -> bool {
    let causes = causes(levels);
    causes
        .iter()
        .any(|cause| matches!(cause, Cause::SingleWriter(_)))
}

#[test]
fn a_target_that_writes_one_change_at_a_time_is_named() {
    let finding = only(vec![
        idle(),
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
fn a_target_that_does_something_else_as_well_is_no_single_writer() {
    assert!(named(37.0, WAITS));
    let idle = DiskWaits {
        busy_percent: 70.0,
        ..WAITS
    };
    assert!(!named(37.0, idle), "it waits for something else");
    let several = DiskWaits {
        at_once: 2.4,
        ..WAITS
    };
    assert!(!named(37.0, several), "several threads wait at once");
    let beside = DiskWaits {
        alone_percent: 20.0,
        ..WAITS
    };
    assert!(!named(37.0, beside), "a thread works while another waits");
    assert!(!named(120.0, WAITS), "threads work at the same time");
    let rare = DiskWaits {
        waiting_percent: 4.0,
        alone_percent: 4.0,
        ..WAITS
    };
    assert!(!named(90.0, rare), "nearly all is CPU");
}

#[test]
fn reads_are_no_single_writer() {
    let reads = DiskWaits {
        transferred: Some(DiskBytes {
            read_mb: 8.0,
            written_mb: 0.1,
        }),
        ..WAITS
    };
    let unknown = DiskWaits {
        transferred: None,
        ..WAITS
    };
    assert!(!named(37.0, reads));
    assert!(!named(37.0, unknown));
}

#[test]
fn a_target_that_is_always_busy_is_no_single_writer() {
    let levels = vec![
        at(20.0, 5.0, 37.0, WAITS),
        at(195.0, 10.0, 37.0, WAITS),
        at(198.0, 40.0, 38.0, WAITS),
    ];
    assert!(!has_writer(levels));
}

#[test]
fn few_samples_do_not_tell() {
    let few = DiskWaits {
        samples: 20,
        ..WAITS
    };
    assert!(!named(37.0, few));
}

#[test]
fn a_saturated_thread_comes_before_its_waits() {
    let log = DiskWaits {
        waiting_percent: 6.0,
        alone_percent: 5.0,
        ..WAITS
    };
    let levels = vec![
        idle(),
        at(195.0, 10.0, 96.0, log),
        at(198.0, 40.0, 96.0, log),
    ];
    let finding = only(levels);
    assert!(
        matches!(finding.cause, Cause::SaturatedThread(_)),
        "{finding:#?}"
    );
}
