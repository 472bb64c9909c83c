use record::{Cause, Level, ListenQueue, TargetSample, TargetUse, Timings};

use super::levels::{SECONDS, idle, level, with};
use super::{causes, only};

fn descriptors(used_percent: f64, failed: u64) -> Level {
    let target = TargetUse {
        descriptors: Some(1020),
        descriptor_limit: Some(1024),
        descriptors_used_percent: Some(used_percent),
        ..idle()
    };
    let mut level = with(level(10.0, 1.0), target);
    let connections = Timings {
        count: 100,
        failed,
        ..Timings::default()
    };
    level.measured.connections.insert("tcp".into(), connections);
    level
}

fn queue(longest: u64, full: u64, dropped: u64) -> Level {
    let target = TargetUse {
        listen_queue: Some(ListenQueue {
            longest,
            limit: Some(128),
            looks: 100,
            full,
        }),
        listen_overflows: Some(dropped),
        ..idle()
    };
    with(level(10.0, 1.0), target)
}

#[test]
fn descriptors_that_are_used_up_are_named() {
    let found = causes(vec![descriptors(99.6, 40)]);
    assert_eq!(found, [Cause::DescriptorsExhausted { limit: 1024 }]);
}

#[test]
fn descriptors_at_80_percent_or_without_failures_are_no_finding() {
    assert_eq!(causes(vec![descriptors(80.0, 40)]), []);
    assert_eq!(causes(vec![descriptors(99.6, 0)]), []);
}

#[test]
fn a_full_listen_queue_is_named() {
    let found = causes(vec![queue(129, 3, 57)]);
    assert_eq!(found, [Cause::ListenQueueFull { limit: 128 }]);
}

#[test]
fn a_listen_queue_that_was_never_full_is_no_finding() {
    assert_eq!(
        causes(vec![queue(100, 0, 57)]),
        [],
        "another program's queue"
    );
    assert_eq!(causes(vec![queue(129, 1, 0)]), [], "nothing was dropped");
}

/// A level in which descriptors grow by this many per second, and connections by these.
fn opening(per_s: f64, connections_per_s: f64) -> Level {
    let samples = (0..=20).map(|number| {
        let at_s = f64::from(number) * SECONDS / 20.0;
        TargetSample {
            at_s,
            descriptors: Some(30 + (per_s * at_s) as u64),
            connections: Some(5 + (connections_per_s * at_s) as u64),
            ..TargetSample::default()
        }
    });
    let target = TargetUse {
        samples: samples.collect(),
        descriptors: Some(124),
        descriptor_limit: Some(1024),
        ..idle()
    };
    with(level(10.0, 1.0), target)
}

#[test]
fn descriptors_that_are_not_closed_are_named_with_the_time_until_the_limit() {
    let finding = only(vec![opening(10.0, 0.0)]);
    let Cause::GrowingDescriptors(open) = &finding.cause else {
        panic!("{finding:#?}")
    };
    assert!((open.per_s - 10.0).abs() < 0.1, "{open:?}");
    assert!((open.full_after_s.unwrap() - 90.0).abs() < 1.0, "{open:?}");
}

#[test]
fn descriptors_of_connections_that_the_load_opens_are_no_finding() {
    assert_eq!(causes(vec![opening(10.0, 10.0)]), []);
    assert_eq!(causes(vec![opening(0.5, 0.0)]), [], "five in ten seconds");
}
